package tabular_test

import (
	"context"
	"math"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/tabular"
)

func settings(joint credit.JointMode, mode credit.AdvantageMode) tabular.Settings {
	return tabular.Settings{Joint: joint, Mode: mode, Group: 4, Updates: 600, LR: 0.05, Seed: 1}
}

// TestEstimator: both joint modes estimate (G−1)/G of the gradient with the group's mean as baseline and all of it with the mean of
// the others, and cross has no greater variance than aligned (MAGRPO §2.3).
func TestEstimator(t *testing.T) {
	const groups = 20000
	for _, g := range []tabular.Game{tabular.Climbing(), tabular.Pairs()} {
		variance := map[credit.JointMode]float64{}
		for _, joint := range []credit.JointMode{credit.Aligned, credit.Cross} {
			for mode, want := range map[credit.AdvantageMode]float64{credit.ModeMean: 0.75, credit.ModeRLOO: 1} {
				e, err := g.Estimate(context.Background(), settings(joint, mode), groups)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(e.Scale-want) > 5*e.Error || e.Error > 0.1 {
					t.Errorf("%s, %s, %s: %.4f ± %.4f of the gradient, want %g", g.Name, joint, mode, e.Scale, e.Error, want)
				}
				if mode == credit.ModeMean {
					variance[joint] = e.Variance
				}
			}
		}
		if variance[credit.Cross] > variance[credit.Aligned] {
			t.Errorf("%s: variance %g of cross, %g of aligned", g.Name, variance[credit.Cross], variance[credit.Aligned])
		}
	}
}

// TestEquilibrium: with a joint reward, pairs end in joint equilibria; in the dilemma that is the best one, which players who look at
// their own pay leave.
func TestEquilibrium(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		for _, joint := range []credit.JointMode{credit.Aligned, credit.Cross} {
			for _, g := range []tabular.Game{tabular.Climbing(), tabular.Pairs(), tabular.Dilemma()} {
				s := settings(joint, credit.ModeMean)
				s.Seed = seed
				if g.Name == "climbing" { // its slope from one ridge to the next is shallow
					s.Group, s.Updates = 8, 15000
				}
				r, err := tabular.Learn(context.Background(), g, s)
				if err != nil {
					t.Fatal(err)
				}
				if !r.Equilibrium || r.Probability < 0.9 {
					t.Errorf("%s, %s, seed %d: ends at %v with probability %.3f, equilibrium %v", g.Name, joint, seed, r.Action, r.Probability, r.Equilibrium)
				}
				if g.Name != "climbing" && !r.Best {
					t.Errorf("%s, %s, seed %d: ends at %v, which is not the best", g.Name, joint, seed, r.Action)
				}
			}
			s := settings(joint, credit.ModeMean)
			s.Seed, s.Individual = seed, true
			r, err := tabular.Learn(context.Background(), tabular.Dilemma(), s)
			if err != nil || r.Best || !r.Equilibrium {
				t.Errorf("dilemma with own rewards, %s, seed %d: %+v, %v", joint, seed, r, err)
			}
		}
	}
}

// TestTabular: what the engine says of an action is what it was drawn with, its gradient is that of its log-probabilities, and a saved
// policy goes on as it was.
func TestTabular(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	e := tabular.NewTabular(3)
	if err := e.NewPolicy(ctx, "p", engine.PolicySpec{}); err != nil {
		t.Fatal(err)
	}
	step := func() {
		one := func(int, []engine.Output) ([]engine.Gradient, error) {
			return []engine.Gradient{{Logprobs: []float32{-1}}}, nil
		}
		if err := e.ForwardBackward(ctx, []engine.Datum{{Policy: "p", Tokens: []int{0, 2}, ScoreFrom: 1}}, one); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Step(ctx, "p", engine.Adam{LR: 0.1, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}); err != nil {
			t.Fatal(err)
		}
	}
	step()
	if err := e.Save(ctx, "p", dir); err != nil {
		t.Fatal(err)
	}
	step()
	want, _ := e.Probabilities("p")
	if err := e.Load(ctx, "p", dir); err != nil {
		t.Fatal(err)
	}
	step()
	got, _ := e.Probabilities("p")
	if got[2] != want[2] || got[2] <= 1.0/3 {
		t.Errorf("probability %g after loading, %g before", got[2], want[2])
	}
	samples, err := e.Sample(ctx, []engine.SampleRequest{{Policy: "p", Prompt: []int{0}, Seed: 3, Sampling: engine.Sampling{Temperature: 0.5}}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Forward(ctx, []engine.Datum{{Policy: "p", Tokens: append([]int{0}, samples[0].Tokens...), ScoreFrom: 1, Sampling: engine.Sampling{Temperature: 0.5}}})
	if err != nil || out[0].Logprobs[0] != samples[0].Logprobs[0] {
		t.Errorf("sampled with %v, scored %v, %v", samples[0].Logprobs, out[0].Logprobs, err)
	}
}
