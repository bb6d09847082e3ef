package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"parley/internal/seed"
	"parley/task"
	"parley/task/classeval"
	"parley/task/code"
)

// This file writes problems in the forms of the data sets.

// The data sets, by the names of their tasks.
var humanEval, coopHumanEval, mbpp, classEval = code.HumanEval().Name, code.CoopHumanEval().Name, code.MBPP().Name, classeval.Type().Name

// A codeSet is one of them: how its problems are drawn, written and read.
type codeSet struct {
	shape shape
	write func(id int, p problem, rng *rand.Rand) any // a record of its form
}

// codeSets are those whose problems ask for one function, by the names of their tasks.
var codeSets = map[string]codeSet{
	humanEval:     {pairs, documented("    '''Return %s.\n    >>> %s(%s)\n    %s\n    '''\n")},
	coopHumanEval: {lists, documented("    '''Return %s.\n\nFor example:\n>>> %s(%s)\n%s\n'''\n")},
	mbpp: {chains, func(id int, p problem, rng *rand.Rand) any {
		var tests []string
		for _, c := range p.calls(rng, 3) {
			tests = append(tests, fmt.Sprintf("assert %s(%s) == %s", p.whole.entry, c.given, c.result))
		}
		return map[string]any{"task_id": fmt.Sprintf("small-%d", id), "prompt": "Write a function that returns " + p.returns() + ".", "code": p.solution(), "test_list": tests}
	}},
}

// documented writes HumanEval's form, with a docstring of what the function returns, its name, and a call with its result.
func documented(docstring string) func(id int, p problem, rng *rand.Rand) any {
	return func(id int, p problem, rng *rand.Rand) any {
		calls := p.calls(rng, 4)
		return map[string]any{
			"task_id": fmt.Sprintf("small-%d", id), "entry_point": p.whole.entry, "test": checks(calls[1:]),
			"prompt":             p.head() + fmt.Sprintf(docstring, p.returns(), p.whole.entry, calls[0].given, calls[0].result),
			"canonical_solution": strings.TrimPrefix(p.solution(), p.head()) + "\n",
		}
	}
}

// checks is HumanEval's test of calls.
func checks(calls []call) string {
	test := "def check(candidate):\n"
	for _, c := range calls {
		test += fmt.Sprintf("    assert candidate(%s) == %s\n", c.given, c.result)
	}
	return test
}

// corpusSplit is the split that the base learns from.
const corpusSplit task.Split = "corpus"

// splitOf is the split that a problem belongs to, by what its function returns: half of all are for the corpus, a quarter each for training and
// for reports.
func splitOf(p problem) task.Split {
	switch seed.Derive(0, "coder: split of "+p.returns()) % 4 {
	case 0:
		return task.Test
	case 1:
		return task.Train
	}
	return corpusSplit
}

// known are the lists of problemsOf: they are asked for again for every document.
var known sync.Map

// problemsOf lists the problems of a shape in a split.
func (s shape) problemsOf(split task.Split) []problem {
	key := [2]string{s.sentence, string(split)}
	if list, ok := known.Load(key); ok {
		return list.([]problem)
	}
	var out []problem
	for _, w := range s.wholes {
		for _, step := range steps() {
			if p := (problem{s, step, w}); splitOf(p) == split {
				out = append(out, p)
			}
		}
	}
	known.Store(key, out)
	return out
}

// madeHalf is how many problems of each split ship.
const madeHalf = 40

// madeSet writes a data set as JSON lines: problems for training, then as many that are held out.
func madeSet(name string) []byte {
	rng := seed.Stream(seed.Derive(1, "coder: "+name))
	var lines []byte
	for i, split := range slices.Concat(slices.Repeat([]task.Split{task.Train}, madeHalf), slices.Repeat([]task.Split{task.Test}, madeHalf)) {
		lines = append(append(lines, must(json.Marshal(record(name, split, i, rng)))...), '\n')
	}
	return lines
}

// record writes problem i of a data set: of problems of one function none occurs twice.
func record(name string, split task.Split, i int, rng *rand.Rand) any {
	set, ok := codeSets[name]
	if !ok {
		return drawClass(rng, split).record(i, rng)
	}
	all := slices.Clone(set.shape.problemsOf(split))
	seed.Stream(1).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return set.write(i, all[i%madeHalf], rng)
}
