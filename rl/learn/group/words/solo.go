package words

import (
	"slices"

	"parley/rl/learn"
)

// soloRules refuse to leave out an agent that is not there, or where there is nothing to compare with.
func soloRules() []learn.Rule {
	solo := func(v learn.View) bool { return v.Read && of(v).Without != "" }
	return []learn.Rule{
		{Keys: []string{"group.without", "team.agents"}, Broken: func(v learn.View) string {
			return learn.If(solo(v) && (v.Agents < 2 || !slices.Contains(v.Names, of(v).Without)), "group.without is %s, expected one of several agents", of(v).Without)
		}, Hint: "write the name of one of team.agents"},
		{Keys: []string{"group.without", "group.rollout"}, Broken: func(v learn.View) string {
			return learn.If(solo(v) && !episodes(v), "group.without is %s, which is for rollout episodes, but %s", of(v).Without, played(v))
		}, Hint: "with algorithm magrpo, set group.rollout to episodes"},
		// The others' answer has to be one without the agent: each turn's reward would ask for all agents' texts.
		{Keys: []string{"group.without", "team.answer", "team.protocol"}, Broken: func(v learn.View) string {
			own := v.Workflow && !v.Acts && v.Answer != "every-turn" && v.Answer != "tagged" && v.Answer != "joint"
			return learn.If(solo(v) && !own && !v.Harness, "group.without is %s, which needs a workflow whose team gives one answer, and no environment", of(v).Without)
		}, Hint: "write a team.workflow with team.answer"},
	}
}

// bonusRules refuse a bonus without episodes to compare with.
func bonusRules() []learn.Rule {
	return []learn.Rule{{Keys: []string{"credit.solo.lambda", "credit.solo.outcome", "group.without"}, Broken: func(v learn.View) string {
		s := creditOf(v).Solo
		return learn.If(v.Read && of(v).Without == "" && (s.Outcome == "sign" || s.Lambda > 0), "credit.solo compares with episodes without an agent, and group.without names none")
	}, Hint: "set group.without to the agent's name"}}
}

// soloWarnings are about a bonus that is a constant factor.
func soloWarnings() []learn.Warning {
	return []learn.Warning{{
		// R has two values and b one in a group, so that R + λ·bonus is (1 + λ/2)·R and a constant, which the group's mean takes off.
		When: func(v learn.View) bool {
			s := creditOf(v).Solo
			return v.Read && of(v).Without != "" && s.Lambda > 0 && s.Baseline == "group"
		},
		Text: "credit.solo.lambda with baseline group only makes the steps of the agent 1 + lambda/2 times as long (docs/credit.md); the rates of help and hurt are logged without it",
	}}
}

// soloIdle are keys of a bonus that nobody gets.
func soloIdle() []learn.Idle {
	return []learn.Idle{
		{When: func(v learn.View) string {
			return learn.If(v.Read && of(v).Without != "" && creditOf(v).Solo.Lambda == 0, "credit.solo.lambda 0")
		}, Keys: []string{"credit.solo.bonus", "credit.solo.baseline"}},
		{When: func(v learn.View) string { return learn.If(v.Read && of(v).Without == "", "no group.without") }, Keys: []string{"credit.solo"}},
		{When: func(v learn.View) string {
			return learn.If(v.Read && creditOf(v).Solo.Outcome == "sign", "credit.solo.outcome sign")
		}, Keys: []string{"credit.returns", "credit.clock", "credit.team_weight", "credit.own_weight"}},
	}
}
