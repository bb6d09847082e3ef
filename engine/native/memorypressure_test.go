package native

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/engine"
)

// scarce opens the deep model on a system whose memory a test decides on, with an adapter.
func scarce(t *testing.T, left *float64, o engine.Options) *Engine {
	t.Helper()
	if left != nil {
		o.Available = func() float64 { return *left }
	}
	e := openTiny(t, deep, o)
	if err := e.NewPolicy(t.Context(), "p", scarceSpec); err != nil {
		t.Fatal(err)
	}
	return e
}

var (
	scarceSpec = engine.PolicySpec{Rank: 8, Alpha: 16, Seed: 1}
	scarceSize = shapeOf(deep).sizing(shapeOf(deep).ranksOf([]engine.PolicySpec{scarceSpec}))
)

// dataOf are n sequences that share nothing.
func dataOf(n, length int) []engine.Datum {
	data := make([]engine.Datum, n)
	for i := range data {
		data[i] = engine.Datum{Policy: "p", Tokens: make([]int, length), ScoreFrom: length / 2}
		for j := range data[i].Tokens {
			data[i].Tokens[j] = (i + 7*j*j) % deep.Vocab
		}
	}
	return data
}

// told fails unless the engine notes what is wanted, once; empty: nothing.
func told(t *testing.T, e *Engine, want string) {
	t.Helper()
	notes := e.Notes()
	if want == "" && len(notes) == 0 {
		return
	}
	if want == "" || len(notes) != 1 || !strings.Contains(notes[0], want) {
		t.Errorf("notes are %q, want one of %q", notes, want)
	}
	if again := e.Notes(); again != nil {
		t.Errorf("notes are told again: %q", again)
	}
}

// Where less memory is left than training would take, activations are computed again; where that does not suffice, passes are smaller. Data
// without common prefixes have the same gradients to the bit, and what passes take keeps to what is left.
func TestShortageInTraining(t *testing.T) {
	const n, length = 8, 100
	data := dataOf(n, length)
	want := gradients(t, scarce(t, nil, engine.Options{}), data, n)
	full, least, one := floatBytes*scarceSize.passFloats(n*length), floatBytes*scarceSize.minFloats(n*length), floatBytes*scarceSize.minFloats(length)
	for name, c := range map[string]struct {
		left   float64 // for the engine
		note   string
		passes int
	}{
		"enough":       {full * 1.01, "", 1},
		"less":         {(full + least) / 2, "computes activations again", 1},
		"little":       {least / 2, "smaller passes", 2},
		"next to none": {one * 1.01, "smaller passes", n},
		"not known":    {math.Inf(1), "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			available := (c.left + restBytes) / usableShare
			e := scarce(t, &available, engine.Options{})
			sameBits(t, name, gradients(t, e, data, n), want)
			told(t, e, c.note)
			if took := floatBytes * float64(e.arena.peak); took > 1.1*c.left {
				t.Errorf("passes took %.1f MB of %.1f MB", took/1e6, c.left/1e6)
			}
			passes := 0
			err := e.ForwardBackward(t.Context(), data, func(first int, o []engine.Output) ([]engine.Gradient, error) {
				passes++
				return coupling(first, o)
			})
			if err != nil || passes < c.passes || c.passes == 1 && passes > 1 {
				t.Errorf("%d passes, %v; want %d", passes, err, c.passes)
			}
			told(t, e, "") // once is enough
		})
	}
	left := (one/2 + restBytes) / usableShare
	e := scarce(t, &left, engine.Options{})
	if err := e.ForwardBackward(t.Context(), data, coupling); err == nil || !strings.Contains(err.Error(), "one of its sequences needs") {
		t.Errorf("a sequence that does not fit gives the error %v", err)
	}
	left = math.Inf(1)
	sameBits(t, "memory is there again", gradients(t, e, data, n), want)
}

// Memory that passes have is theirs: a system that has none left changes nothing for what they did before.
func TestShortageAfterwards(t *testing.T) {
	left := math.Inf(1)
	e := scarce(t, &left, engine.Options{})
	data := dataOf(4, 80)
	want := gradients(t, e, data, 4)
	left = 0
	sameBits(t, "the same again", gradients(t, e, data, 4), want)
	told(t, e, "")
	if _, err := e.Forward(t.Context(), data); err != nil {
		t.Error(err)
	}
	told(t, e, "")
}

// What sampling kept for a step that was taken is given back where training wants memory.
func TestKeptGivesWay(t *testing.T) {
	var e *Engine
	e = openTiny(t, deep, engine.Options{Available: func() float64 {
		if e != nil && len(e.activations.arena.blocks) > 0 && e.activations.stale {
			return restBytes
		}
		return 1 << 40
	}})
	lively(t, e)
	reqs := []engine.SampleRequest{{Policy: "p", Prompt: []int{1, 2, 3}, MaxTokens: 4, ReuseInBackward: true}, {Policy: "q", Prompt: []int{1, 2, 3}, MaxTokens: 4, ReuseInBackward: true}}
	data := keptData(reqs, mustSample(t, e, reqs))
	allKept(t, e, data)
	for i, p := range []engine.Policy{"p", "q"} {
		e.memory.passBytes = 0 // the system is asked again
		if err := e.ForwardBackward(t.Context(), data[i:i+1], coupling); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Step(t.Context(), p, engine.Adam{LR: 0.01, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8}); err != nil {
			t.Fatal(err)
		}
	}
	told(t, e, "")
	if n := len(e.activations.arena.blocks); n > 0 {
		t.Errorf("%d blocks of memory are held for nothing", n)
	}
	allKept(t, e, keptData(reqs, mustSample(t, e, reqs)))
}

// Text that is remembered gives way to training, at first what nobody needs any more.
func TestTextGivesWay(t *testing.T) {
	left := math.Inf(1)
	e := scarce(t, &left, engine.Options{})
	for i := range 30 {
		mustSample(t, e, []engine.SampleRequest{{Policy: "p", Prompt: dataOf(i+1, 300)[i].Tokens, MaxTokens: 1}})
	}
	data := dataOf(8, 100)
	least := floatBytes * scarceSize.minFloats(8*100)
	held := e.keyValueBytes(e.prefixCache.pages.tokens)
	if held < 2*least {
		t.Fatalf("%.1f MB of text are no match for a pass of %.1f MB", held/1e6, least/1e6)
	}
	e.memory.available = func() float64 { return (held - e.keyValueBytes(e.prefixCache.pages.tokens) + restBytes) / usableShare } // what text gives back, alone
	before, more := e.prefixCache.pages.tokens, least-floatBytes*float64(e.arena.peak)
	want := gradients(t, scarce(t, nil, engine.Options{}), data, 8)
	sameBits(t, "with text given up", gradients(t, e, data, 8), want)
	told(t, e, "computes activations again")
	if now := e.prefixCache.pages.tokens; now == 0 || now > before-int(more/e.keyValueBytes(1)) {
		t.Errorf("pages for %d tokens are left of %d", now, before)
	}
}

// Samples are the same where memory suffices for some at a time alone, even for one; nothing is kept for training then.
func TestShortageInSampling(t *testing.T) {
	const batch, prompt, tokens = 8, 40, 150
	var reqs []engine.SampleRequest
	for i := range batch {
		r := engine.SampleRequest{Policy: "p", Prompt: dataOf(i+1, prompt)[i].Tokens, MaxTokens: tokens, Seed: uint64(i), Sampling: engine.Sampling{Temperature: 1}, ReuseInBackward: true}
		reqs = append(reqs, r)
	}
	plenty := scarce(t, nil, engine.Options{})
	want := mustSample(t, plenty, reqs)
	if len(plenty.activations.passes) == 0 {
		t.Fatal("nothing is kept where memory is no matter")
	}
	whole := plenty.keyValueBytes(batch * (prompt + tokens + pageTokens))
	for _, left := range []float64{0, whole / 3} {
		available := (left + restBytes) / usableShare
		e := scarce(t, &available, engine.Options{})
		got := mustSample(t, e, reqs)
		if !slices.EqualFunc(got, want, func(a, b engine.Sample) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
			t.Errorf("with %.1f MB left samples differ", left/1e6)
		}
		if took := e.keyValueBytes(e.prefixCache.pages.tokens); took > max(left, plenty.keyValueBytes(prompt+tokens+2*pageTokens)) {
			t.Errorf("with %.1f MB left text took %.1f MB", left/1e6, took/1e6)
		}
		if len(e.activations.passes) > 0 {
			t.Errorf("with %.1f MB left activations are kept", left/1e6)
		}
		told(t, e, "fewer samples")
	}
}

// Policies that are trained in one call go through by themselves where memory is too short for both: nothing is computed again, and there is
// nothing to tell.
func TestPoliciesApartInShortage(t *testing.T) {
	const n, length = 8, 100
	data := dataOf(n, length)
	for i := n / 2; i < n; i++ {
		data[i].Policy = "q"
	}
	both := func(left *float64) *Engine {
		e := scarce(t, left, engine.Options{})
		if err := e.NewPolicy(t.Context(), "q", scarceSpec); err != nil {
			t.Fatal(err)
		}
		return e
	}
	want := gradients(t, both(nil), data, n)
	available := (1.01*floatBytes*scarceSize.passFloats(n/2*length) + restBytes) / usableShare
	e := both(&available)
	sameBits(t, "one by one", gradients(t, e, data, n), want)
	told(t, e, "")
	if most := floatBytes * scarceSize.passFloats(n/2*length); floatBytes*float64(e.arena.peak) > 1.1*most {
		t.Errorf("a pass took %.1f MB, one of a policy takes %.1f", floatBytes*float64(e.arena.peak)/1e6, most/1e6)
	}
}

// Policies that the budget of activations keeps apart stay apart where memory is short for what their logits take besides: then activations
// are computed again instead, in as much less as the logits take.
func TestLogitsInShortage(t *testing.T) {
	const n, length, short = 3, 100, 4
	data := dataOf(n+1, length)
	data[n] = engine.Datum{Policy: "q", Tokens: data[n].Tokens[:short], ScoreFrom: 1}
	for i := range data {
		data[i].Sampling = engine.Sampling{Temperature: 1, TopK: 3}
	}
	pass := func(tokens int) float64 { return floatBytes * scarceSize.passFloats(tokens) }
	apart, joint, logits := pass(n*(length-1)), pass(n*(length-1)+short-1), floatBytes*shapeOf(deep).savedLogits(n*(length-1))
	budget := (apart + joint) / 2
	room := (joint + budget + logits) / 2
	if room <= joint || room >= budget+logits {
		t.Fatalf("%g bytes are not between %g and %g", room, joint, budget+logits)
	}
	available := (room + restBytes) / usableShare
	e := scarce(t, &available, engine.Options{ActivationMemory: int64(budget), BatchTokens: n * length})
	if err := e.NewPolicy(t.Context(), "q", scarceSpec); err != nil {
		t.Fatal(err)
	}
	batches, err := e.fitBatches(data, true)
	if err != nil {
		t.Fatal(err)
	}
	if len(batches) != 2 || len(batches[0].data) != n {
		t.Errorf("%d batches, of which the first has %d data", len(batches), len(batches[0].data))
	}
	if want, _ := e.passBytes(batches, true); want > e.memory.remaining() {
		t.Errorf("passes are to take %g bytes of %g", want, e.memory.remaining())
	}
}
