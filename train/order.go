package train

import (
	"parley/internal/seed"
	"parley/task"
)

// order deals training problems to updates: each epoch is a fresh shuffle of all of them, from a stream of its own, so the
// problems of an update are a function of the seed and the update alone.
type order struct {
	problems  []task.Problem
	perUpdate int
	seed      uint64

	epoch int
	perm  []int
}

// batch returns the problems of an update, from 0.
func (o *order) batch(update int) []task.Problem {
	out := make([]task.Problem, o.perUpdate)
	for i := range out {
		at := update*o.perUpdate + i
		out[i] = o.problems[o.shuffled(at / len(o.problems))[at%len(o.problems)]]
	}
	return out
}

func (o *order) shuffled(epoch int) []int {
	if o.perm == nil || o.epoch != epoch {
		o.epoch = epoch
		o.perm = seed.Stream(seed.Derive(o.seed, "order", epoch)).Perm(len(o.problems))
	}
	return o.perm
}

// epochEnds reports whether an update, from 0, draws the last problem of an epoch.
func (o *order) epochEnds(update int) bool {
	return (update+1)*o.perUpdate/len(o.problems) > update*o.perUpdate/len(o.problems)
}
