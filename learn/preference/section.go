package preference

import (
	"slices"

	"parley/learn"
)

// section declares the settings of pairs, from which reward models learn too.
func section() learn.Section {
	return learn.Section{Name: "preference", Settings: Settings{}, RewardModels: true, Rules: rules(), Idle: slices.Concat(losses(), pairs(), replays())}
}

func of(v learn.View) Settings { return learn.SettingsIn[Settings](v.Settings) }

func rules() []learn.Rule {
	return []learn.Rule{
		{Keys: []string{"preference.iterations", "training.updates"}, Broken: func(v learn.View) string {
			n := of(v).Iterations
			return learn.If(v.Read && v.Updates%n != 0, "training.updates is %d, expected a multiple of preference.iterations, %d", v.Updates, n)
		}},
		{Keys: []string{"preference.comparator", "preference.model"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && of(v).Comparator == "model" && of(v).Model == "", "preference.comparator is model, but preference.model names none")
		}, Hint: "name a base model"},
		{Keys: []string{"preference.comparator", "preference.iterations"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && of(v).Comparator == "checkpoint" && of(v).Iterations == 1, "preference.comparator is checkpoint, but with one iteration there is no earlier team")
		}, Hint: "set preference.iterations to 2 or more"},
		{Keys: []string{"preference.candidates", "preference.comparator"}, Broken: func(v learn.View) string {
			n := of(v).Candidates
			return learn.If(of(v).Comparator != "current" && n%2 != 0, "preference.candidates is %d, expected an even number: half of them are the comparator's", n)
		}},
	}
}

// losses are the keys of the loss, which is madpo's alone.
func losses() []learn.Idle {
	return []learn.Idle{
		{When: func(v learn.View) string {
			return learn.If(v.Reward == "preferences", "reward.source preferences")
		}, Keys: []string{"preference.loss", "preference.smoothing", "preference.beta", "preference.reference", "preference.batch", "preference.replay"}},
		{When: func(v learn.View) string {
			return learn.If(v.Kind() == learn.Preferences && of(v).Loss != "dpo", "preference.loss %s", of(v).Loss)
		}, Keys: []string{"preference.smoothing"}},
	}
}

// pairs are the keys that say which responses are compared.
func pairs() []learn.Idle {
	return []learn.Idle{
		{When: func(v learn.View) string {
			return learn.If(v.Read && of(v).Choose == "all", "preference.choose all")
		}, Keys: []string{"preference.pairs"}},
		{When: unlessComparator("checkpoint"), Keys: []string{"preference.checkpoint_age"}},
		{When: unlessComparator("model"), Keys: []string{"preference.model"}},
	}
}

func unlessComparator(name string) func(learn.View) string {
	return func(v learn.View) string {
		return learn.If(v.Read && of(v).Comparator != name, "preference.comparator %s", of(v).Comparator)
	}
}

// replays are the keys that say which earlier pairs are learned from again.
func replays() []learn.Idle {
	return []learn.Idle{
		{When: func(v learn.View) string {
			return learn.If(v.Read && of(v).Iterations == 1, "preference.iterations 1")
		}, Keys: []string{"preference.replay"}},
		{When: unlessReplay("nearest"), Keys: []string{"preference.nearest"}},
		{When: unlessReplay("decay"), Keys: []string{"preference.decay"}},
	}
}

func unlessReplay(name string) func(learn.View) string {
	return func(v learn.View) string {
		return learn.If(v.Read && of(v).Replay != name, "preference.replay %s", of(v).Replay)
	}
}
