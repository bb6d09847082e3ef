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
	{42, careful},
	{14, brisk},
	{22, guess("I guess ")},
	{22, guess("Maybe ")},
}

// explained is how the base answers a request to explain.
var explained = []share[style]{
	{35, explain},
	{35, careful},
	{30, guess("I guess ")},
}

// slipRate is the share of carries and borrows that a careful solution forgets.
const slipRate = 0.2

// boxed writes an answer after the lines before it.
func boxed(before string, answer int) solution {
	return solution{fmt.Sprintf("%sAnswer: \\boxed{%d}", before, answer), answer}
}

// careful works step by step, one line each; now and then it forgets a carry and goes on with the wrong result.
func careful(rng *rand.Rand, s sums.Sum) solution {
	for {
		lines, answer, inRange := work(s, func() bool { return rng.Float64() < slipRate })
		if inRange {
			return boxed(strings.Join(lines, "\n")+"\n", answer)
		}
	}
}

// work writes a line per step; slips is asked at every carry whether it is forgotten. inRange reports whether all results lie
// in 0..sums.Most, which only slips can change.
func work(s sums.Sum, slips func() bool) (lines []string, answer int, inRange bool) {
	r, inRange := s.Start, true
	for _, step := range s.Steps {
		next := sums.Sum{Start: r, Steps: []sums.Step{step}}.Answer()
		if wrong := forgetCarry(r, step, next); wrong != next && slips() {
			next = wrong
		}
		lines = append(lines, fmt.Sprintf("%d%c%d=%d", r, step.Op, step.N, next))
		r, inRange = next, inRange && 0 <= next && next <= sums.Most
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
	answer := hunch(rng, s)
	return boxed(fmt.Sprintf("%s=%d\n", s, answer), answer)
}

// guess says a number without working.
func guess(opening string) style {
	return func(rng *rand.Rand, s sums.Sum) solution {
		answer := hunch(rng, s)
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

// hunch is an answer without working: often right, else a near miss.
func hunch(rng *rand.Rand, s sums.Sum) int {
	answer := s.Answer()
	if rng.IntN(10) < 6 {
		return answer
	}
	for {
		near := answer + []int{-20, -11, -10, -9, -2, -1, 1, 2, 9, 10, 11, 20}[rng.IntN(12)]
		if near >= 0 && near <= sums.Most {
			return near
		}
	}
}
