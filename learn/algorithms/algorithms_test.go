package algorithms_test

import (
	"testing"

	"parley/learn"
	"parley/learn/algorithms"
	"parley/learn/learntest"
	"parley/recipe"
	"parley/recipe/language"
)

// trial is an algorithm with a recipe's defaults, made small.
func trial(a learn.Algorithm, change func(*recipe.Recipe)) learntest.Case {
	r := language.New().Defaults()
	r.Preference.Candidates, r.Preference.Pairs, r.Preference.Batch = 6, 4, 3
	r.SFT.Keep, r.PPO.Epochs, r.PPO.Minibatches, r.Group.Size = 0.5, 2, 2, 4
	if change != nil {
		change(r)
	}
	c := learntest.Case{Algorithm: a, Settings: r.LearningSettings(), Group: 1, Turns: 2}
	switch a.Kind {
	case learn.GroupRelative:
		c.Group = r.Group.Size
	case learn.Preferences:
		c.Group, c.Turns = r.Preference.Candidates, 1
	}
	// Equal rewards teach nothing where they are compared with each other.
	c.Still = a.Kind == learn.Preferences || a.Kind == learn.GroupRelative && a.Name != "mareinforce"
	return c
}

// TestConformance: every algorithm of the register does what learners promise.
func TestConformance(t *testing.T) {
	for _, a := range algorithms.All() {
		t.Run(a.Name, func(t *testing.T) { learntest.Conform(t, trial(a, nil)) })
	}
}

// TestConformanceOfVariants: so do those whose settings make them work otherwise.
func TestConformanceOfVariants(t *testing.T) {
	for _, v := range []struct {
		name, algorithm string
		change          func(*recipe.Recipe)
	}{
		{"buffers across updates", "magrpo", func(r *recipe.Recipe) {
			r.Group.Buffer, r.Group.TrainBatch, r.Group.BufferAcrossUpdates = 11, 3, true
		}},
		{"critics of the dialogue", "mappo", func(r *recipe.Recipe) { r.PPO.Terminal, r.PPO.ValueInput = "trl", "history" }},
		{"divergence in the loss", "mappo", func(r *recipe.Recipe) { r.PPO.Loss = "grpo" }},
		{"one ratio an answer", "mappo", func(r *recipe.Recipe) { r.PPO.Loss = "gspo" }},
		{"buffers of actor-critics", "iac", func(r *recipe.Recipe) { r.Group.Buffer, r.Group.TrainBatch, r.Group.KL = 3, 2, 0.1 }},
		{"shared heads", "iac", func(r *recipe.Recipe) { r.Critic.Head, r.Critic.Input = "shared", "q" }},
		{"central critic that reads answers", "maac", func(r *recipe.Recipe) { r.Critic.Input = "q" }},
		{"replayed pairs", "madpo", func(r *recipe.Recipe) {
			r.Preference.Iterations, r.Preference.Replay, r.Preference.Reference = 4, "decay", true
		}},
		{"pairs of each agent by itself", "madpo", func(r *recipe.Recipe) { r.Preference.Loss, r.Preference.Smoothing = "dpo", 0.1 }},
		{"pairs with a target", "madpo", func(r *recipe.Recipe) { r.Preference.Loss = "ipo" }},
		{"debates of the whole run", "sft", func(r *recipe.Recipe) { r.SFT.Pool = "run" }},
	} {
		t.Run(v.name, func(t *testing.T) {
			a, _ := algorithms.Find(v.algorithm)
			learntest.Conform(t, trial(a, v.change))
		})
	}
}
