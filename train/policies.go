package train

import (
	"fmt"
	"strings"

	"parley/engine"
	"parley/recipe"
)

// sharing says which policy an agent uses in a turn (maporl.md §6). Turns before the first trained one are spoken by the
// base itself.
type sharing struct {
	mode  string
	first int // first trained turn, from 0
}

func newSharing(p recipe.Policies) sharing { return sharing{p.Sharing, p.FirstTrainedTurn - 1} }

// policy returns the name of the policy of agent in turn, both from 0.
func (s sharing) policy(turn, agent int) engine.Policy {
	if turn < s.first {
		return engine.Base
	}
	return engine.Policy("policy" + s.suffix(turn, agent))
}

// value returns the name of the value adapter that goes with policy(turn, agent).
func (s sharing) value(turn, agent int) engine.Policy {
	return engine.Policy("value" + s.suffix(turn, agent))
}

func (s sharing) suffix(turn, agent int) string {
	switch s.mode {
	case "per-turn":
		return fmt.Sprintf("-turn%d", turn+1)
	case "per-agent":
		return fmt.Sprintf("-agent%d", agent+1)
	case "per-agent-turn":
		return fmt.Sprintf("-turn%d-agent%d", turn+1, agent+1)
	case "first-and-later":
		if turn == 0 {
			return "-first"
		}
		return "-later"
	}
	return ""
}

// all lists the distinct trained policies of a team in order of turn and agent, with their value adapters where wanted.
func (s sharing) all(turns, agents int, values bool) []engine.Policy {
	var out []engine.Policy
	seen := map[engine.Policy]bool{}
	add := func(p engine.Policy) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for t := s.first; t < turns; t++ {
		for a := range agents {
			add(s.policy(t, a))
			if values {
				add(s.value(t, a))
			}
		}
	}
	return out
}

// isValue reports whether a policy of [sharing.all] is a value adapter.
func isValue(p engine.Policy) bool { return strings.HasPrefix(string(p), "value") }
