package recipe_test

import (
	"reflect"
	"testing"

	"parley/recipe"
	"parley/rl/learn"
)

// TestMAGRPOPresets compares the shipped presets with magrpo.md 3, value by value.
func TestMAGRPOPresets(t *testing.T) {
	adam := learn.Optimizer{LR: 5e-6, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: 0.01, Decay: "none", FinalLR: 0.1}
	paper := learn.Group{Size: 4, Rollout: "tree", Alpha: 1, Pick: "best", Backup: "children", Siblings: "prompt", Joint: "aligned", CrossCredit: "mean", Discount: 0.9, Reduction: "seq_sum", LogprobsAt: "sampled", Padding: "exact", EndWeight: 1, KLForm: "k3"}
	compat := paper
	compat.CrossCredit, compat.Discount, compat.Normalize, compat.LogprobsAt, compat.Padding, compat.Buffer = "sum", 1, true, "full", "padded", 1
	for _, c := range []struct {
		name  string
		group learn.Group
		shift float64
	}{{"magrpo-paper", paper, 0}, {"magrpo-compat-1.4", compat, -3}} {
		r, err := lang.Load(c.name, nil)
		if err != nil {
			t.Fatal(err)
		}
		group := recipe.Section[learn.Group](r)
		if r.Algorithm != "magrpo" || !reflect.DeepEqual(group, c.group) || r.Optimizer != adam || r.Reward.Shift != c.shift {
			t.Errorf("%s learns by %s with\n%+v\nshift %g, %+v; want\n%+v", c.name, r.Algorithm, group, r.Reward.Shift, r.Optimizer, c.group)
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

// TestComparatorsOfToolCalls: MADPO and MARLHF on tool calls, with a comparator behind an endpoint that writes for both agents (docs/magrpo.md 5), are recipes.
func TestComparatorsOfToolCalls(t *testing.T) {
	const comparator = "preference: {comparator: server, central: true, server: {url: 'http://127.0.0.1:8000/v1', model: big}, candidates: 40, pairs: 8}\n"
	for name, rest := range map[string]string{
		"madpo":  "algorithm: madpo\ntraining: {updates: 89}\n",
		"marlhf": "reward: {source: preferences, model: {problems: 100}}\n",
	} {
		if _, err := lang.Parse(name, []byte("preset: magrpo-bfcl\nname: "+name+"\n"+rest+comparator), nil); err != nil {
			t.Error(err)
		}
	}
}
