package native

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/model/config"
)

// chatty is tiny with room for long chats.
func chatty() config.Config {
	c := tiny
	c.Context = 640
	return c
}

// A ring is a number of chats that all go on for some turns: in each, a prompt of so many new tokens and an answer.
type ring struct{ chats, turns, prompt, answer int }

// play samples all turns, and returns the answers chat by chat as data to train on.
func (g ring) play(t *testing.T, e *Engine, p engine.Policy) []engine.Datum {
	t.Helper()
	reqs := make([]engine.SampleRequest, g.chats)
	data := make([][]engine.Datum, g.chats)
	for turn := range g.turns {
		for i := range reqs {
			prompt := reqs[i].Prompt
			for k := range g.prompt {
				prompt = append(prompt, 1+(i*(k+1)+turn)%(tiny.Vocab-1))
			}
			prompt[0] = 1 + i%(tiny.Vocab-1)
			reqs[i] = engine.SampleRequest{Policy: p, Prompt: prompt, MaxTokens: g.answer, Seed: uint64(turn*g.chats + i), Sampling: engine.Sampling{Temperature: 1}}
		}
		for i, s := range mustSample(t, e, reqs) {
			d := engine.Datum{Policy: p, Tokens: slices.Concat(reqs[i].Prompt, s.Tokens), ScoreFrom: len(reqs[i].Prompt), Sampling: reqs[i].Sampling}
			data[i], reqs[i].Prompt = append(data[i], d), slices.Clone(d.Tokens)
		}
	}
	return slices.Concat(data...)
}

// What a turn computes is what is new in it, in sampling and in training, however long the chats have become: 16 chats of 16 turns cost per turn what
// 16 chats of two turns do.
func TestTurnsCostWhatIsNew(t *testing.T) {
	perTurn := map[int]engine.Computed{}
	for _, turns := range []int{2, 16} {
		g := ring{chats: 16, turns: turns, prompt: 9, answer: 6}
		e := openTiny(t, chatty(), engine.Options{BatchTokens: 8192})
		lively(t, e)
		data := g.play(t, e, "p")
		if err := e.ForwardBackward(t.Context(), data, coupling); err != nil {
			t.Fatal(err)
		}
		// The last token of an answer is computed when the chat goes on behind it, and in the end by nobody.
		all := g.chats * (turns*(g.prompt+g.answer) - 1)
		if want := (engine.Computed{Sampled: all, Trained: all}); e.Computed() != want {
			t.Errorf("%d turns compute %+v, and %+v are new", turns, e.Computed(), want)
		}
		c := e.Computed()
		perTurn[turns] = engine.Computed{Sampled: c.Sampled / turns, Trained: c.Trained / turns}
		runs := 0
		e.prefixCache.forest.walk(func(*policy, *segment) { runs++ })
		if most := g.chats * (1 + turns*(g.prompt+g.answer)/(joinedTokens/2)); runs > most {
			t.Errorf("after %d turns the keys of %d chats lie in %d runs, want at most %d", turns, g.chats, runs, most)
		}
		holdsItsPages(t, e)
	}
	few, many := perTurn[2], perTurn[16]
	if float64(many.Sampled) > 1.1*float64(few.Sampled) || float64(many.Trained) > 1.1*float64(few.Trained) {
		t.Errorf("a turn of 16 computes %+v, a turn of two %+v", many, few)
	}
}

// Chats that go on, part and are gone back to say what they say on an engine that remembers nothing, and are scored alike where each is scored by itself:
// for every kernel set and format, with much memory and with little, in prompts that fill several pages.
func TestChatsAreWhatTheyAreAlone(t *testing.T) {
	for _, set := range kernel.Available() {
		for _, f := range []engine.Format{engine.F32, engine.BF16} {
			t.Run(fmt.Sprint(set, " ", f), func(t *testing.T) { chatsAlone(t, engine.Options{Kernels: set, Format: f, BatchTokens: 50}) })
		}
	}
}

func chatsAlone(t *testing.T, o engine.Options) {
	e, alone := openTiny(t, chatty(), o), openTiny(t, chatty(), o)
	policies := lively(t, e)
	lively(t, alone)
	rapid.Check(t, func(rt *rapid.T) {
		e.cacheFloats = shapeOf(chatty()).pageFloats(rapid.SampledFrom([]int{500, 1 << 20}).Draw(rt, "tokens"))
		chats := [][]int{{1}, {1, 2}}
		var data []engine.Datum
		for range rapid.IntRange(1, 4).Draw(rt, "turns") {
			var reqs []engine.SampleRequest
			for range rapid.IntRange(1, 3).Draw(rt, "asks") {
				from := rapid.SampledFrom(chats).Draw(rt, "from")
				from = from[:len(from)-rapid.IntRange(0, min(3, len(from)-1)).Draw(rt, "back")]
				more := make([]int, rapid.SampledFrom([]int{1, 5, 15, 60}).Draw(rt, "more"))
				for i := range more {
					more[i] = 3 + (i+len(from))%5
				}
				reqs = append(reqs, engine.SampleRequest{
					Policy: rapid.SampledFrom(policies).Draw(rt, "policy"), Prompt: slices.Concat(from, more), MaxTokens: rapid.IntRange(1, 8).Draw(rt, "answer"),
					Seed: uint64(rapid.IntRange(0, 1).Draw(rt, "seed")), Sampling: engine.Sampling{Temperature: 1}, Stop: []int{0},
				})
			}
			got := mustSample(t, e, reqs)
			for i, r := range reqs {
				alone.prefixCache.clear()
				sameSamples(t, "alone", mustSample(t, alone, reqs[i:i+1]), got[i:i+1])
				chats = append(chats, slices.Concat(r.Prompt, got[i].Tokens))
			}
			holdsItsPages(rt, e)
			data = append(data, keptData(reqs, got)...)
		}
		together, err := e.Forward(t.Context(), data)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range data {
			out, err := alone.Forward(t.Context(), data[i:i+1])
			if err != nil || !slices.Equal(bits(out[0].Logprobs), bits(together[i].Logprobs)) || !slices.Equal(bits(out[0].Values), bits(together[i].Values)) {
				rt.Fatalf("datum %d scores %v together, %v alone, %v", i, together[i], out, err)
			}
		}
	})
}

// A forest in which no segment ends where only a sequence does packs the rows of one that cuts there, in the same order, and finds every token.
func TestFollowKeepsRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := &net{}
		p := &policy{net: n}
		var cut, long forest
		var all [][]int
		var ends []*segment
		for range rapid.IntRange(1, 12).Draw(t, "sequences") {
			s := rapid.SliceOfN(rapid.IntRange(0, 1), 1, 8).Draw(t, "tokens")
			if len(all) > 0 && rapid.Bool().Draw(t, "goes on") {
				s = slices.Concat(rapid.SampledFrom(all).Draw(t, "from"), s)
			}
			cut.insert(p, s, 0)
			all, ends = append(all, s), append(ends, long.follow(p, s, 0))
		}
		want, got := cut.packed(n), long.packed(n)
		if !slices.Equal(got.tokens, want.tokens) || !slices.Equal(got.at, want.at) || long.tokens != cut.tokens || len(got.chunks) > len(want.chunks) {
			t.Fatalf("%v at %v in %d chunks, want %v at %v in at most %d", got.tokens, got.at, len(got.chunks), want.tokens, want.at, len(want.chunks))
		}
		for i, s := range all {
			for at, id := range s {
				if r := ends[i].at(at); got.tokens[r] != id || got.at[r] != at {
					t.Fatalf("position %d of %v is row %d with token %d at position %d", at, s, r, got.tokens[r], got.at[r])
				}
			}
		}
	})
}
