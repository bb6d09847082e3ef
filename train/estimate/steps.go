package estimate

import (
	"parley/engine"
	"parley/learn"
	"parley/recipe"
	"parley/task"
	"parley/train/plan"
)

// steps counts the optimizer steps of a run, those of critics included, at most: no tree ends early, and all candidates earn different
// rewards. Those of a reward model, before the run proper, are left out.
func steps(r *recipe.Recipe) (int, error) {
	switch {
	case r.Algorithm == recipe.MAPPO:
		return r.Training.Updates * policiesAnUpdate(r) * r.PPO.Epochs * r.PPO.Minibatches, nil
	case r.Algorithm == recipe.SFT && r.SFT.Pool == "run":
		return policiesAnUpdate(r) * r.SFT.Epochs * r.SFT.Minibatches, nil
	case r.Algorithm == recipe.SFT:
		return r.Training.Updates * policiesAnUpdate(r) * r.SFT.Epochs * r.SFT.Minibatches, nil
	case r.Algorithm == recipe.MADPO:
		return pairSteps(r), nil
	}
	return bufferSteps(r)
}

// policiesAnUpdate counts those that an update of a debate trains, critics included.
func policiesAnUpdate(r *recipe.Recipe) int {
	policies := len(plan.Sharing(r).Trained(r.Team.Turns, r.Critics() == learn.CriticsOwn))
	if r.Algorithm == recipe.MAPPO && r.PPO.Schedule == "alternating" {
		policies /= r.Team.Turns - r.Policies.FirstTrainedTurn + 1
	}
	return policies
}

// pairSteps counts one step of every policy for each batch of pairs, those included that are replayed from earlier iterations.
func pairSteps(r *recipe.Recipe) int {
	p, total := r.Preference, 0
	all := p.Candidates * (p.Candidates - 1) / 2
	if p.Comparator != "current" {
		all = p.Candidates * p.Candidates / 4
	}
	if p.Choose != "all" {
		all = min(all, p.Pairs)
	}
	for update := range r.Training.Updates {
		replayed := map[string]int{"nearest": p.Nearest, "all": p.Iterations, "decay": p.Iterations}[p.Replay]
		pairs := r.Training.Problems * all * (1 + min(r.Iteration(update), replayed))
		total += (pairs + p.Batch - 1) / p.Batch * policiesAnUpdate(r)
	}
	return total
}

// bufferSteps lets the samples of all updates go through the buffers, in their order (magrpo.md §2.4).
func bufferSteps(r *recipe.Recipe) (int, error) {
	problem, err := samplesOf(r)
	if err != nil {
		return 0, err
	}
	total := 0
	b := learn.Buffers[unit]{Size: r.Group.Buffer, Drain: func(full []learn.PolicySamples[unit]) error {
		for _, f := range full {
			for _, batch := range learn.StepBatches(r.Group, f.Samples, func(u unit) int { return u.turn }, nil) {
				total += stepsOf(r, batch)
			}
		}
		return nil
	}}
	epochs := plan.ProblemSampler{Problems: make([]task.Problem, max(r.Task.Train, 1)), PerUpdate: r.Training.Problems}
	for update := range r.Training.Updates {
		for range r.Training.Problems {
			for _, u := range problem {
				if err := b.Add(learn.PolicyRef{Policy: u.policy}, u); err != nil {
					return 0, err
				}
			}
		}
		last := update+1 == r.Training.Updates
		if r.Group.BufferAcrossUpdates && !r.Algorithm.ActorCritic() && !last && !epochs.EpochEnds(update) {
			continue
		}
		if err := b.Flush(); err != nil {
			return 0, err
		}
		if !r.Group.BufferAcrossUpdates || r.Algorithm.ActorCritic() {
			return total * r.Training.Updates, nil // the others are like the first
		}
	}
	return total, nil
}

// A unit stands for a sample in a buffer.
type unit struct {
	policy engine.Policy
	turn   int
	lead   bool // the central critic learns from it
}

// stepsOf counts those of a minibatch: one of the policy, and one of a critic with parameters of its own.
func stepsOf(r *recipe.Recipe, batch []unit) int {
	if !r.Algorithm.ActorCritic() || r.Critic.Head == "shared" {
		return 1
	}
	for _, u := range batch {
		if u.lead || r.Algorithm != recipe.MAAC {
			return 2
		}
	}
	return 1
}

// samplesOf lists what one problem puts into the buffers: depth-first through a tree, or one dialogue after the other.
func samplesOf(r *recipe.Recipe) ([]unit, error) {
	size, err := r.Size()
	if err != nil {
		return nil, err
	}
	s := plan.Sharing(r)
	var out []unit
	add := func(turn, agent int) {
		if p := s.Policy(turn, agent); p != engine.Base {
			out = append(out, unit{p, turn, agent == r.Soloist()})
		}
	}
	if r.Algorithm.ActorCritic() {
		for range size.EnvSteps / size.Nodes {
			for agent := range r.Seats() {
				for turn := range r.Team.Turns {
					add(turn, agent)
				}
			}
		}
		return out, nil
	}
	var visit func(turn int)
	visit = func(turn int) {
		for agent := range r.Seats() {
			add(turn, agent)
		}
		for range max(size.Branching, 1) {
			if turn+1 < r.Team.Turns {
				visit(turn + 1)
			}
		}
	}
	visit(0)
	return out, nil
}
