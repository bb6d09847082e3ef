package teams

import (
	"strings"

	"parley/team/workflow"
)

// An Asking is a turn of a workflow: how many agents it asks at most, and how many completions of each it wants; 0: as many as everywhere.
type Asking struct{ Agents, Samples int }

// Asks lists the turns of an episode in which every step is taken.
func Asks(s workflow.Spec) []Asking {
	if workflow.MostTurns(s.Steps) > workflow.Longest {
		return nil // which is refused
	}
	sizes := map[string]int{}
	return asksOf(s.Steps, len(s.Agents), sizes)
}

func asksOf(steps []workflow.Step, agents int, groups map[string]int) (out []Asking) {
	for _, s := range steps {
		for _, g := range s.Groups {
			groups[g.Name] = g.Size
		}
		for range max(s.Repeat, 0) {
			out = append(out, asksOf(s.Steps, agents, groups)...)
		}
		if len(s.Ask) == 0 {
			continue
		}
		n := 0
		for _, name := range s.Ask {
			n += max(groups[name], 1)
		}
		if strings.HasPrefix(s.Ask[0], "=") {
			n = agents
		}
		out = append(out, Asking{min(n, max(agents, 1)), s.Samples})
	}
	return out
}
