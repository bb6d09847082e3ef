// Package sums is the task that parley trains on when it is told nothing else: word problems of two or three steps of
// whole-number arithmetic, made by a seeded generator, so that nothing has to be downloaded.
//
//	Mia has 23 shells. She finds 18 and gives 12 to Tom. How many shells are left?
//
// Every number of a problem and of its solution lies in 0..99. A problem's arithmetic content (its numbers and
// operations, see [Sum.Key]) decides by a hash which split it belongs to, whatever words it is told in: problems for
// training, held-out problems, and the problems in the corpus of the shipped base model never share their content.
//
// Answers are read with the maths parser of package eval: the last \boxed{…} of a text.
package sums

import (
	"fmt"

	"parley/eval"
	"parley/seed"
	"parley/task"
)

// Options choose the problems.
type Options struct {
	Steps int    // of every problem, 1..4; 0 mixes 2 and 3, which is what the shipped base has learned
	Seed  uint64 // of the generator
}

// Task is the task "sums". It is a [task.Answerer].
type Task struct{ opt Options }

// New returns the task for the given options.
func New(opt Options) (*Task, error) {
	if opt.Steps < 0 || opt.Steps > 4 {
		return nil, fmt.Errorf("sums: steps is %d: write 1 to 4, or 0 for a mixture of 2 and 3", opt.Steps)
	}
	return &Task{opt}, nil
}

// Name returns "sums".
func (t *Task) Name() string { return "sums" }

// maxDraws bounds the search for a new problem: a split counts as exhausted after this many draws in a row without a new
// one. With one step that happens (a split then has some hundred contents); with two or more there are plenty.
const maxDraws = 10_000

// Problems returns the first n problems of [task.Train] or [task.Test]. No two of them have the same content.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) {
	if split != task.Train && split != task.Test {
		return nil, fmt.Errorf("sums: there is no split %q: write %q or %q", split, task.Train, task.Test)
	}
	rng := seed.Stream(seed.Derive(t.opt.Seed, "sums: problems of "+string(split)))
	seen := map[string]bool{}
	var out []task.Problem
	for misses := 0; len(out) < n && misses < maxDraws; misses++ {
		s, question := Draw(rng, t.steps(rng.IntN(2)))
		if s.Split() != split || seen[s.Key()] {
			continue
		}
		misses, seen[s.Key()] = 0, true
		out = append(out, problem(split, len(out), s, question))
	}
	return out, nil
}

// steps returns the number of steps of a problem; coin (0 or 1) decides where both lengths are mixed.
func (t *Task) steps(coin int) int {
	if t.opt.Steps == 0 {
		return 2 + coin
	}
	return t.opt.Steps
}

func problem(split task.Split, i int, s Sum, question string) task.Problem {
	return task.Problem{
		ID:       fmt.Sprintf("sums-%s-%06d", split, i),
		Question: question,
		Truth:    fmt.Sprint(s.Answer()),
	}
}

// Answer returns the number in the last \boxed{…} of text in canonical form.
func (t *Task) Answer(text string) (canonical string, ok bool) { return eval.Math(text) }
