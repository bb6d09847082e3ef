package sums

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"parley/internal/seed"
	"parley/task"
)

// Most is the largest number that occurs in a problem or in its solution; the smallest is 0.
const Most = 99

// Corpus is the split that the shipped base model is trained on. [Task.Problems] does not serve it.
const Corpus task.Split = "corpus"

// A Step is one operation on the running result.
type Step struct {
	Op byte // '+', '-' or '*'
	N  int  // right operand
}

// A Sum is the arithmetic content of a problem, worked from left to right without precedence: 23 + 18 - 12. Only its first
// step may be a product.
type Sum struct {
	Start int
	Steps []Step
}

// apply returns a op n.
func apply(a int, s Step) int {
	switch s.Op {
	case '+':
		return a + s.N
	case '-':
		return a - s.N
	default:
		return a * s.N
	}
}

// Results returns the running result after each step.
func (s Sum) Results() []int {
	out := make([]int, len(s.Steps))
	r := s.Start
	for i, step := range s.Steps {
		r = apply(r, step)
		out[i] = r
	}
	return out
}

// Answer returns the result of the last step.
func (s Sum) Answer() int { return s.Results()[len(s.Steps)-1] }

// String writes the sum as one expression: "23+18-12".
func (s Sum) String() string {
	var b strings.Builder
	fmt.Fprint(&b, s.Start)
	for _, step := range s.Steps {
		fmt.Fprintf(&b, "%c%d", step.Op, step.N)
	}
	return b.String()
}

// work has each step with its result, a line each.
func (s Sum) work() string {
	var lines []string
	before := s.Start
	for i, r := range s.Results() {
		lines = append(lines, fmt.Sprintf("%d%c%d=%d", before, s.Steps[i].Op, s.Steps[i].N, r))
		before = r
	}
	return strings.Join(lines, "\n")
}

// spaced is [Sum.String] with a space around every sign, "×" for a product.
func (s Sum) spaced() string {
	return strings.NewReplacer("+", " + ", "-", " - ", "*", " × ").Replace(s.String())
}

// Key is the same for sums with the same signed terms in any order: what makes a problem arithmetically new. "23+18-12" and
// "18-12+23" have one key.
func (s Sum) Key() string {
	first, rest := "+"+strconv.Itoa(s.Start), s.Steps
	if rest[0].Op == '*' {
		first, rest = "+"+strconv.Itoa(min(s.Start, rest[0].N))+"*"+strconv.Itoa(max(s.Start, rest[0].N)), rest[1:]
	}
	terms := []string{first}
	for _, step := range rest {
		terms = append(terms, string(step.Op)+strconv.Itoa(step.N))
	}
	slices.Sort(terms)
	return strings.Join(terms, " ")
}

// Split returns the split that every problem with this content belongs to, whatever its words: 15 % of all contents are
// held out for [task.Test], 25 % are for [task.Train], and the base model's corpus is made from the other 60 %.
func (s Sum) Split() task.Split { return splitOf(s.Key()) }

func splitOf(key string) task.Split {
	switch h := seed.Derive(0, "sums: split of "+key) % 20; {
	case h < 3:
		return task.Test
	case h < 8:
		return task.Train
	default:
		return Corpus
	}
}

// valid reports whether every number of the sum is within 0..Most.
func (s Sum) valid() bool {
	for _, r := range s.Results() {
		if r < 0 || r > Most {
			return false
		}
	}
	return true
}

// most is the largest number of the sum and of its solution.
func (s Sum) most() int {
	most := s.Start
	for i, r := range s.Results() {
		most = max(most, s.Steps[i].N, r)
	}
	return most
}

// drawSum returns a random valid sum of n steps whose steps use ops ('+', '-').
func drawSum(rng *rand.Rand, n int, ops string) Sum {
	for {
		s := Sum{Start: 5 + rng.IntN(85)}
		for range n {
			s.Steps = append(s.Steps, Step{Op: ops[rng.IntN(len(ops))], N: 2 + rng.IntN(39)})
		}
		if s.valid() {
			return s
		}
	}
}

// drawProduct is drawSum with a product of a small factor for the first step.
func drawProduct(rng *rand.Rand, n int, ops string) Sum {
	for {
		s := drawSum(rng, n, ops)
		s.Start, s.Steps[0] = 2+rng.IntN(4), Step{Op: '*', N: 3 + rng.IntN(18)}
		if s.valid() {
			return s
		}
	}
}
