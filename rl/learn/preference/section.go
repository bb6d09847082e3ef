package preference

import (
	"fmt"
	"slices"

	"parley/rl/learn"
)

// section declares the settings of pairs. Reward models learn from such pairs too (MARLHF, MAGRPO §5), so that the section is read under
// reward.source preferences, whatever the algorithm.
func section() learn.Section {
	return learn.Section{Name: "preference", Settings: Settings{}, RewardModels: true, Rules: rules(), Idle: slices.Concat(losses(), pairs(), replays())}
}

// of are the values of preference in the recipe that v shows.
func of(v learn.View) Settings { return learn.SettingsIn[Settings](v.Settings) }

// rules hold for madpo and for a reward model alike: both learn from the pairs of some iterations.
func rules() []learn.Rule {
	return []learn.Rule{
		// Iterations are equal parts of a run.
		{Keys: []string{"preference.iterations", "training.updates"}, Broken: func(v learn.View) string {
			n := of(v).Iterations
			return learn.If(v.Read && v.Updates%n != 0, "training.updates is %d, expected a multiple of preference.iterations, %d", v.Updates, n)
		}},
		{Keys: []string{"preference.comparator", "preference.model"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && of(v).Comparator == "model" && of(v).Model == "", "preference.comparator is model, but preference.model names none")
		}, Hint: "name a base model"},
		// A server may have many models, and none is meant by default.
		{Keys: []string{"preference.comparator", "preference.server.url", "preference.server.model"}, Broken: func(v learn.View) string {
			s := of(v).Server
			return learn.If(v.Read && of(v).Comparator == "server" && (s.URL == "" || s.Model == ""), "preference.comparator is server, but preference.server names none")
		}, Hint: "write server: {url: \"http://127.0.0.1:8000/v1\", model: NAME}"},
		// A checkpoint is the team as it was some iterations before.
		{Keys: []string{"preference.comparator", "preference.iterations"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && of(v).Comparator == "checkpoint" && of(v).Iterations == 1, "preference.comparator is checkpoint, but with one iteration there is no earlier team")
		}, Hint: "set preference.iterations to 2 or more"},
		// A comparator that writes for all agents writes for models, whose tokens its texts are encoded to. An agent that is no model
		// cannot be replaced by it.
		{Keys: []string{"preference.central", "team.agents"}, Broken: func(v learn.View) string {
			c := of(v).Comparator
			i := slices.IndexFunc(v.Names, func(name string) bool { return v.Speakers[name] != "" })
			if !v.Read || !of(v).Central || c != "model" && c != "server" || i < 0 {
				return ""
			}
			name := v.Names[i]
			return fmt.Sprintf("preference.central lets one model write for all agents, but agent %s speaks by its %s (team.agents.%s.%s)", name, v.Speakers[name], name, v.Speakers[name])
		}, Hint: "leave preference.central out: the comparator then writes for each agent that is a model"},
		// The team of the iteration and its rival write as many candidates each, so that every pair can have one of either.
		{Keys: []string{"preference.candidates", "preference.comparator"}, Broken: func(v learn.View) string {
			n := of(v).Candidates
			return learn.If(of(v).Comparator != "current" && n%2 != 0, "preference.candidates is %d, expected an even number: half of them are the comparator's", n)
		}},
	}
}

// losses are the keys of the loss, which is madpo's alone: a reward model has the loss of Bradley and Terry, and learns once an iteration, from that
// iteration's pairs. Smoothing belongs to dpo, whose labels may be wrong.
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

// pairs are the keys that say which responses are compared, and with whose.
func pairs() []learn.Idle {
	return []learn.Idle{
		{When: func(v learn.View) string {
			return learn.If(v.Read && of(v).Choose == "all", "preference.choose all")
		}, Keys: []string{"preference.pairs"}},
		{When: unlessComparator("checkpoint"), Keys: []string{"preference.checkpoint_age"}},
		{When: unlessComparator("model"), Keys: []string{"preference.model"}},
		{When: unlessComparator("server"), Keys: []string{"preference.server"}},
		{When: func(v learn.View) string {
			c := of(v).Comparator
			return learn.If(v.Read && c != "model" && c != "server", "preference.comparator %s", c)
		}, Keys: []string{"preference.central"}},
	}
}

// unlessComparator is when another comparator than that of a name writes candidates.
func unlessComparator(name string) func(learn.View) string {
	return func(v learn.View) string {
		return learn.If(v.Read && of(v).Comparator != name, "preference.comparator %s", of(v).Comparator)
	}
}

// replays are the keys that say which earlier pairs are learned from again, if there are earlier iterations at all.
func replays() []learn.Idle {
	return []learn.Idle{
		{When: func(v learn.View) string {
			return learn.If(v.Read && of(v).Iterations == 1, "preference.iterations 1")
		}, Keys: []string{"preference.replay"}},
		{When: unlessReplay("nearest"), Keys: []string{"preference.nearest"}},
		{When: unlessReplay("decay"), Keys: []string{"preference.decay"}},
	}
}

// unlessReplay is when another replay than that of a name is chosen.
func unlessReplay(name string) func(learn.View) string {
	return func(v learn.View) string {
		return learn.If(v.Read && of(v).Replay != name, "preference.replay %s", of(v).Replay)
	}
}
