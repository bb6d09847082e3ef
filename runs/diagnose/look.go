package diagnose

import (
	"fmt"
	"strings"

	"parley/runs/store"
	"parley/task"
)

// A look is what one kind of rules says of the window, and where the things that it counts lie.
type look struct {
	finding Finding
	places  []store.Place
}

// place is the i-th thing that a rule counted, of one agent where the rule is about one.
func (l look) place(i, agent int) store.Place {
	p := l.places[i]
	if agent > 0 {
		p.Agent = agent
	}
	return p
}

// The rules of [CascadingErrors], by when a program fails.
const (
	cascadeShare          = "cascade_share"
	cascadeShareAtRunTime = "cascade_share:run_time"
)

// ruleName is the name of a rule without its agent, who has a field of their own.
func ruleName(c Check) string {
	if c.Agent == 0 {
		return c.Rule
	}
	return strings.TrimPrefix(c.Rule, fmt.Sprintf("agent%d:", c.Agent-1))
}

// look applies all rules; first come those that explain a flat reward most directly.
func (w *Watch) look() []look {
	groups, credits := w.groups()
	turns, rewards := w.turns()
	dead := CheckGroups(credits)
	if w.good() {
		dead.Remedy = "nothing is wrong, for the team has become good: its mean reward is near the greatest; take harder problems, or end the training here"
	}
	return []look{
		{dead, groups},
		{CheckWhitening(credits, 1, w.Normalise), groups},
		w.cooperation(),
		w.cascade(),
		w.cascadeAtRunTime(),
		w.later(rewards, turns),
		w.switched(),
		w.hacking(),
	}
}

// goodShare is the mean reward from which groups are equal because the team is right, as a share of the range: at most a fifth can be all wrong.
const goodShare = 0.8

// good says that the dialogues of the window ended near the greatest reward.
func (w *Watch) good() bool {
	var ends []float64
	for _, a := range w.actions() {
		if a.End {
			ends = append(ends, a.Reward)
		}
	}
	return mean(ends) >= goodShare
}

func (w *Watch) actions() []Action {
	var out []Action
	for _, r := range w.Records {
		out = append(out, r.Actions...)
	}
	return out
}

// known are the joint actions for which a fact is known, with what is known.
func known[T any](actions []Action, fact func(*task.Signals) *T) (places []store.Place, facts []T, rewards []float64) {
	for _, a := range actions {
		if a.Facts == nil || fact(a.Facts) == nil {
			continue
		}
		places, facts, rewards = append(places, a.Place), append(facts, *fact(a.Facts)), append(rewards, a.Reward)
	}
	return places, facts, rewards
}

func (w *Watch) cooperation() look {
	var places []store.Place
	var all JointActions
	var spoke [][]int // of each agent, the joint actions in which it spoke
	for _, a := range w.actions() {
		places = append(places, a.Place)
		for i := range a.Usable {
			agent := i
			if i < len(a.Agents) {
				agent = a.Agents[i]
			}
			for len(all.Usable) <= agent {
				all.Usable, all.Tokens, spoke = append(all.Usable, nil), append(all.Tokens, nil), append(spoke, nil)
			}
			all.Usable[agent], all.Tokens[agent] = append(all.Usable[agent], a.Usable[i]), append(all.Tokens[agent], a.Tokens[i])
			spoke[agent] = append(spoke[agent], len(places)-1)
		}
	}
	if w.Unequal {
		all.Tokens = nil
	}
	l := look{CheckCooperation(all), places}
	for _, c := range l.finding.Checks { // evidence counts what an agent said, and not everybody speaks in each joint action
		for i, at := range c.Evidence {
			c.Evidence[i] = spoke[c.Agent-1][at]
		}
	}
	helped, influence, rewards := known(w.actions(), func(f *task.Signals) *bool { return f.Influence })
	aux := CheckCooperation(JointActions{AuxInfluence: influence, Rewards: rewards, Max: 1})
	for _, c := range aux.Checks {
		shift(c.Evidence, len(l.places))
		l.finding.Checks = append(l.finding.Checks, c)
	}
	l.places = append(l.places, helped...)
	return l
}

func shift(indices []int, by int) {
	for i := range indices {
		indices[i] += by
	}
}

// cascade counts programs that do not parse because of the first response. The last response parses alone wherever that is so.
func (w *Watch) cascade() look {
	return w.cascadeOf(cascadeShare, func(f *task.Signals) *bool { return f.Cascade })
}

// cascadeAtRunTime counts programs with a test that fails by an exception out of the first response's function.
func (w *Watch) cascadeAtRunTime() look {
	return w.cascadeOf(cascadeShareAtRunTime, func(f *task.Signals) *bool { return f.Raised })
}

func (w *Watch) cascadeOf(rule string, fact func(*task.Signals) *bool) look {
	places, cascades, _ := known(w.actions(), fact)
	fine, main := make([]bool, len(cascades)), make([]bool, len(cascades))
	for i, broken := range cascades {
		fine[i], main[i] = !broken, true
	}
	l := look{CheckCascade(fine, main, fine), places}
	for i := range l.finding.Checks {
		l.finding.Checks[i].Rule = rule
	}
	return l
}

// later compares later turns with the first, where each is an answer to the problem.
func (w *Watch) later(rewards [][]float64, turns []store.Place) look {
	if w.Steps {
		return look{finding: Finding{Kind: FeedbackInstability}}
	}
	return look{CheckTurns(rewards, 1), turns}
}

func (w *Watch) hacking() look {
	places, gamed, _ := known(w.actions(), func(f *task.Signals) *bool { return f.Gamed })
	var train, audit []float64
	if len(w.Means) >= auditLeast {
		for _, m := range w.Means {
			train, audit = append(train, m.Reward), append(audit, m.Audit)
		}
	}
	return look{CheckHacking(train, audit, gamed, 1), places}
}

// switched compares the window with the one that ended when feedback and later turns were switched on.
func (w *Watch) switched() look {
	if len(w.Before) == 0 || len(w.Records) == 0 || w.Records[0].Update <= w.Switch {
		return look{finding: Finding{Kind: FeedbackInstability}}
	}
	return look{finding: CheckSwitch(w.Before, w.rewards(), 1)}
}

// rewards are those of all joint actions in the window.
func (w *Watch) rewards() []float64 {
	var out []float64
	for _, a := range w.actions() {
		out = append(out, a.Reward)
	}
	return out
}

// groups are those in the window, their credits in units of the range of rewards: what is equal does not depend on its scale.
func (w *Watch) groups() (places []store.Place, credits [][]float64) {
	for _, r := range w.Records {
		for _, g := range r.Groups {
			places, credits = append(places, g.Place), append(credits, w.Processed.shares(g.Credits))
		}
	}
	return places, credits
}

func (w *Watch) turns() (places []store.Place, rewards [][]float64) {
	for _, r := range w.Records {
		for _, t := range r.Turns {
			places, rewards = append(places, t.Place), append(rewards, t.Rewards)
		}
	}
	return places, rewards
}
