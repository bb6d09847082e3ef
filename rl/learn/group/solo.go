package group

import (
	"slices"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// compareSolo compares what the team earned in a problem's episodes with what it earned in those without one of its agents (CCPO, arXiv 2603.21563):
//
//	R = 1 where an episode paid more than 0, else −1        b: the same of episodes without the agent, their mean or that of the same number
//	return of the agent  R + λ·bonus                        of the others R
//
// Whatever messages are compared with, the rates of help and hurt say whether the agent is of use. With b the mean of a group the bonus changes
// nothing but the length of the agent's steps: see keep.Counterfactual.
func (l *learner) compareSolo(p said, rates *credit.Rates) error {
	if p.of.Solo == nil {
		return nil
	}
	s := l.credit.Solo
	rule := credit.Rule{Lambda: s.Lambda, Bonus: credit.Bonus(s.Bonus), Paired: s.Baseline == "paired", Binary: true, Spread: l.credit.Spread()}
	credited, err := rule.Credit(credit.Pair{Joint: outcomes(p.of), Solo: outcomes(p.of.Solo)}, rates)
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
func outcomes(e *rollout.Episode) (out []credit.Outcome) {
	e.Outcomes(func(_ int, reward float64, ok bool) {
		out = append(out, credit.Outcome{Reward: reward, Failed: !ok})
	})
	return out
}

// addRates records how often one agent helped and hurt, where that was tried.
func addRates(r *credit.Rates, s *learn.Stats) {
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
		if name != "" && l.RoleName(agent) == name {
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
	return len(order) > 0 && order[credit.Turn(update+1, period, len(order))] != agent
}
