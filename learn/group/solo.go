package group

import (
	"slices"

	"parley/credit/counterfactual"
	"parley/learn"
	"parley/rollout"
)

// compareSolo compares what the team earned in a problem's episodes with what it earned in those without one of its agents (CCPO, arXiv 2603.21563):
//
//	R = 1 where an episode paid more than 0, else −1        b: the same of episodes without the agent, their mean or that of the same number
//	return of the agent  R + λ·bonus                        of the others R
//
// Whatever messages are compared with, the rates of help and hurt say whether the agent is of use. With b the mean of a group the bonus changes
// nothing but the length of the agent's steps: see package counterfactual.
func (l *learner) compareSolo(p said, rates *counterfactual.Rates) error {
	if p.of.Solo == nil {
		return nil
	}
	s := l.credit.Solo
	rule := counterfactual.Rule{Lambda: s.Lambda, Bonus: counterfactual.Bonus(s.Bonus), Paired: s.Baseline == "paired", Binary: true, Spread: l.credit.spread()}
	credited, err := rule.Credit(counterfactual.Pair{Joint: outcomes(p.of), Solo: outcomes(p.of.Solo)}, rates)
	if err != nil {
		return err
	}
	absent := l.agentNamed(l.settings.Without)
	for e, messages := range p.messages {
		for k := range messages {
			m := &messages[k]
			if s.Outcome == "sign" {
				m.Return = credited.Solver[e]
			}
			if m.Agent == absent {
				m.Return += s.Lambda * credited.Bonuses[e]
			}
		}
	}
	return nil
}

// outcomes are what the team earned in the episodes of a problem.
func outcomes(e *rollout.Episode) (out []counterfactual.Outcome) {
	e.Outcomes(func(_ int, reward float64, ok bool) {
		out = append(out, counterfactual.Outcome{Reward: reward, Failed: !ok})
	})
	return out
}

// addRates records how often one agent helped and hurt, where that was tried.
func addRates(r *counterfactual.Rates, s *learn.Stats) {
	if r.Answers == 0 {
		return
	}
	share := func(n int) *float64 {
		x := float64(n) / float64(r.Answers)
		return &x
	}
	s.HelpRate, s.HurtRate, s.SameRate = share(r.Help), share(r.Hurt), share(r.Same)
}

// agentNamed is the number of an agent, from 0; −1: there is none of the name.
func (l *learner) agentNamed(name string) int {
	for agent := range l.Actors {
		if name != "" && l.roleName(agent) == name {
			return agent
		}
	}
	return -1
}

// waits says that an agent does not learn in an update, from 0, because it is another's turn to. Those who learn take turns of so many updates, in
// the order of the team, the agent that is left out of some episodes first. It depends on the update alone, so that a resumed run goes on with the same.
func (l *learner) waits(agent, update int) bool {
	period := l.credit.Alternate
	if period == 0 {
		return false
	}
	var order []int
	for other := range l.Actors {
		if !l.Sharing.IsFrozen(other) && l.Actors[other].Speaker == nil {
			order = append(order, other)
		}
	}
	if first := slices.Index(order, l.agentNamed(l.settings.Without)); first > 0 {
		order = append(order[first:], order[:first]...)
	}
	return len(order) > 0 && order[counterfactual.Turn(update+1, period, len(order))] != agent
}

// soloRules refuse to leave out an agent that is not there, or where there is nothing to compare with.
func soloRules() []learn.Rule {
	solo := func(v learn.View) bool { return v.Read && of(v).Without != "" }
	return []learn.Rule{
		{Keys: []string{"group.without", "team.agents"}, Broken: func(v learn.View) string {
			return learn.If(solo(v) && (v.Agents < 2 || !slices.Contains(v.Names, of(v).Without)), "group.without is %s, expected one of several agents", of(v).Without)
		}, Hint: "write the name of one of team.agents"},
		{Keys: []string{"group.without", "group.rollout"}, Broken: func(v learn.View) string {
			return learn.If(solo(v) && !episodes(v), "group.without is %s, which is for rollout episodes, but group.rollout is %s", of(v).Without, of(v).Rollout)
		}, Hint: "set group.rollout to episodes"},
		// The others' answer has to be one without the agent: each turn's reward would ask for all agents' texts.
		{Keys: []string{"group.without", "team.answer", "team.protocol"}, Broken: func(v learn.View) string {
			own := v.Workflow && !v.Acts && v.Answer != "every-turn" && v.Answer != "tagged" && v.Answer != "joint"
			return learn.If(solo(v) && !own, "group.without is %s, which needs a workflow whose team gives one answer, and no environment", of(v).Without)
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
