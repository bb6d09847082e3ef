package loss

import (
	"errors"
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/engine/enginetest"

	"pgregory.net/rapid"
)

// drawGroup draws the log-probabilities of one group and an advantage each.
func drawGroup(t *rapid.T) (logprobs [][]float64, advantages []float64) {
	for range rapid.IntRange(1, 4).Draw(t, "G") {
		logprobs = append(logprobs, rapid.SliceOfN(rapid.Float64Range(-6, -0.01), 1, 6).Draw(t, "logprobs"))
		advantages = append(advantages, rapid.Float64Range(-3, 3).Draw(t, "advantage"))
	}
	return logprobs, advantages
}

func drawReduction(t *rapid.T) Reduction {
	return rapid.SampledFrom([]Reduction{SeqSum, SeqMean, TokenMean, TokenSum}).Draw(t, "reduction")
}

// With completions of one length n, seq_mean and token_mean are seq_sum divided by n.
func TestReductionsOfEqualLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := rapid.IntRange(1, 5).Draw(t, "G"), rapid.IntRange(1, 9).Draw(t, "n")
		lengths := slices.Repeat([]int{n}, g)
		for j, s := range SeqSum.TokenScales(lengths) {
			for _, r := range []Reduction{SeqMean, TokenMean} {
				if got := r.TokenScales(lengths)[j]; math.Abs(got-s/float64(n)) > 1e-15 {
					t.Fatalf("%s scales %v, seq_sum %v", r, got, s)
				}
			}
		}
	})
}

// Correct by design 1 (§4): the end token belongs to the action, so that a completion of nothing else is learnt from; the
// published loss drops it. 2: padding never reaches a loss, while the published one scores it.
func TestEndTokenIsScoredAndPadsAreNot(t *testing.T) {
	sample := NodeSample{Weight: 1, Completions: []Completion{{Tokens: 1, Advantage: 1}, {Tokens: 1, Advantage: -1}}}
	for _, r := range []Reduction{SeqSum, SeqMean, TokenMean} {
		b, err := NewGroupBatch([]NodeSample{sample}, GroupObjective{Reduction: r})
		if err != nil {
			t.Fatal(err)
		}
		grad, err := b.Gradient(0, []engine.Output{{Logprobs: []float32{-0.75}}, {Logprobs: []float32{-0.25}}})
		if err != nil {
			t.Fatal(err)
		}
		if loss := b.Stats().Loss; loss != 0.25 || grad[0].Logprobs[0] != -0.5 || grad[1].Logprobs[0] != 0.5 {
			t.Errorf("%s: one-token completions give loss %v, gradient %v", r, loss, grad)
		}
	}
	compat, grad := enginetest.CompatGroupLoss([][]float64{{-0.7}, {-0.2}}, []float64{1, -1})
	if compat != 0 || grad[0][0] != 0 {
		t.Errorf("compat learns from one-token completions: %v, %v", compat, grad)
	}
	if _, grad := enginetest.CompatGroupLoss([][]float64{{-1, -1, -1}, {-1, -9, -9}}, []float64{1, -1}); grad[1][1] == 0 {
		t.Error("compat does not score pads")
	}
}

// minibatch draws node samples and the outputs for their completions.
func minibatch(t *rapid.T, weighted bool) (samples []NodeSample, outputs []engine.Output) {
	for range rapid.IntRange(1, 3).Draw(t, "samples") {
		logprobs, advantages := drawGroup(t)
		s := NodeSample{Weight: rapid.Float64Range(0.5, 2).Draw(t, "weight")}
		for j, lp := range logprobs {
			c := Completion{Tokens: len(lp), Advantage: advantages[j]}
			out := engine.Output{}
			for _, x := range lp {
				out.Logprobs = append(out.Logprobs, float32(x))
				if weighted {
					c.Behaviour = append(c.Behaviour, float32(x+rapid.Float64Range(-1, 1).Draw(t, "drift")))
				}
			}
			s.Completions = append(s.Completions, c)
			outputs = append(outputs, out)
		}
		samples = append(samples, s)
	}
	return samples, outputs
}

// The loss of a minibatch is the average of its group losses, and so are its gradients.
func TestGroupBatchIsTheMeanOfGroupLosses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weighted := rapid.Bool().Draw(t, "weighted")
		samples, outputs := minibatch(t, weighted)
		o := GroupObjective{Reduction: drawReduction(t)}
		if weighted {
			o.Cap = 1.5
		}
		batch, err := NewGroupBatch(samples, o)
		if err != nil {
			t.Fatal(err)
		}
		grads, err := batch.Gradient(0, outputs)
		if err != nil {
			t.Fatal(err)
		}
		want, next := 0.0, 0
		for _, s := range samples {
			var lps [][]float32
			var weights [][]float64
			var advantages []float64
			for j, c := range s.Completions {
				lps = append(lps, outputs[next+j].Logprobs)
				advantages = append(advantages, c.Advantage)
				if weighted {
					weights = append(weights, enginetest.BehaviourWeights(lps[j], c.Behaviour, o.Cap))
				}
			}
			loss, grad := enginetest.GroupLoss(lps, weights, advantages, string(o.Reduction))
			share := s.Weight / float64(len(samples))
			want += loss * share
			for j := range grad {
				for k := range grad[j] {
					if got := grads[next+j].Logprobs[k]; math.Abs(float64(got)-grad[j][k]*share) > 1e-6 {
						t.Fatalf("gradient %v, want %v", got, grad[j][k]*share)
					}
				}
			}
			next += len(s.Completions)
		}
		if got := batch.Stats().Loss; math.Abs(got-want) > 1e-9 {
			t.Fatalf("loss %v, want %v", got, want)
		}
	})
}

// However the engine splits a minibatch, and in whatever order it hands the pieces over, every bit is the same.
func TestGroupBatchIgnoresSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples, outputs := minibatch(t, true)
		o := GroupObjective{Reduction: drawReduction(t), Cap: 2}
		whole, err1 := NewGroupBatch(samples, o)
		split, err2 := NewGroupBatch(samples, o)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		want, err := whole.Gradient(0, outputs)
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(outputs)).Draw(t, "cut")
		tail, err1 := split.Gradient(cut, outputs[cut:])
		head, err2 := split.Gradient(0, outputs[:cut])
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for i, g := range slices.Concat(head, tail) {
			if !slices.Equal(g.Logprobs, want[i].Logprobs) {
				t.Fatalf("completion %d: %v, whole %v", i, g.Logprobs, want[i].Logprobs)
			}
		}
		if whole.Stats() != split.Stats() {
			t.Fatalf("statistics %+v, whole %+v", split.Stats(), whole.Stats())
		}
	})
}

func TestGroupBatchRatios(t *testing.T) {
	samples := []NodeSample{{Weight: 1, Completions: []Completion{
		{Tokens: 2, Advantage: 1, Behaviour: []float32{-1, -2}},
		{Tokens: 1, Advantage: -1, Behaviour: []float32{-1}},
	}}}
	batch, err := NewGroupBatch(samples, GroupObjective{Reduction: SeqSum})
	if err != nil {
		t.Fatal(err)
	}
	grads, err := batch.Gradient(0, []engine.Output{{Logprobs: []float32{-1, -1}}, {Logprobs: []float32{-1}}})
	if err != nil {
		t.Fatal(err)
	}
	s := batch.Stats()
	if want := (2 + math.E) / 3; math.Abs(s.RatioMean-want) > 1e-12 || math.Abs(s.RatioMax-math.E) > 1e-12 {
		t.Errorf("ratios %+v, want mean %v and maximum e", s, want)
	}
	if grads[0].Logprobs[1] != -0.5 {
		t.Errorf("without a cap the ratio %v changed the gradient to %v", math.E, grads[0].Logprobs[1])
	}
}

func TestGroupBatchErrors(t *testing.T) {
	one := func(c Completion) []NodeSample { return []NodeSample{{Weight: 1, Completions: []Completion{c}}} }
	for name, c := range map[string]struct {
		samples []NodeSample
		o       GroupObjective
	}{
		"reduction":      {one(Completion{Tokens: 1}), GroupObjective{Reduction: "mean"}},
		"behaviour":      {one(Completion{Tokens: 2, Behaviour: []float32{-1}}), GroupObjective{Reduction: SeqSum}},
		"cap":            {one(Completion{Tokens: 1}), GroupObjective{Reduction: SeqSum, Cap: 2}},
		"advantage":      {one(Completion{Tokens: 1, Advantage: math.NaN()}), GroupObjective{Reduction: SeqSum}},
		"advantage +Inf": {one(Completion{Tokens: 1, Advantage: math.Inf(1)}), GroupObjective{Reduction: SeqSum}},
	} {
		if _, err := NewGroupBatch(c.samples, c.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	batch, err := NewGroupBatch(one(Completion{Tokens: 1, Advantage: 1}), GroupObjective{Reduction: SeqSum})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := batch.Gradient(0, []engine.Output{{Logprobs: []float32{-1, -1}}}); err == nil {
		t.Error("two log-probabilities for one token are accepted")
	}
	if _, err := batch.Gradient(1, []engine.Output{{}}); err == nil {
		t.Error("an output beyond the minibatch is accepted")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		_, err := batch.Gradient(0, []engine.Output{{Logprobs: []float32{float32(bad)}}})
		if !errors.Is(err, engine.ErrNotFinite) {
			t.Errorf("log-probability %v: error %v, want one that wraps ErrNotFinite", bad, err)
		}
	}
}
