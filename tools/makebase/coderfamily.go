package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// This file is the family of functions that parley-coder writes: a step is taken with each of some numbers, and the results become one.

// A step is what is done to one number.
type step struct {
	words, code string // such as "plus 3"; Python, with X for the number
	of          func(x int) int
	kind, k     int // steps of one kind differ in k; 0: there is none
}

// on is the step as a part of a greater expression.
func (s step) on(x string) string {
	if e := strings.ReplaceAll(s.code, "X", x); !strings.HasPrefix(e, "abs") {
		return "(" + e + ")"
	}
	return strings.ReplaceAll(s.code, "X", x)
}

// steps lists all of them.
var steps = sync.OnceValue(func() (all []step) {
	for kind, s := range []struct {
		words, code string
		least       int
		of          func(x, k int) int
	}{
		{"plus", "X + ", 1, func(x, k int) int { return x + k }},
		{"minus", "X - ", 1, func(x, k int) int { return x - k }},
		{"times", "X * ", 2, func(x, k int) int { return x * k }},
		{"modulo", "X % ", 2, modulo},
		{"over", "X // ", 2, func(x, k int) int { return (x - modulo(x, k)) / k }},
	} {
		for k := s.least; k < 10; k++ {
			all = append(all, step{fmt.Sprintf("%s %d", s.words, k), fmt.Sprint(s.code, k), func(x int) int { return s.of(x, k) }, kind, k})
		}
	}
	return append(all,
		step{"squared", "X * X", func(x int) int { return x * x }, 5, 0},
		step{"cubed", "X * X * X", func(x int) int { return x * x * x }, 6, 0},
		step{"negated", "-X", func(x int) int { return -x }, 7, 0},
		step{"without sign", "abs(X)", func(x int) int { return max(x, -x) }, 8, 0})
})

// modulo is Python's remainder by a positive number.
func modulo(x, k int) int { return (x%k + k) % k }

// near draws a step that a careless coder takes for s.
func (s step) near(rng *rand.Rand) step {
	return pick(rng, slices.DeleteFunc(slices.Clone(steps()), func(o step) bool { return o.words == s.words || o.kind != s.kind && o.k != s.k }))
}

// A whole is how the results of steps become one.
type whole struct {
	entry, words string // the name of a function that does it; what it returns, such as "the sum of"
	code         string // Python, with P and Q for the results, or P for a list of them
	of           func(results []int) string
}

// A shape is how functions of a data set look.
type shape struct {
	parameters string
	wholes     []whole
	sentence   string                                       // what a function returns, with W for the words of its whole and S for those of its step
	names      []string                                     // of the numbers, whose results are P and Q
	results    string                                       // what P is, with X for one result; empty: that
	draw       func(rng *rand.Rand) (given string, x []int) // arguments of a call
}

// number writes a result in Python.
func number(of func(l []int) int) func([]int) string {
	return func(l []int) string { return fmt.Sprint(of(l)) }
}

// list writes results in Python.
func list(l []int) string { return strings.ReplaceAll(fmt.Sprint(l), " ", ", ") }

// pairs have two numbers, lists any, chains one that takes a second step.
var (
	pairs = shape{"a, b", []whole{
		{"total", "the sum of", "P + Q", number(func(l []int) int { return l[0] + l[1] })},
		{"gap", "the difference of", "P - Q", number(func(l []int) int { return l[0] - l[1] })},
		{"product", "the product of", "P * Q", number(func(l []int) int { return l[0] * l[1] })},
		{"larger", "the larger of", "max(P, Q)", number(slices.Max[[]int])},
		{"smaller", "the smaller of", "min(P, Q)", number(slices.Min[[]int])},
	}, "W a and b, each S", []string{"a", "b"}, "", func(rng *rand.Rand) (string, []int) {
		x := numbers(rng, 2)
		return fmt.Sprintf("%d, %d", x[0], x[1]), x
	}}
	lists = shape{"xs", []whole{
		{"total", "the sum of", "sum(P)", number(func(l []int) (sum int) {
			for _, x := range l {
				sum += x
			}
			return sum
		})},
		{"greatest", "the greatest of", "max(P)", number(slices.Max[[]int])},
		{"least", "the least of", "min(P)", number(slices.Min[[]int])},
		{"each", "the list of", "P", list},
		{"ordered", "the sorted list of", "sorted(P)", func(l []int) string { return list(slices.Sorted(slices.Values(l))) }},
	}, "W xs, each S", []string{"x"}, "[X for x in xs]", func(rng *rand.Rand) (string, []int) {
		x := numbers(rng, 3)
		return list(x), x
	}}
	chains = shape{"n", second(), "n S, W", []string{"n"}, "", func(rng *rand.Rand) (string, []int) {
		x := numbers(rng, 1)
		return fmt.Sprint(x[0]), x
	}}
)

// second are steps that follow another one.
func second() (all []whole) {
	for _, s := range steps() {
		if s.kind < 4 {
			all = append(all, whole{"change", "then " + s.words, strings.Replace(s.code, "X", "P", 1), number(func(l []int) int { return s.of(l[0]) })})
		}
	}
	return all
}

// numbers draws some for a call.
func numbers(rng *rand.Rand, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = rng.IntN(30) - 9
	}
	return out
}

// A problem asks for a function.
type problem struct {
	shape
	step  step
	whole whole
}

// returns says what the function returns.
func (p problem) returns() string {
	return strings.NewReplacer("W", p.whole.words, "S", p.step.words).Replace(p.sentence)
}

// terms are what is done to each number, as on writes it, or the list of that.
func (p problem) terms(on func(name string) string) (out []string) {
	for _, name := range p.names {
		out = append(out, strings.Replace(cmp.Or(p.results, "X"), "X", on(name), 1))
	}
	return out
}

// from writes the whole of terms.
func (w whole) from(terms []string) string {
	return strings.NewReplacer("P", terms[0], "Q", terms[len(terms)-1]).Replace(w.code)
}

// body is the expression that the function returns, where on writes what is done to a number.
func (p problem) body(on func(name string) string) string { return p.whole.from(p.terms(on)) }

// head is the function's first line.
func (p problem) head() string { return fmt.Sprintf("def %s(%s):\n", p.whole.entry, p.parameters) }

// solution is a right function that needs no helper.
func (p problem) solution() string { return p.head() + "    return " + p.body(p.step.on) }

// A call is one of the function, and its result, as Python writes both.
type call struct{ given, result string }

// calls draws n different ones.
func (p problem) calls(rng *rand.Rand, n int) (out []call) {
	for len(out) < n {
		given, x := p.draw(rng)
		for i := range x {
			x[i] = p.step.of(x[i])
		}
		if c := (call{given, p.whole.of(x)}); !slices.ContainsFunc(out, func(o call) bool { return o.given == c.given }) {
			out = append(out, c)
		}
	}
	return out
}
