package recipe_test

import (
	"testing"

	"parley/credit"
	"parley/loss"
	"parley/recipe"
)

// TestMAGRPOPresets compares the shipped presets with magrpo.md 3, value by value, and with what package learn says of them.
func TestMAGRPOPresets(t *testing.T) {
	for name, preset := range map[string]string{"magrpo-paper": "paper", "magrpo-compat-1.4": "compat-1.4"} {
		r, err := lang.Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := loss.FindPreset(preset)
		if err != nil {
			t.Fatal(err)
		}
		g, o := r.Group, r.Optimizer
		joint, err := credit.ParseJointMode(g.Joint)
		if err != nil {
			t.Fatal(err)
		}
		got := loss.Preset{Name: preset, Advantage: credit.ModeMean, Normalize: g.Normalize, Rollout: loss.RolloutMode(g.Rollout), Joint: joint,
			Discount: g.Discount, Cross: credit.CrossMode(g.CrossCredit), Reduction: loss.Reduction(g.Reduction), CompatRows: g.Padding == "padded",
			SamplingLogprobs: g.LogprobsAt == "sampled", KLCoef: g.KL, ShiftByMaximum: r.Reward.Shift == -3, Adam: p.Adam}
		got.Adam.LR, got.Adam.Beta1, got.Adam.Beta2, got.Adam.Eps = o.LR, o.Beta1, o.Beta2, o.Eps
		got.Adam.WeightDecay, got.Adam.ClipNorm = o.WeightDecay, o.ClipNorm
		if got != p || r.Algorithm != recipe.MAGRPO || o.Decay != "none" || o.Warmup != 0 || g.RatioCap != 0 {
			t.Errorf("%s is\n%+v, want\n%+v", name, got, p)
		}
	}
}

// TestMAGRPOTasks: hyper-parameters of magrpo.md 11.
func TestMAGRPOTasks(t *testing.T) {
	for _, c := range []struct {
		name                 string
		items, epochs        int // problems trained on, of CoopHumanEval without those with wrong tests, and how often
		lr, temperature, top float64
		turns, tokens        int
	}{
		{"magrpo-paper", 1000, 1, 5e-6, 0.7, 0.9, 1, 256},
		{"magrpo-arxiv", 1000, 1, 5e-6, 0.7, 0.9, 1, 256},
		{"magrpo-humaneval", 100, 10, 1e-5, 0.7, 0.9, 1, 256},
		{"magrpo-coophumaneval", 45, 20, 1e-5, 0.8, 0.95, 1, 256},
		{"magrpo-humaneval-2turn", 100, 7, 1e-5, 0.7, 0.9, 2, 256},
		{"magrpo-coophumaneval-2turn", 45, 10, 1e-5, 0.8, 0.95, 2, 256},
		{"magrpo-mbpp", 50, 8, 3e-5, 0.8, 0.95, 1, 256},
		{"magrpo-humaneval-tree", 100, 6, 2e-5, 0.6, 0.6, 2, 256},
		{"iac-humaneval", 100, 80, 5e-6, 0.6, 0.6, 2, 256},
		{"maac-tldr", 1000, 20, 5e-6, 0.6, 0.6, 1, 256},
	} {
		r, err := lang.Load(c.name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Training.Updates * r.Training.Problems; n != c.items*c.epochs {
			t.Errorf("%s trains on %d problems, want %d × %d", c.name, n, c.items, c.epochs)
		}
		if r.Optimizer.LR != c.lr || r.Sampling.Temperature != c.temperature || r.Sampling.TopP != c.top || r.Team.Turns != c.turns || r.Sampling.MaxTokens != c.tokens {
			t.Errorf("%s: lr %g, temperature %g, top-p %g, %d turns, %d tokens", c.name, r.Optimizer.LR, r.Sampling.Temperature, r.Sampling.TopP, r.Team.Turns, r.Sampling.MaxTokens)
		}
	}
}
