package words

import "parley/rl/learn"

// influenceRules refuse to ask what messages do to those behind them where nothing follows.
func influenceRules() []learn.Rule {
	asked := func(v learn.View) bool { return v.Read && creditOf(v).Influence.Asked() }
	return []learn.Rule{
		{Keys: []string{"credit.influence.alpha", "credit.influence.restart", "group.rollout"}, Broken: func(v learn.View) string {
			return learn.If(asked(v) && joint(v), "credit.influence is of the messages of whole episodes, but group.rollout is %s", of(v).Rollout)
		}, Hint: "set group.rollout to episodes"},
		{Keys: []string{"credit.influence.alpha", "credit.influence.restart", "team.turns"}, Broken: func(v learn.View) string {
			return learn.If(asked(v) && v.Turns < 2, "credit.influence is of a message on the next one, but the team has one turn")
		}, Hint: "leave credit.influence out"},
		{Keys: []string{"credit.influence.beta", "credit.influence.restart"}, Broken: func(v learn.View) string {
			i := creditOf(v).Influence
			return learn.If(v.Read && i.Beta > 0 && i.Restart == "", "credit.influence.beta is %g, but no text restarts", i.Beta)
		}, Hint: "write credit.influence.restart, such as <restart>, and tell the agents of it"},
	}
}

// influenceIdle are keys of what is not measured.
func influenceIdle() []learn.Idle {
	return []learn.Idle{
		{When: func(v learn.View) string {
			return learn.If(creditOf(v).Influence.Alpha == 0, "credit.influence.alpha 0")
		}, Keys: []string{"credit.influence.alike"}},
		{When: func(v learn.View) string { return learn.If(creditOf(v).Influence.Beta == 0, "credit.influence.beta 0") }, Keys: []string{"credit.influence.restart_norm"}},
		{When: func(v learn.View) string {
			i := creditOf(v).Influence
			return learn.If(i.Alpha == 0 && i.Beta == 0, "neither credit.influence.alpha nor beta")
		}, Keys: []string{"credit.influence.eps"}},
	}
}
