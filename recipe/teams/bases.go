package teams

import (
	"slices"

	"parley/recipe/keys"
)

// FewestSharing is the least number of trained agents over one base, given the base of every agent; all of them where none is trained.
func FewestSharing(bases []string, frozen func(agent int) bool) int {
	trained := map[string]int{}
	for agent, base := range bases {
		if !frozen(agent) {
			trained[base]++
		}
	}
	fewest := len(bases)
	for _, n := range trained {
		fewest = min(fewest, n)
	}
	return fewest
}

// Places says what the policies of each agent are over: its base, and the embedded engine where it computes there though the recipe has engines
// elsewhere ([keys.Engine.Elsewhere]). An agent that is no model has the place of the soloist.
func Places(bases []string, agents keys.Agents, soloist int, elsewhere string) []string {
	out := slices.Clone(bases)
	for agent := range out {
		if Embedded(agents, agent, soloist, elsewhere) && elsewhere != "" {
			out[agent] += " embedded"
		}
	}
	return out
}

// Embedded says that an agent speaks and learns on the embedded engine.
func Embedded(agents keys.Agents, agent, soloist int, elsewhere string) bool {
	if elsewhere == "" {
		return true
	}
	own := func(i int) keys.Agent {
		if i < len(agents.Named) {
			return agents.Named[i]
		}
		return keys.Agent{}
	}
	if own(agent).Speaker() != "" && agent != soloist {
		agent = soloist
	}
	return own(agent).Engine == "embedded"
}
