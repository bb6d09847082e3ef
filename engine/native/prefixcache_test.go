package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/model/modeltest"
)

// turns lets every policy go on from what it said before, three times, and returns all samples.
func turns(t *testing.T, e *Engine, policies []engine.Policy, before func(turn int, reqs []engine.SampleRequest)) []engine.Sample {
	t.Helper()
	var all []engine.Sample
	reqs := make([]engine.SampleRequest, 3*len(policies))
	for i := range reqs {
		reqs[i] = engine.SampleRequest{
			Policy: policies[i/3], Prompt: []int{1, 2, 3 + i%2, 4}, Sampling: samplings[i%len(samplings)],
			MaxTokens: 5 + i%4, Stop: []int{0}, Seed: uint64(i),
		}
	}
	for turn := range 3 {
		before(turn, reqs)
		samples, err := e.Sample(t.Context(), reqs)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, samples...)
		for i := range reqs {
			reqs[i].Prompt = slices.Concat(reqs[i].Prompt, samples[i].Tokens, []int{7, turn + 1})
		}
	}
	return all
}

func sameSamples(t *testing.T, what string, got, want []engine.Sample) {
	t.Helper()
	for i := range want {
		if !slices.Equal(got[i].Tokens, want[i].Tokens) || !slices.Equal(bits(got[i].Logprobs), bits(want[i].Logprobs)) {
			t.Fatalf("%s: sample %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// The next turn computes only what is new, and nothing changes by a bit: neither by what is remembered nor by how little room
// there is.
func TestTextIsRemembered(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		t.Run(name, func(t *testing.T) {
			e := openTiny(t, c, engine.Options{ScoreAsSampled: true})
			policies := lively(t, e)
			got := turns(t, e, policies, func(turn int, reqs []engine.SampleRequest) {
				for _, r := range reqs {
					p := e.policies[r.Policy]
					if n := e.prefixCache.forest.missing(p, r.Prompt, c.Rope.Variant(len(r.Prompt))); turn > 0 && c.Rope.Type == "" && n > 3 {
						t.Errorf("turn %d of %q computes %d tokens anew", turn, r.Policy, n)
					}
				}
			})
			fresh := openTiny(t, c, engine.Options{ScoreAsSampled: true})
			lively(t, fresh)
			sameSamples(t, "without a memory", turns(t, fresh, policies, func(int, []engine.SampleRequest) { fresh.prefixCache.clear() }), got)
			for _, tokens := range []int{1, 100, 400} {
				little := openTiny(t, c, engine.Options{ScoreAsSampled: true})
				lively(t, little)
				little.cacheFloats = shapeOf(c).pageFloats(tokens)
				sameSamples(t, fmt.Sprintf("room for %d tokens", tokens), turns(t, little, policies, func(int, []engine.SampleRequest) {}), got)
				if most := max(tokens, pageTokens) + 3*pageTokens; little.prefixCache.pages.tokens > most {
					t.Errorf("pages for %d tokens, allowed %d", little.prefixCache.pages.tokens, tokens)
				}
			}
		})
	}
}

// A step and a load make a policy forget its text, and nothing else.
func TestTextIsForgotten(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	prompt := []int{1, 2, 3, 4, 5}
	missing := func(p engine.Policy) int { return e.prefixCache.forest.missing(e.policies[p], prompt, 0) }
	read := func(p engine.Policy) {
		if _, err := e.Sample(t.Context(), []engine.SampleRequest{{Policy: p, Prompt: prompt, MaxTokens: 2}}); err != nil {
			t.Fatal(err)
		}
	}
	read("p")
	read("q")
	if _, err := e.Step(t.Context(), "p", engine.Adam{LR: 1e-3, Beta1: 0.9, Beta2: 0.9, Eps: 1e-8}); err != nil {
		t.Fatal(err)
	}
	if missing("p") != len(prompt) || missing("q") != 0 {
		t.Errorf("after a step of p: %d tokens of p and %d of q are to be computed", missing("p"), missing("q"))
	}
	dir := t.TempDir() + "/q"
	if err := e.Save(t.Context(), "q", dir); err != nil {
		t.Fatal(err)
	}
	if err := e.Load(t.Context(), "q", dir); err != nil {
		t.Fatal(err)
	}
	if missing("q") != len(prompt) {
		t.Error("q remembers text after a load")
	}
	if used := e.prefixCache.pages.tokens - e.prefixCache.pages.freeTokens; used != 0 {
		t.Errorf("pages for %d tokens are in use", used)
	}
}

// Whatever requests come one after the other: pages are never lost, and what they say is what a fresh engine says.
func TestTextHoldsItsPages(t *testing.T) {
	for _, set := range kernel.Available() {
		for _, f := range []engine.Format{engine.F32, engine.BF16} {
			t.Run(fmt.Sprint(set, " ", f), func(t *testing.T) { textHoldsItsPages(t, engine.Options{Kernels: set, Format: f}) })
		}
	}
}

func textHoldsItsPages(t *testing.T, o engine.Options) {
	fresh := openTiny(t, tiny, o)
	o.BatchTokens = 9
	e := openTiny(t, tiny, o)
	policies := lively(t, e)
	e.cacheFloats = shapeOf(tiny).pageFloats(300)
	lively(t, fresh)
	rapid.Check(t, func(rt *rapid.T) {
		reqs := drawRequests(rt, policies, tiny.Vocab)
		got, err := e.Sample(t.Context(), reqs)
		if err != nil {
			rt.Fatal(err)
		}
		fresh.prefixCache.clear()
		want, err := fresh.Sample(t.Context(), reqs)
		if err != nil {
			rt.Fatal(err)
		}
		sameSamples(t, "with a memory", got, want)
		holdsItsPages(rt, e)
	})
}

// holdsItsPages checks that the text is computed, nobody claims it, and no page is lost.
func holdsItsPages(t interface{ Fatalf(string, ...any) }, e *Engine) {
	pages := map[*page]int{}
	e.prefixCache.forest.walk(func(_ *policy, g *segment) {
		pages[g.page]++
		if g.pins != 0 || g.computed != len(g.tokens) || g.offset+len(g.tokens) > g.page.capacity {
			t.Fatalf("a segment of %d tokens with %d pins, %d of them computed", len(g.tokens), g.pins, g.computed)
		}
	})
	used := 0
	for p, n := range pages {
		if used += p.capacity; p.references != n {
			t.Fatalf("a page with %d segments counts %d", n, p.references)
		}
	}
	if used != e.prefixCache.pages.tokens-e.prefixCache.pages.freeTokens {
		t.Fatalf("segments have pages for %d tokens; %d are in use", used, e.prefixCache.pages.tokens-e.prefixCache.pages.freeTokens)
	}
}

// Completions of several pages go on in the next turn from where they were computed, also those that begin alike.
func TestLongTextIsRemembered(t *testing.T) {
	long := tiny
	long.Context = 640
	e, fresh := openTiny(t, long, engine.Options{}), openTiny(t, long, engine.Options{})
	policies := lively(t, e)
	lively(t, fresh)
	var reqs []engine.SampleRequest
	for i, n := range []int{pageTokens, pageTokens + 1, 2*pageTokens + 1, 3*pageTokens - 5, 40, 3 * pageTokens} {
		reqs = append(reqs, engine.SampleRequest{Policy: policies[i%len(policies)], Prompt: []int{1, 2, 3}, MaxTokens: n, Seed: uint64(i / 4), Sampling: engine.Sampling{Temperature: 1}})
	}
	for turn := range 3 {
		got, err := e.Sample(t.Context(), reqs)
		if err != nil {
			t.Fatal(err)
		}
		fresh.prefixCache.clear()
		want, err := fresh.Sample(t.Context(), reqs)
		if err != nil {
			t.Fatal(err)
		}
		sameSamples(t, fmt.Sprintf("turn %d", turn), got, want)
		holdsItsPages(t, e)
		for i := range reqs {
			reqs[i].Prompt = slices.Concat(reqs[i].Prompt, got[i].Tokens)
			if n := e.prefixCache.forest.missing(e.policies[reqs[i].Policy], reqs[i].Prompt, 0); n > 1 {
				t.Errorf("after turn %d, %d tokens of request %d would be computed again", turn, n, i)
			}
		}
	}
}

// A call that ends with an error gives back the memory of all text, also of what its requests held.
func TestErrorGivesPagesBack(t *testing.T) {
	e := openTiny(t, deep, engine.Options{})
	var reqs []engine.SampleRequest
	for _, d := range dataOf(6, 300) {
		reqs = append(reqs, engine.SampleRequest{Prompt: d.Tokens, MaxTokens: 4, Sampling: engine.Sampling{Temperature: 1}})
	}
	pages, drawn, stop := map[*page]bool{}, 0, errors.New("stop")
	_, err := e.Stream(t.Context(), reqs, func(int, int) error {
		e.prefixCache.forest.walk(func(_ *policy, g *segment) { pages[g.page] = true })
		for i := range e.pass.chunks {
			pages[e.pass.chunks[i].page] = true
		}
		if drawn++; drawn > 2*len(reqs) {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || len(pages) < 2*len(reqs) {
		t.Fatalf("error %v, %d pages", err, len(pages))
	}
	for p := range pages {
		if p.data.F32 != nil || p.data.BF16 != nil {
			t.Fatalf("a page has its memory still; the text counts pages for %d tokens", e.prefixCache.pages.tokens)
		}
	}
}

// A call that was cancelled before it began leaves what others said, and what is kept for training.
func TestCancelledCallChangesNothing(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	reqs := []engine.SampleRequest{{Policy: "p", Prompt: []int{1, 2, 3, 4, 5}, MaxTokens: 6, ReuseInBackward: true, Sampling: engine.Sampling{Temperature: 1}}}
	data := keptData(reqs, mustSample(t, e, reqs))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, late := range [][]engine.SampleRequest{{{Policy: "q", Prompt: []int{7}, MaxTokens: 3}}, nil} {
		if _, err := e.Sample(ctx, late); !errors.Is(err, context.Canceled) {
			t.Fatalf("%d requests: error %v", len(late), err)
		}
	}
	if n := e.prefixCache.forest.missing(e.policies["p"], reqs[0].Prompt, 0); n > 0 {
		t.Errorf("%d of %d tokens are forgotten", n, len(reqs[0].Prompt))
	}
	if !sourced(t, e, data) {
		t.Error("what was kept for training is lost")
	}
}
