// Package bank is a memory of lessons that several agents share (LessonL, arXiv 2505.23946, §3). Nothing is trained.
//
// In every round each agent writes a program, it is run, and the same agent writes a lesson of a sentence or two on what came of it. Lessons go to the
// bank, and all agents read the same k of them in the next round. They read lessons, never each other's programs.
//
//	bank.go     which lessons are shown, what becomes of their factors, the best program        [Selection], [Adjust], [Best]
//	words.go    how near a lesson is to a source: the cosine of bags of words                   [Relevance]
//	calls.go    who is asked what in a round, and what each call sees                           [Calls]; how a program did → its class and its credit                                   [Classify]
//	relay.go    agents in turn until one passes all tests, with lessons on failures only        [Relay]
//
// A lesson has the speed-up s of the program that it is about, 0 where that was wrong, and a factor f that begins at 1. Half of the k are those with
// the highest s·f, if that is at least 1.1; the rest are those nearest to the source. After a round in which lesson z was shown, with the new
// speed-ups s_i of n agents,
//
//	f_z = (1/n)·Σ_i (1.1 if s_i > s_z else 0.9)
//
// in the place of what it was: factors are not accumulated over rounds.
package bank

import (
	"cmp"
	"fmt"
	"slices"

	"parley/internal/tie"
)

// A Lesson is one entry of a bank.
type Lesson struct {
	Text          string
	Class         Class
	Round, Author int
	Speedup       float64 // of the program it is about, or the tests that it passed; 0: wrong
	Factor        float64 // 1 when it is new
	Relevance     float64 // to the source
}

// A Selector says by what lessons are chosen.
type Selector string

// The selectors.
const (
	BySpeed     Selector = "speed"     // highest s·f
	ByRelevance Selector = "relevance" // nearest to the source
	Hybrid      Selector = "hybrid"    // half by speed, of those fast enough, the rest by relevance
	ByPasses    Selector = "passes"    // as hybrid, without a threshold: speed-ups are tests passed
	AtRandom    Selector = "random"    // in an order that is given
)

// A Selection chooses the lessons of a round.
type Selection struct {
	Selector Selector
	K        int   // the most lessons that are shown
	Agents   int   // that write
	Order    []int // of AtRandom: the indices of the bank, shuffled
}

// Shown returns the lessons that agents read in a round, by index, in the order of their prompt. As long as round·agents is at most k all are shown.
func (s Selection) Shown(bank []Lesson, round int) ([]int, error) {
	all := make([]int, len(bank))
	for i := range all {
		all[i] = i
	}
	worth, relevance := make([]float64, len(bank)), make([]float64, len(bank))
	for i, z := range bank {
		worth[i], relevance[i] = z.Speedup*z.Factor, z.Relevance
	}
	k := min(s.K, len(bank))
	switch {
	case round*s.Agents <= s.K:
		return all, nil
	case s.Selector == BySpeed:
		return sorted(all, worth)[:k], nil
	case s.Selector == ByRelevance:
		return sorted(all, relevance)[:k], nil
	case s.Selector == Hybrid || s.Selector == ByPasses:
		return s.halves(all, worth, relevance), nil
	case s.Selector == AtRandom && len(s.Order) == len(bank):
		return s.Order[:k], nil
	}
	return nil, fmt.Errorf("selector %q of lessons with an order of %d for %d: write speed, relevance, hybrid, passes, or random with an order of all", s.Selector, len(s.Order), len(bank))
}

// halves are the fast lessons that fill half of k, then the nearest of all others. Fast ones for which there was no room come behind the others in
// the pool, the fastest first: among equally near ones a slow lesson wins.
func (s Selection) halves(all []int, worth, relevance []float64) []int {
	var fast, pool []int
	for _, z := range all {
		if s.Selector == ByPasses || reaches(worth[z], Fast) {
			fast = append(fast, z)
		} else {
			pool = append(pool, z)
		}
	}
	fast = sorted(fast, worth)
	half := min((s.K+1)/2, len(fast))
	pool = sorted(append(pool, fast[half:]...), relevance)
	return append(fast[:half:half], pool[:min(s.K-half, len(pool))]...)
}

// sorted orders lessons by a number, highest first; equals stay in their order.
func sorted(list []int, by []float64) []int {
	out, levels := slices.Clone(list), tie.Levels(by, 0)
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(levels[b], levels[a]) })
	return out
}

// The contributions to a lesson's factor of an agent whose program, after reading the lesson, is faster than the program that the
// lesson is about, and of one whose program is not.
const (
	better = 1.1
	worse  = 0.9
)

// Adjust replaces the factors of the lessons that were shown by what the programs written with them achieved; speedups are those of all agents. It
// changes the bank.
func Adjust(bank []Lesson, shown []int, speedups []float64) {
	if len(speedups) == 0 {
		return
	}
	for _, z := range shown {
		sum := 0.0
		for _, s := range speedups {
			if tie.Above(s, bank[z].Speedup, 0) {
				sum += better
			} else {
				sum += worse
			}
		}
		bank[z].Factor = sum / float64(len(speedups))
	}
}

// Best returns the first of the highest speed-ups of a bank. ok is false where no program was right: then the source stays as it is.
func Best(speedups []float64) (index int, ok bool) {
	if len(speedups) == 0 {
		return 0, false
	}
	index = tie.Best(speedups, 0)
	return index, speedups[index] > 0
}

// A Try is a program that was measured, with the lesson that its author wrote on it.
type Try struct {
	Speedup float64 // or the tests that it passed; 0: it is wrong
	Lesson  string
}

// Replay returns which lessons are shown in the round that follows so many tries, oldest first, and the bank as it is then. A round has a try of each
// agent; those of a round that is not complete have no part yet. source is what programs are written from; order is that of [AtRandom] in a round with
// so many lessons. What was shown in the rounds before, and the factors, follow from the tries: nothing else has to be kept.
func (s Selection) Replay(tries []Try, source string, order func(round, lessons int) []int) (shown []int, bank []Lesson, err error) {
	for round := 0; ; round++ {
		s.Order = order(round, len(bank))
		if shown, err = s.Shown(bank, round); err != nil || s.Agents < 1 || len(tries) < (round+1)*s.Agents {
			return shown, bank, err
		}
		speedups := make([]float64, s.Agents)
		for i := range s.Agents {
			z := tries[round*s.Agents+i]
			speedups[i] = z.Speedup
			bank = append(bank, Lesson{Text: z.Lesson, Round: round, Author: i, Speedup: z.Speedup, Factor: 1, Relevance: Relevance(z.Lesson, source)})
		}
		Adjust(bank, shown, speedups)
	}
}
