package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"parley/task/sums"
)

// A reply writes an agent's solution of a later turn from its own last one and those of the others.
type reply func(rng *rand.Rand, s sums.Sum, own solution, others []solution) solution

// laterTurn is how the base answers once it has seen the others. Half of it only moves answers about; what training can
// gain at later turns is in recheck.
var laterTurn = []share[reply]{
	{32, keep},
	{26, adopt},
	{26, recheck},
	{16, shrug},
}

// judgedTurn is laterTurn where scores of a verifier are shown: the base trusts them in part.
var judgedTurn = []share[reply]{
	{40, trust},
	{20, keep},
	{15, adopt},
	{25, recheck},
}

// keep repeats the own answer.
func keep(_ *rand.Rand, _ sums.Sum, own solution, _ []solution) solution {
	return boxed("Same.\n", own.answer)
}

// adopt takes the answer of one of the others; an agent alone keeps its own.
func adopt(rng *rand.Rand, s sums.Sum, own solution, others []solution) solution {
	if len(others) == 0 {
		return keep(rng, s, own, others)
	}
	i := rng.IntN(len(others))
	return follow(i, others[i])
}

func follow(i int, other solution) solution {
	return boxed(fmt.Sprintf("Agent %d is right.\n", i+1), other.answer)
}

// recheck works it out again, without slips.
func recheck(_ *rand.Rand, s sums.Sum, _ solution, _ []solution) solution {
	lines, answer, _ := work(s, never)
	return boxed("Check:\n"+strings.Join(lines, "\n")+"\n", answer)
}

// shrug guesses.
func shrug(rng *rand.Rand, s sums.Sum, _ solution, _ []solution) solution {
	return guess("Hm, ")(rng, s)
}

// trust keeps the own answer or follows the first other one, whichever is right; where none is, it checks.
func trust(rng *rand.Rand, s sums.Sum, own solution, others []solution) solution {
	if own.right(s) {
		return keep(rng, s, own, others)
	}
	for i, o := range others {
		if o.right(s) {
			return follow(i, o)
		}
	}
	return recheck(rng, s, own, others)
}
