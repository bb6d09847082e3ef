package native

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"parley/engine"
)

// trainStep is one update of two policies, with the sampling before it.
func trainStep(t testing.TB, e *Engine, data []engine.Datum) {
	t.Helper()
	var reqs []engine.SampleRequest
	for i, d := range data {
		reqs = append(reqs, engine.SampleRequest{
			Policy: d.Policy, Prompt: d.Tokens[:d.ScoreFrom], MaxTokens: 6, Seed: uint64(i),
			Sampling: engine.Sampling{Temperature: 1}, ReuseInBackward: true,
		})
	}
	if _, err := e.Sample(t.Context(), reqs); err != nil {
		t.Fatal(err)
	}
	if err := e.ForwardBackward(t.Context(), data, coupling); err != nil {
		t.Fatal(err)
	}
	for _, p := range []engine.Policy{"p", "q"} {
		if _, err := e.Step(t.Context(), p, engine.Adam{LR: 1e-4, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8}); err != nil {
			t.Fatal(err)
		}
	}
}

// held is the memory that the engine holds: what lives in the Go heap, the arena, and keys and values.
func held(e *Engine) int {
	runtime.GC()
	runtime.GC() // pools let go of their buffers in two steps
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	arena := 0
	for _, b := range slices.Concat(e.arena.blocks, e.activations.arena.blocks) {
		arena += len(b.floats)
	}
	return int(m.HeapAlloc) + floatBytes*(arena+e.shape.pageFloats(e.prefixCache.pages.tokens))
}

// Memory does not grow from update to update.
func TestNoGrowth(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{BatchTokens: 60})
	lively(t, e)
	var before int
	for i := range 1000 {
		if i == 50 {
			before = held(e)
		}
		data := kin([]engine.Policy{"p", "q"}, 8, tiny.Vocab)
		for j := range data {
			data[j].Tokens[1] = i % tiny.Vocab
		}
		trainStep(t, e, data)
	}
	if after := held(e); after > before+before/10+64<<10 {
		t.Errorf("after 50 updates the engine held %d kB, after 1000 it holds %d kB", before>>10, after>>10)
	}
}

// A training step in steady state allocates less than 1 MiB, with one adapter and with 16.
func TestStepAllocations(t *testing.T) {
	for _, n := range []int{1, 16} {
		t.Run(fmt.Sprintf("%d adapters", n), func(t *testing.T) { stepAllocations(t, n) })
	}
}

func stepAllocations(t *testing.T, adapters int) {
	e := openTiny(t, small, engine.Options{})
	data := sequences("", 32)
	var names []engine.Policy
	for i := range adapters {
		names = append(names, engine.Policy(fmt.Sprintf("p%d", i)))
		if err := e.NewPolicy(t.Context(), names[i], engine.PolicySpec{Rank: 8, Alpha: 16}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range data {
		data[i].Policy = names[i*adapters/len(data)]
	}
	step := func() {
		if err := e.ForwardBackward(t.Context(), data, ones); err != nil {
			t.Fatal(err)
		}
		for _, p := range names {
			if _, err := e.Step(t.Context(), p, engine.Adam{LR: 1e-3, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8}); err != nil {
				t.Fatal(err)
			}
		}
	}
	step()
	step()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const steps = 4
	for range steps {
		step()
	}
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / steps; bytes >= 1<<20 {
		t.Errorf("a step allocates %d kB", bytes>>10)
	} else {
		t.Logf("a step allocates %d kB in %d pieces", bytes>>10, (after.Mallocs-before.Mallocs)/steps)
	}
}
