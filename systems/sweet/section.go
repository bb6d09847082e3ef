package sweet

import (
	"fmt"
	"slices"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
)

// section declares the settings of learning from dialogues. Those of one method are no mistake under another: a baseline is one word in a recipe.
func section() learn.Section {
	return learn.Section{Name: "sweet", Settings: Settings{}, Rules: rules()}
}

// mine are the values of sweet in the recipe that v shows.
func mine(v learn.View) Settings { return learn.SettingsIn[Settings](v.Settings) }

// group are those of section group.
func group(v learn.View) learn.Group { return learn.SettingsIn[learn.Group](v.Settings) }

// unread are the keys of groups that say how completions are compared in numbers, or how steps are buffered.
func unread() []string {
	return slices.Concat([]string{
		"group.joint", "group.cross_credit", "group.discount", "group.normalize", "group.reduction", "group.terminate", "group.buffer",
		"group.buffer_across_updates", "group.train_batch", "group.ratio_cap", "group.kl", "group.turn_weights", "group.end_value", "group.end_weight",
		"group.logprobs_at", "group.padding", "group.alpha",
	}, words.AlternativeKeys())
}

func rules() []learn.Rule {
	sweet := func(v learn.View) bool { return v.Algorithm.Name == "sweet" }
	return []learn.Rule{
		{Keys: []string{"group.pick", "group.rollout"}, Broken: func(v learn.View) string {
			g := group(v)
			return learn.If(sweet(v) && g.Rollout == learn.Decisions && g.Pick != "first", "group.pick is %s, expected first with algorithm sweet: dialogues are those of the policy, not those of its best candidates", g.Pick)
		}, Hint: "set group.pick to first"},
		// Whole episodes have one message at each turn: nothing is ranked there.
		{Keys: []string{"group.rollout", "sweet.method"}, Broken: func(v learn.View) string {
			g := group(v)
			return learn.If(sweet(v) && mine(v).critical() && g.Rollout == "episodes", "group.rollout is episodes, whose turns have no candidates, but sweet.method is advantage")
		}, Hint: "set group.rollout to chain and group.pick to first"},
		{Keys: []string{"sweet.critic.updates", "training.updates"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && mine(v).Critic.Updates > v.Updates, "sweet.critic.updates is %d, expected at most training.updates, %d", mine(v).Critic.Updates, v.Updates)
		}},
		// What the critic alone is to know must not stand in what the policy reads.
		{Keys: []string{"sweet.critic.hidden", "team.fields", "team.agents"}, Broken: func(v learn.View) string {
			return learn.If(sweet(v) && v.Agents > 1, "%s", shown(mine(v).Critic.Hidden, v))
		}, Hint: "write who sees it, and of agents that learn none: team.fields: {solution: [user]}"},
		{Keys: []string{"sweet.critic.prompt"}, Broken: func(v learn.View) string {
			_, err := parse(mine(v).Critic.Prompt)
			return learn.If(v.Read && err != nil, "%v", err)
		}},
	}
}

func sections() []learn.Section { return slices.Concat([]learn.Section{words.Section(), section()}) }

// shown says which of the critic's fields an agent that learns may see; empty: none.
func shown(fields []string, v learn.View) string {
	for _, field := range fields {
		viewers, hides := v.Hidden[field]
		if !hides {
			return fmt.Sprintf("sweet.critic.hidden names the field %s, which every agent may see", field)
		}
		for _, name := range viewers {
			if !slices.Contains(v.Frozen, slices.Index(v.Names, name)+1) {
				return fmt.Sprintf("sweet.critic.hidden names the field %s, which %s sees and learns from", field, name)
			}
		}
	}
	return ""
}
