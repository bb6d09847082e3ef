package verifier

import (
	"fmt"

	"parley/internal/seed"
	"parley/task"
)

// Split parts solutions by question into those to train on and those to validate on: about this share of the questions, at
// least one of each.
func Split(solutions []Solution, share float64, root uint64) (train, validation []Solution, err error) {
	groups := GroupByQuestion(solutions)
	if len(groups) < 2 {
		return nil, nil, fmt.Errorf("the data have solutions of %d questions: two are needed, one to train on and one to validate on", len(groups))
	}
	held := min(len(groups)-1, max(1, int(share*float64(len(groups))+0.5)))
	for i, g := range seed.Stream(seed.Derive(root, "verifier split")).Perm(len(groups)) {
		if i < held {
			validation = append(validation, groups[g].Solutions...)
		} else {
			train = append(train, groups[g].Solutions...)
		}
	}
	return train, validation, nil
}

// Keys lists the questions of solutions, each once.
func Keys(solutions []Solution) []Key {
	var keys []Key
	for _, g := range GroupByQuestion(solutions) {
		keys = append(keys, KeyOf(g.Problem))
	}
	return keys
}

// Shared returns the first problem whose question is among keys. A verifier must not have seen the questions that policies are
// trained or measured on (paper footnote 2).
func Shared(keys []Key, problems []task.Problem) (task.Problem, bool) {
	known := map[Key]bool{}
	for _, k := range keys {
		known[k] = true
	}
	for _, p := range problems {
		if known[KeyOf(p)] {
			return p, true
		}
	}
	return task.Problem{}, false
}
