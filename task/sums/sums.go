// Package sums is the task that parley trains on when it is told nothing else: word problems of two or three steps of
// whole-number arithmetic, made by a seeded generator, so that nothing has to be downloaded.
//
//	Mia has 23 shells. She finds 18 and gives 12 to Tom. How many shells are left?
//
// Every number of a problem and of its solution lies in 0..99, or below a smaller bound. A problem's arithmetic content (its numbers and
// operations, see [Sum.Key]) decides by a hash which split it belongs to, whatever words it is told in: problems for
// training, held-out problems, and the problems in the corpus of the shipped base model never share their content.
//
// Answers are read with the parsers of package answer: the last \boxed{…} of a text, or its last number.
package sums

import (
	"fmt"
	"iter"

	"parley/internal/seed"
	"parley/task"
	"parley/task/answer"
)

// Options choose the problems.
type Options struct {
	Steps int    // of every problem, 1..4; 0 mixes 2 and 3, which is what the shipped base has learned
	Most  int    // largest number of a problem and of its solution, 10..99; 0: 99. Smaller numbers are easier
	Bare  bool   // the question is the sum itself, "23 + 18 - 12", without a story
	Last  bool   // take the last number of a text for its answer, for models that put nothing in a box
	Seed  uint64 // of the generator
}

// Task is the task sums. It is a [task.Answerer].
type Task struct{ opt Options }

// New returns the task for the given options.
func New(opt Options) (*Task, error) {
	if opt.Steps < 0 || opt.Steps > 4 {
		return nil, fmt.Errorf("sums: steps is %d: write 1 to 4, or 0 for a mixture of 2 and 3", opt.Steps)
	}
	if opt.Most == 0 {
		opt.Most = Most
	}
	if opt.Most < 10 || opt.Most > Most {
		return nil, fmt.Errorf("sums: most is %d: write 10 to %d, or 0 for %d", opt.Most, Most, Most)
	}
	return &Task{opt}, nil
}

// Name implements [task.Task].
func (t *Task) Name() string { return name }

// Problems returns the first n problems of [task.Train] or [task.Test]. No two of them have the same content. There are
// several ten thousand contents of two steps alone; only with a low [Options.Most] or a single step there may be fewer
// than n.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) {
	if split != task.Train && split != task.Test {
		return nil, fmt.Errorf("sums: there is no split %q: write %q or %q", split, task.Train, task.Test)
	}
	out := make([]task.Problem, 0, max(0, n))
	for s, question := range t.draws(split) {
		if len(out) >= n {
			break
		}
		out = append(out, task.Problem{
			ID:       fmt.Sprintf("sums-%s-%06d", split, len(out)),
			Question: question,
			Truth:    fmt.Sprint(s.Answer()),
			Work:     s.work(),
		})
	}
	return out, nil
}

// maxMisses draws in a row without a new content end a split.
const maxMisses = 10_000

// draws yields the sums of a split and their stories in order, each content once.
func (t *Task) draws(split task.Split) iter.Seq2[Sum, string] {
	return func(yield func(Sum, string) bool) {
		rng := seed.Stream(seed.Derive(t.opt.Seed, "sums: problems of "+string(split)))
		seen := map[string]bool{}
		for misses := 0; misses < maxMisses; misses++ {
			s, tell := Draw(rng, t.steps(rng.IntN(2)))
			key := s.Key()
			if splitOf(key) != split || seen[key] || s.most() > t.opt.Most {
				continue
			}
			misses, seen[key] = 0, true
			if t.opt.Bare {
				tell = s.spaced
			}
			if !yield(s, tell()) {
				return
			}
		}
	}
}

// steps returns the number of steps of a problem; coin (0 or 1) decides where both lengths are mixed.
func (t *Task) steps(coin int) int {
	if t.opt.Steps == 0 {
		return 2 + coin
	}
	return t.opt.Steps
}

// Answer returns the number in the last \boxed{…} of text, or its last number, in canonical form.
func (t *Task) Answer(text string) (canonical string, ok bool) {
	if t.opt.Last {
		return answer.LastNumber(text)
	}
	return answer.Math(text)
}
