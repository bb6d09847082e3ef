package bank

// This file lets the program of a workflow read a bank of lessons (LessonL).
//
//	shown = lessons([(0, "Close the brackets."), (1.4, "A set is faster."), …], agents=3, source=problem.question, draw=problem.id)
//
// Each entry is a try, oldest first: what its program achieved, and the lesson that its author wrote on it. The result is the indices of those which all
// agents read in the next round. The bank is a function of the tries, as a workflow is one of what was said: nothing is kept between calls.

import (
	"fmt"
	"hash/fnv"
	"math"

	"go.starlark.net/starlark"

	"parley/internal/seed"
)

// Settings say which lessons are shown.
type Settings struct {
	Selector Selector
	Shown    int // the most of them in a round
}

// most is the most lessons of a bank. A bank begins with the problem, so it has at most the rounds of its workflow times the agents.
const most = 1024

// Builtin is the function for programs.
func (s Settings) Builtin() *starlark.Builtin { return starlark.NewBuiltin("lessons", s.call) }

func (s Settings) call(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list *starlark.List
	var agents int
	var source, draw string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "tries", &list, "agents", &agents, "source", &source, "draw", &draw); err != nil {
		return nil, err
	}
	if agents < 1 {
		return nil, fmt.Errorf("lessons: %d agents, expected the number of those who write in a round", agents)
	}
	if list.Len() > most {
		return nil, fmt.Errorf("lessons: the bank has grown to %d lessons, more than %d", list.Len(), most)
	}
	tries := make([]Try, list.Len())
	for i := range tries {
		var err error
		if tries[i], err = read(list.Index(i)); err != nil {
			return nil, err
		}
	}
	shown, _, err := Selection{Selector: s.Selector, K: s.Shown, Agents: agents}.Replay(tries, source, func(round, lessons int) []int {
		return seed.Stream(seed.Derive(hash(draw), "lessons", round)).Perm(lessons)
	})
	if err != nil {
		return nil, fmt.Errorf("lessons: %w", err)
	}
	out := make([]starlark.Value, len(shown))
	for i, z := range shown {
		out[i] = starlark.MakeInt(z)
	}
	return starlark.NewList(out), nil
}

// read reads a try: a pair of a number and a text.
func read(v starlark.Value) (t Try, err error) {
	if pair, ok := v.(starlark.Tuple); ok && len(pair) == 2 {
		speedup, number := starlark.AsFloat(pair[0])
		text, said := starlark.AsString(pair[1])
		if number && said && speedup >= 0 && !math.IsInf(speedup, 1) {
			return Try{Speedup: speedup, Lesson: text}, nil
		}
	}
	return t, fmt.Errorf(`lessons: a try is %.80s, expected a pair such as (1.4, "A set is faster."): a number from 0, and a text`, v.String())
}

// hash makes a seed of a text.
func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum64()
}
