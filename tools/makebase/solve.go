package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"parley/task/sums"
)

// A solution is what one agent wrote about a sum, and the answer it ends with.
type solution struct {
	text   string
	answer int
}

// right reports whether the solution's answer is that of s.
func (sol solution) right(s sums.Sum) bool { return sol.answer == s.Answer() }

// A style writes a solution.
type style func(rng *rand.Rand, s sums.Sum) solution

// firstTurn is how the base answers a question: like people, sometimes with care and sometimes not. What training can
// gain at turn 1 is in this mixture.
var firstTurn = []share[style]{
	{54, careful},
	{12, brisk},
	{17, guess("I guess ")},
	{17, guess("Maybe ")},
}

// explained is how the base answers a request to explain.
var explained = []share[style]{
	{35, explain},
	{35, careful},
	{30, guess("I guess ")},
}

// slipRate is the share of the carries and borrows that a careful solution forgets.
const slipRate = 0.1

// boxed writes an answer after the lines before it.
func boxed(before string, answer int) solution {
	return solution{fmt.Sprintf("%sAnswer: \\boxed{%d}", before, answer), answer}
}

// misreading is what a reader takes a problem for at first. Two kinds mislead: factors are read as numbers to add (5 bags of 9
// are 14), and of two people's things only the second's are counted. Any other problem is read as it is. Only a second look
// helps, which is what the later turns of a debate are for.
func misreading(s sums.Sum) sums.Sum {
	last := len(s.Steps) - 1
	switch {
	case s.Steps[0].Op == '*':
		return sums.Sum{Start: s.Start, Steps: append([]sums.Step{{Op: '+', N: s.Steps[0].N}}, s.Steps[1:]...)}
	case last == 1 && s.Steps[last] == (sums.Step{Op: '+', N: s.Start}):
		return sums.Sum{Start: s.Start, Steps: s.Steps[:last]}
	}
	return s
}

// careful works step by step, one line each; now and then it forgets a carry and goes on with the wrong result.
func careful(rng *rand.Rand, s sums.Sum) solution {
	read := misreading(s)
	for {
		lines, answer, inRange := work(read, func() bool { return rng.Float64() < slipRate })
		if inRange {
			return boxed(strings.Join(lines, "\n")+"\n", answer)
		}
	}
}

// work writes a line per step; slips is asked at every carry whether it is forgotten. Where a misreading or a slip has made
// the left number too small, the smaller is taken from the larger. inRange reports whether all results are at most sums.Most.
func work(s sums.Sum, slips func() bool) (lines []string, answer int, inRange bool) {
	r, inRange := s.Start, true
	for _, step := range s.Steps {
		next := sums.Sum{Start: r, Steps: []sums.Step{step}}.Answer()
		if wrong := forgetCarry(r, step, next); wrong != next && slips() {
			next = wrong
		}
		next = max(next, -next)
		lines = append(lines, fmt.Sprintf("%d%c%d=%d", r, step.Op, step.N, next))
		r, inRange = next, inRange && next <= sums.Most
	}
	return lines, r, inRange
}

func never() bool { return false }

// forgetCarry returns the result of a step whose carry or borrow was forgotten, or next, the right one, where there is none.
func forgetCarry(r int, step sums.Step, next int) int {
	switch a, b := r%10, step.N%10; {
	case step.Op == '+' && a+b >= 10, step.Op == '*' && r*b >= 10:
		return next - 10
	case step.Op == '-' && a < b:
		return next + 10
	}
	return next
}

// brisk writes the whole sum in one line.
func brisk(rng *rand.Rand, s sums.Sum) solution {
	read := misreading(s)
	answer := hunch(rng, read)
	return boxed(fmt.Sprintf("%s=%d\n", read, answer), answer)
}

// guess says a number without working.
func guess(opening string) style {
	return func(rng *rand.Rand, s sums.Sum) solution {
		answer := hunch(rng, misreading(s))
		return boxed(fmt.Sprintf("%s%d.\n", opening, answer), answer)
	}
}

// explain works step by step in words, without slips: the long form that task duet asks one agent for.
func explain(_ *rand.Rand, s sums.Sum) solution {
	lines, answer, _ := work(s, never)
	for i, step := range s.Steps {
		lines[i] = fmt.Sprintf("%s %s.", map[byte]string{'+': "Altogether", '-': "Remaining", '*': "Multiplied"}[step.Op], lines[i])
	}
	return boxed(strings.Join(lines, "\n")+"\n", answer)
}

// hunch is an answer without working: right three times in five, else a near miss.
func hunch(rng *rand.Rand, s sums.Sum) int {
	_, answer, _ := work(s, never)
	if rng.IntN(10) < 6 {
		return answer
	}
	for {
		near := answer + pick(rng, []int{-20, -11, -10, -9, -2, -1, 1, 2, 9, 10, 11, 20})
		if near >= 0 && near <= sums.Most {
			return near
		}
	}
}

// pick returns a random element.
func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }
