package native

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/internal/turn"
	"parley/model/config"
	"parley/model/modeltest"
)

// keptData are the completions of requests as data to train on.
func keptData(reqs []engine.SampleRequest, samples []engine.Sample) []engine.Datum {
	var data []engine.Datum
	for i, s := range samples {
		if len(s.Tokens) > 0 {
			data = append(data, engine.Datum{Policy: reqs[i].Policy, Tokens: slices.Concat(reqs[i].Prompt, s.Tokens), ScoreFrom: len(reqs[i].Prompt), Sampling: reqs[i].Sampling, Mask: reqs[i].Mask()})
		}
	}
	return data
}

// gradientBits are copies of those of a policy.
func gradientBits(e *Engine, p engine.Policy) [][]uint32 {
	var all [][]uint32
	for _, t := range e.policies[p].params {
		all = append(all, bits(t.g), bits(t.lookupGrad))
	}
	return all
}

// Training on what was just sampled goes no way forward through the layers, and its gradients are the same bits: for every family, kernel set
// and format, dialogues of several turns, policies beside each other, and in whatever order the data come.
func TestKeptActivationsChangeNoBit(t *testing.T) {
	shapes, n := modeltest.Shapes(), -1
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		for _, format := range []engine.Format{engine.F32, engine.BF16} {
			if n++; turn.Share(n) {
				t.Run(fmt.Sprint(name, "/", format), func(t *testing.T) { keptChangesNoBit(t, shapes[name], engine.Options{Format: format, Threads: 2}) })
			}
		}
	}
	for _, set := range kernel.Available() {
		for _, format := range []engine.Format{engine.F32, engine.BF16, engine.Int8, engine.NF4} {
			if n++; !turn.Share(n) {
				continue
			}
			t.Run(fmt.Sprint(set, "/", format), func(t *testing.T) {
				keptChangesNoBit(t, tiny, engine.Options{Kernels: set, Format: format, BatchTokens: 9})
			})
		}
	}
}

func keptChangesNoBit(t *testing.T, c config.Config, o engine.Options) {
	with, without := openTiny(t, c, o), openTiny(t, c, o)
	lively(t, with)
	lively(t, without)
	policies := []engine.Policy{"p", "q"}
	if o.Format == engine.F32 {
		policies = append(policies, "full")
		for _, e := range []*Engine{with, without} {
			e.policies["full"].value = nil
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		with.activations.stale = true
		reqs := drawRequests(rt, policies, c.Vocab)
		reqs = slices.DeleteFunc(reqs, func(r engine.SampleRequest) bool { return len(r.Prompt)+r.MaxTokens > 12 && c.Rope.Original > 0 })
		if rapid.Bool().Draw(rt, "an evaluation before") {
			mustSample(t, with, reqs)
		}
		samples := sampleKept(t, with, reqs)
		data := keptData(reqs, samples)
		for i, s := range samples { // the next turn
			if rapid.Bool().Draw(rt, "another turn") {
				reqs[i].Prompt, reqs[i].Seed = slices.Concat(reqs[i].Prompt, s.Tokens, []int{1, 2}), reqs[i].Seed+100
			}
		}
		reqs = slices.DeleteFunc(reqs, func(r engine.SampleRequest) bool { return len(r.Prompt)+r.MaxTokens > 12 && c.Rope.Original > 0 })
		data = append(data, keptData(reqs, sampleKept(t, with, reqs))...)
		data = rapid.Permutation(data).Draw(rt, "order")
		if len(data) == 0 {
			return
		}
		allKept(rt, with, data)
		for range 2 { // what is kept stays as it is until the next step
			for _, e := range []*Engine{with, without} {
				if err := e.ForwardBackward(t.Context(), data, coupling); err != nil {
					rt.Fatal(err)
				}
			}
		}
		for _, p := range policies {
			if !slices.EqualFunc(gradientBits(with, p), gradientBits(without, p), slices.Equal) {
				rt.Fatalf("gradients of %s differ", p)
			}
			with.policies[p].clearGradients()
			without.policies[p].clearGradients()
		}
	})
}

func sampleKept(t *testing.T, e *Engine, reqs []engine.SampleRequest) []engine.Sample {
	t.Helper()
	for i := range reqs {
		reqs[i].ReuseInBackward = true
	}
	return mustSample(t, e, reqs)
}

// allKept checks that every pass of the data has a source.
func allKept(t rapid.TB, e *Engine, data []engine.Datum) {
	t.Helper()
	batches, err := e.batches(data, e.options.BatchTokens, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		for _, n := range b.forest.nets() {
			if e.cachedRows(b.forest.pack(&pass{}, n)) == nil {
				t.Fatal("what was sampled is not kept")
			}
		}
	}
}

// Long passes go through layers in row tiles, in each of which the low-rank activations of a run begin anew: adapters of different ranks lie
// beside each other in one, and a policy's rows go on in the next.
func TestKeptInBands(t *testing.T) {
	with, without := openTiny(t, tiny, engine.Options{Threads: 2}), openTiny(t, tiny, engine.Options{Threads: 2, ReuseMemory: -1})
	lively(t, with)
	lively(t, without)
	var reqs []engine.SampleRequest
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 99 {
		r := engine.SampleRequest{Policy: "p", MaxTokens: 3, MinTokens: 3, Seed: uint64(i), Sampling: engine.Sampling{Temperature: 1}}
		if i%3 == 2 {
			r.Policy = "q"
		}
		for range 12 {
			r.Prompt = append(r.Prompt, random.IntN(tiny.Vocab))
		}
		reqs = append(reqs, r)
	}
	data := keptData(reqs, sampleKept(t, with, reqs))
	allKept(t, with, data)
	if most := slices.MaxFunc(with.activations.passes, func(a, b *cachedPass) int { return a.rows - b.rows }).rows; rowTilesOf(most) < 2 {
		t.Fatalf("passes of sampling have %d rows at most, which are one row tile", most)
	}
	for _, e := range []*Engine{with, without} {
		if err := e.ForwardBackward(t.Context(), data, coupling); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []engine.Policy{"p", "q"} {
		if !slices.EqualFunc(gradientBits(with, p), gradientBits(without, p), slices.Equal) {
			t.Errorf("gradients of %s differ", p)
		}
	}
}

// A text that outgrows its rotary frequencies is computed anew with every token: that is not kept.
func TestOutgrownTextIsNotKept(t *testing.T) {
	e := openTiny(t, modeltest.Shapes()["dynamic"], engine.Options{})
	lively(t, e)
	original := e.shape.Rope.Original
	for _, new := range []int{4, 5, 6} {
		reqs := []engine.SampleRequest{{Policy: "p", Prompt: []int{1, 2, new, 3, 4, 5, 6, 7, 8}, MaxTokens: new, MinTokens: new, Sampling: engine.Sampling{Temperature: 1}}}
		e.activations.reset()
		sampleKept(t, e, reqs)
		if fits, kept := len(reqs[0].Prompt)+new-1 <= original, len(e.activations.passes) > 0; kept != fits {
			t.Errorf("%d new tokens after %d of %d: kept is %v", new, len(reqs[0].Prompt), original, kept)
		}
	}
}

// What is kept is used until its policy's step and no longer, whatever the pages are used for afterwards, and not at all where nobody asked, where
// there is no room for it, or where a value head wants what sampling does not compute.
func TestKeptUntilStep(t *testing.T) {
	with, without := openTiny(t, tiny, engine.Options{}), openTiny(t, tiny, engine.Options{ReuseMemory: -1})
	lively(t, with)
	lively(t, without)
	one, _ := with.shape.sizing(with.policies["p"].ranks.max(with.policies["q"].ranks)).cachedBytes(1)
	logits := map[bool]bool{}
	for update := range 12 {
		var reqs []engine.SampleRequest
		for i := range 6 {
			reqs = append(reqs, engine.SampleRequest{
				Policy: []engine.Policy{"p", "q"}[i/3], Prompt: []int{1, 2 + i/3, update % 3}, MaxTokens: 5,
				Seed: uint64(update*10 + i), Sampling: engine.Sampling{Temperature: 1}, ReuseInBackward: update%3 > 0,
			})
		}
		with.options.ReuseMemory = int64(one) * int64(100*(update%4)+1)
		wantKept := update%3 > 0 && update%4 > 0
		samples, again := mustSample(t, with, reqs), mustSample(t, without, reqs)
		logits[wantKept && with.activations.logits] = true
		for i := range samples {
			if !slices.Equal(samples[i].Tokens, again[i].Tokens) {
				t.Fatalf("update %d: sample %d is %v, and %v where nothing is kept", update, i, samples[i].Tokens, again[i].Tokens)
			}
		}
		for i, p := range []engine.Policy{"p", "q"} {
			data := keptData(reqs[3*i:3*i+3], samples[3*i:3*i+3])
			if kept := sourced(t, with, data); kept != wantKept || sourced(t, without, data) {
				t.Fatalf("update %d, policy %s: kept is %v, expected %v", update, p, kept, wantKept)
			}
			if drawn := drawnBy(t, with, data); drawn != (wantKept && with.activations.logits) {
				t.Fatalf("update %d, policy %s: logits are kept is %v, expected %v", update, p, drawn, !drawn)
			}
			for _, e := range []*Engine{with, without} {
				if err := e.ForwardBackward(t.Context(), data, coupling); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.EqualFunc(gradientBits(with, p), gradientBits(without, p), slices.Equal) {
				t.Fatalf("update %d: gradients of %s differ", update, p)
			}
			for _, e := range []*Engine{with, without} {
				if _, err := e.Step(t.Context(), p, engine.Adam{LR: 0.01, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8}); err != nil {
					t.Fatal(err)
				}
			}
			if sourced(t, with, data) {
				t.Fatalf("update %d: what was kept of %s outlives its step", update, p)
			}
		}
	}
	if len(logits) != 2 {
		t.Error("logits were kept always or never")
	}
	valued := []engine.SampleRequest{{Policy: "r", Prompt: []int{1, 2}, MaxTokens: 3, ReuseInBackward: true}}
	if data := keptData(valued, mustSample(t, with, valued)); sourced(t, with, data) {
		t.Error("activations are kept for a value head, which has more rows")
	}
}

func mustSample(t *testing.T, e *Engine, reqs []engine.SampleRequest) []engine.Sample {
	t.Helper()
	samples, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// sourced says whether a pass of all data has a source.
func sourced(t *testing.T, e *Engine, data []engine.Datum) bool {
	t.Helper()
	batches, err := e.batches(data, 1<<20, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	return e.cachedRows(batches[0].forest.pack(&pass{}, e.base)) != nil
}

// drawnBy says whether the logits of all tokens of the data are kept.
func drawnBy(t *testing.T, e *Engine, data []engine.Datum) bool {
	t.Helper()
	batches, err := e.batches(data, 1<<20, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	b := batches[0]
	h := &head{computation: &computation{cached: e.cachedRows(b.forest.pack(&pass{}, e.base))}}
	for i, d := range data {
		for at := d.ScoreFrom; at < len(d.Tokens); at++ {
			if h.logitsAfter(b.row(i, at)) == nil {
				return false
			}
		}
	}
	return true
}
