package plan

import (
	"fmt"

	"parley/engine"
	"parley/internal/seed"
	"parley/recipe"
	"parley/rl/learn"
)

// opponentsOf are the recipe's; none where its algorithm has no opponents.
func opponentsOf(r *recipe.Recipe) (o learn.Opponents, plays bool) {
	o = recipe.Section[learn.Opponents](r)
	return o, o.Share > 0 && r.AlgorithmType().Reads(learn.OpponentsSection().Name)
}

// snapshots is how many places for earlier policies a run has. The untrained policies need none: they are the base.
func snapshots(r *recipe.Recipe) int {
	if o, plays := opponentsOf(r); plays {
		return o.Pool
	}
	return 0
}

// opponent names the i-th place for earlier values of a policy, from 0.
func opponent(p engine.Policy, i int) engine.Policy {
	return engine.Policy(fmt.Sprintf("%s-opponent%d", p, i+1))
}

// Snapshotted says where a policy is kept as it is after so many updates; false: it is not.
func Snapshotted(r *recipe.Recipe, p engine.Policy, done int) (engine.Policy, bool) {
	o, plays := opponentsOf(r)
	if !plays || done == 0 || done%o.Every != 0 {
		return "", false
	}
	return place(o, p, done/o.Every), true
}

// place is where the n-th snapshot of a policy lies; the 0th is the base. Snapshots take turns in the places of the pool.
func place(o learn.Opponents, p engine.Policy, n int) engine.Policy {
	if n == 0 {
		return engine.Base
	}
	return opponent(p, (n-1)%o.Pool)
}

// An Opponent plays an agent's part in an episode.
type Opponent struct {
	Agent    int // from 0
	Snapshot int // its number; the 0th is the base
	Updates  int // after which it was taken
	settings learn.Opponents
}

// Policy is what the opponent speaks with in the place of a policy.
func (o Opponent) Policy(p engine.Policy) engine.Policy {
	if p == engine.Base {
		return p
	}
	return place(o.settings, p, o.Snapshot)
}

// Opponents draws which episodes of the update after so many have an opponent: [problem][episode]; nil: none has. The share of all episodes of
// the update is kept to as far as their number allows, agents take turns, and snapshots are drawn from the newest of the pool. The draw is a
// function of the seed and the update alone.
func Opponents(r *recipe.Recipe, done, problems, episodes int) [][]*Opponent {
	o, plays := opponentsOf(r)
	if !plays {
		return nil
	}
	var agents []int
	for agent := range r.Team.Agents.N {
		if !r.Policies.IsFrozen(agent) {
			agents = append(agents, agent)
		}
	}
	rng := seed.Stream(seed.Derive(uint64(r.Seed), "opponents", done))
	newest := done / o.Every
	oldest := max(0, newest-o.Pool+1)
	out := make([][]*Opponent, problems)
	for i := range out {
		out[i] = make([]*Opponent, episodes)
	}
	turn := rng.IntN(len(agents)) // random, so that an odd number of episodes favors no agent for long
	for k, at := range rng.Perm(problems * episodes)[:int(o.Share*float64(problems*episodes)+0.5)] {
		n := oldest + rng.IntN(newest-oldest+1)
		out[at/episodes][at%episodes] = &Opponent{Agent: agents[(turn+k)%len(agents)], Snapshot: n, Updates: n * o.Every, settings: o}
	}
	return out
}
