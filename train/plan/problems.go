package plan

import (
	"parley/internal/seed"
	"parley/task"
)

// A ProblemSampler deals training problems to updates: each epoch is a fresh shuffle of all of them, from a stream of its own, so the
// problems of an update are a function of the seed and the update alone.
type ProblemSampler struct {
	Problems  []task.Problem
	PerUpdate int
	Seed      uint64

	epoch int
	perm  []int
}

// Batch returns the problems of an update, from 0.
func (o *ProblemSampler) Batch(update int) []task.Problem {
	out := make([]task.Problem, o.PerUpdate)
	for i := range out {
		at := update*o.PerUpdate + i
		out[i] = o.Problems[o.shuffled(at / len(o.Problems))[at%len(o.Problems)]]
	}
	return out
}

func (o *ProblemSampler) shuffled(epoch int) []int {
	if o.perm == nil || o.epoch != epoch {
		o.epoch = epoch
		o.perm = seed.Stream(seed.Derive(o.Seed, "order", epoch)).Perm(len(o.Problems))
	}
	return o.perm
}

// EpochEnds reports whether an update, from 0, draws the last problem of an epoch.
func (o *ProblemSampler) EpochEnds(update int) bool {
	return (update+1)*o.PerUpdate/len(o.Problems) > update*o.PerUpdate/len(o.Problems)
}
