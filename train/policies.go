package train

import (
	"fmt"
	"slices"
	"strings"

	"parley/engine"
	"parley/recipe"
)

// sharing says which policy an agent uses in a turn (maporl.md §6). Turns before the first trained one, and all turns of
// frozen agents, are spoken by the base itself. Agents of different bases never share a policy.
type sharing struct {
	recipe.Policies
	bases []int // of each agent: the number of its base, from 0
}

// policy returns the name of the policy of agent in turn, both from 0.
func (s sharing) policy(turn, agent int) engine.Policy {
	if turn < s.FirstTrainedTurn-1 || s.IsFrozen(agent) {
		return engine.Base
	}
	return engine.Policy("policy" + s.suffix(turn, agent))
}

// value returns the name of the value adapter that goes with policy(turn, agent).
func (s sharing) value(turn, agent int) engine.Policy {
	return engine.Policy("value" + s.suffix(turn, agent))
}

func (s sharing) suffix(turn, agent int) string {
	switch s.Sharing {
	case "per-turn":
		return fmt.Sprintf("-turn%d", turn+1) + s.over(agent)
	case "per-agent":
		return fmt.Sprintf("-agent%d", agent+1)
	case "per-agent-turn":
		return fmt.Sprintf("-turn%d-agent%d", turn+1, agent+1)
	case "first-and-later":
		if turn == 0 {
			return "-first" + s.over(agent)
		}
		return "-later" + s.over(agent)
	}
	return s.over(agent)
}

// over tells the policies of different bases apart, where there are several.
func (s sharing) over(agent int) string {
	if slices.Max(s.bases) == 0 {
		return ""
	}
	return fmt.Sprintf("-base%d", s.bases[agent]+1)
}

// A trainee is a trained policy with one of the agents that use it.
type trainee struct {
	policy engine.Policy
	agent  int
}

// all lists the distinct trained policies of a team in order of turn and agent, with their value adapters where wanted.
func (s sharing) all(turns int, values bool) []trainee {
	var out []trainee
	seen := map[engine.Policy]bool{engine.Base: true}
	add := func(p engine.Policy, agent int) {
		if !seen[p] {
			seen[p] = true
			out = append(out, trainee{p, agent})
		}
	}
	for t := s.FirstTrainedTurn - 1; t < turns; t++ {
		for agent := range s.bases {
			if s.IsFrozen(agent) {
				continue
			}
			add(s.policy(t, agent), agent)
			if values {
				add(s.value(t, agent), agent)
			}
		}
	}
	return out
}

// isValue reports whether a policy of [sharing.all] is a value adapter.
func isValue(p engine.Policy) bool { return strings.HasPrefix(string(p), "value") }

// IsCritic reports whether one of a run's adapters is a critic or a reward model. A policy whose value head is its own is none.
func IsCritic(adapter string) bool { return isValue(engine.Policy(adapter)) }
