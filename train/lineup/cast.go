package lineup

import (
	"parley/internal/seed"
	"parley/rl/rollout"
)

// cast gives out the parts of a team for each problem (team.cast: drawn); nil: everybody plays the own one, or all are the same.
func (l Lineup) cast() func(actors []rollout.Actor, number int) []rollout.Actor {
	if l.Recipe.Team.Cast != "drawn" || !l.Recipe.AlgorithmType().Untrained() || l.alike() {
		return nil
	}
	return func(actors []rollout.Actor, number int) []rollout.Actor {
		out := make([]rollout.Actor, len(actors))
		for part, who := range Cast(uint64(l.Recipe.Seed), number, len(actors)) {
			out[part] = actors[who]
			out[part].Name = actors[part].Name // as others know it
		}
		return out
	}
}

// Cast is who of n agents plays each part for the problem of a number.
func Cast(root uint64, number, n int) []int {
	return seed.Stream(seed.Derive(root, "cast", number)).Perm(n)
}

// alike reports whether all agents draw with one base in one way.
func (l Lineup) alike() bool {
	for agent := range l.Protocol.Agents() {
		a := l.actor(agent, nil, true)
		if l.Sharing.Bases[agent] != l.Sharing.Bases[0] || a.Speaker != nil || a.Own != nil || len(l.Recipe.Team.ToolsOf(agent)) > 0 {
			return false
		}
	}
	return true
}
