package language_test

import (
	"slices"
	"testing"

	"parley/internal/turn"
	"parley/recipe"
	"parley/recipe/language"
	"parley/rl/learn"
	"parley/rl/learn/actorcritic"
	"parley/rl/learn/ppo"
	"parley/rl/learn/preference"
	"parley/rl/learn/supervised"
	"parley/rl/rollout"
	"parley/runs/diagnose"
	"parley/systems/malt"
	"parley/systems/sweet"
)

// trial is an algorithm with a recipe's defaults, made small.
func trial(a learn.Algorithm, change func(*recipe.Recipe)) Case {
	r := language.New().Defaults()
	recipe.ChangeSection(r, func(s *preference.Settings) { s.Candidates, s.Pairs, s.Batch = 6, 4, 3 })
	recipe.ChangeSection(r, func(s *supervised.Settings) { s.Keep = 0.5 })
	recipe.ChangeSection(r, func(s *ppo.Settings) { s.Epochs, s.Minibatches = 2, 2 })
	if r.Algorithm = a.Name; a.Name == "c3" { // everything that both say in both turns goes on
		recipe.ChangeSection(r, func(s *learn.Group) { s.Size = 2 })
	}
	if change != nil {
		change(r)
	}
	c := Case{Algorithm: a, Settings: r.LearningSettings(), Group: r.Completions(), Turns: 2}
	c.KL = recipe.Section[learn.Group](r).KL
	switch a.Kind {
	case learn.Debates:
		c.KL = recipe.Section[ppo.Settings](r).KL
	case learn.ActorCritic:
		c.Group = 1
	case learn.Preferences:
		c.Turns = 1
	}
	c.Chain = a.Name == "malt" || a.Name == "sweet"
	// Equal rewards teach nothing where they are compared with each other; malt learns all messages that are good enough.
	c.Still = a.Kind == learn.Preferences || a.Kind == learn.GroupRelative && a.Name != "mareinforce" && a.Name != "malt" && recipe.Section[sweet.Settings](r).Method != "rft"
	c.Equal = diagnosed(a.Kind)
	return c
}

// diagnosed: equal rewards are diagnosed, also where a critic or nothing at all is what they are compared with.
func diagnosed(kind learn.Kind) func(*testing.T, []*rollout.Episode) {
	return func(t *testing.T, episodes []*rollout.Episode) {
		w := diagnose.Watch{Settings: diagnose.Settings{Debate: kind == learn.Debates, Processed: diagnose.Range{Most: 1}}}
		var fired []string
		for update := range 10 {
			for _, d := range w.Observe(diagnose.HealthOf(update+1, episodes, diagnose.Numbers{Steps: 1})) {
				fired = append(fired, d.Kind)
			}
		}
		if !slices.Contains(fired, string(diagnose.ConstantReward)) {
			t.Errorf("equal rewards are not diagnosed: %v", fired)
		}
	}
}

// set changes one section of a recipe.
func set[S any](change func(*S)) func(*recipe.Recipe) {
	return func(r *recipe.Recipe) { recipe.ChangeSection(r, change) }
}

// TestAlgorithmsConform: every algorithm of the register does what learners promise.
func TestAlgorithmsConform(t *testing.T) {
	for _, a := range language.Algorithms() {
		if a.Untrained() || a.Alone() { // it has no learner
			if l, err := a.New(learn.Config{}); l != nil || err == nil {
				t.Errorf("%s has a learner", a.Name)
			}
			continue
		}
		t.Run(a.Name, func(t *testing.T) { Conform(t, trial(a, nil)) })
	}
}

// TestAlgorithmsConformOfVariants: so do those whose settings make them work otherwise.
func TestConformanceOfVariants(t *testing.T) {
	for i, v := range []struct {
		name, algorithm string
		change          func(*recipe.Recipe)
	}{
		{"buffers across updates", "magrpo", set(func(s *learn.Group) {
			s.Buffer, s.TrainBatch, s.BufferAcrossUpdates = 11, 3, true
		})},
		{"penalized groups", "magrpo", set(func(s *learn.Group) { s.KL = 0.1 })},
		{"critics of the dialogue", "mappo", set(func(s *ppo.Settings) { s.Terminal, s.ValueInput = "trl", "history" })},
		{"divergence in the loss", "mappo", set(func(s *ppo.Settings) { s.Loss = "grpo" })},
		{"one ratio an answer", "mappo", set(func(s *ppo.Settings) { s.Loss = "gspo" })},
		{"buffers of actor-critics", "iac", set(func(s *learn.Group) { s.Buffer, s.TrainBatch, s.KL = 3, 2, 0.1 })},
		{"shared heads", "iac", set(func(s *actorcritic.Settings) { s.Head, s.Input = "shared", "q" })},
		{"central critic that reads answers", "maac", set(func(s *actorcritic.Settings) { s.Input = "q" })},
		{"replayed pairs", "madpo", set(func(s *preference.Settings) {
			s.Iterations, s.Replay, s.Reference = 4, "decay", true
		})},
		{"pairs of each agent by itself", "madpo", set(func(s *preference.Settings) { s.Loss, s.Smoothing = "dpo", 0.1 })},
		{"pairs with a target", "madpo", set(func(s *preference.Settings) { s.Loss = "ipo" })},
		{"trees of each update", "malt", set(func(s *malt.Settings) { s.Pool, s.Preferences, s.Batch, s.PairEpochs = "update", "all", 3, 2 })},
		{"a critic before the policy", "sweet", set(func(s *sweet.Settings) {
			s.Critic.Updates, s.Critic.Norm, s.Critic.Against, s.Pairs = 2, "per_token", "without_c", "best"
		})},
		{"whole dialogues in pairs", "sweet", set(func(s *sweet.Settings) { s.Method, s.Epochs = "multi-turn-dpo", 2 })},
		{"dialogues that are good enough", "sweet", set(func(s *sweet.Settings) { s.Method, s.PerTask = "rft", 2 })},
		{"debates of the whole run", "sft", set(func(s *supervised.Settings) { s.Pool = "run" })},
	} {
		if !turn.Share(i) {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			a, _ := language.New().Algorithm(v.algorithm)
			Conform(t, trial(a, v.change))
		})
	}
}
