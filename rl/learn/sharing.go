package learn

import (
	"fmt"
	"slices"

	"parley/engine"
)

// Sharing says which policy an agent uses in a turn (MAPoRL §6). Turns before the first trained one, and all turns of
// frozen agents, are spoken by the base itself. Agents of different bases never share a policy.
type Sharing struct {
	Policies
	Bases []int    // of each agent: the number of its base, from 0
	Names []string // of the agents; nil: they have none
}

// Policy returns the name of the policy of agent in turn, both from 0.
func (s Sharing) Policy(turn, agent int) engine.Policy {
	if turn < s.FirstTrainedTurn-1 || s.IsFrozen(agent) {
		return engine.Base
	}
	return engine.Policy("policy" + s.suffix(turn, agent))
}

// Value returns the name of the value adapter that goes with Policy(turn, agent).
func (s Sharing) Value(turn, agent int) engine.Policy {
	return engine.Policy("value" + s.suffix(turn, agent))
}

func (s Sharing) suffix(turn, agent int) string {
	switch s.Sharing {
	case "per-turn":
		return fmt.Sprintf("-turn%d", turn+1) + s.over(agent)
	case "per-agent":
		return "-" + s.name(agent)
	case "per-agent-turn":
		return fmt.Sprintf("-turn%d-%s", turn+1, s.name(agent))
	case "first-and-later":
		if turn == 0 {
			return "-first" + s.over(agent)
		}
		return "-later" + s.over(agent)
	}
	return s.over(agent)
}

// name is what an agent is called in the names of its policies.
func (s Sharing) name(agent int) string {
	if agent < len(s.Names) {
		return s.Names[agent]
	}
	return fmt.Sprintf("agent%d", agent+1)
}

// over tells the policies of different bases apart, where there are several.
func (s Sharing) over(agent int) string {
	if slices.Max(s.Bases) == 0 {
		return ""
	}
	return fmt.Sprintf("-base%d", s.Bases[agent]+1)
}

// A Trainee is a trained policy with one of the agents that use it.
type Trainee struct {
	Policy engine.Policy
	Agent  int
}

// Trained lists the distinct trained policies of a team in order of turn and agent, with their value adapters where wanted.
func (s Sharing) Trained(turns int, values bool) []Trainee {
	var out []Trainee
	seen := map[engine.Policy]bool{engine.Base: true}
	add := func(p engine.Policy, agent int) {
		if !seen[p] {
			seen[p] = true
			out = append(out, Trainee{p, agent})
		}
	}
	for t := s.FirstTrainedTurn - 1; t < turns; t++ {
		for agent := range s.Bases {
			if s.IsFrozen(agent) {
				continue
			}
			add(s.Policy(t, agent), agent)
			if values {
				add(s.Value(t, agent), agent)
			}
		}
	}
	return out
}
