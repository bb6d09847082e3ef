package bank_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/systems/lessonl/bank"
)

// A lab is one problem of a toy: twelve moves that speed a program up, or break it. Three agents know five each. The rates are assumed, and relevance
// is a random number here, so that the selectors cannot be told apart; what can be is whether there are lessons.
type lab struct {
	r     *rand.Rand
	gains [12]float64
	bad   [12]bool
	known [3][]int

	lessons []bank.Lesson
	about   [][]int // the moves that a lesson names
}

func newLab(r *rand.Rand) *lab {
	l := &lab{r: r}
	for m := range l.gains {
		l.gains[m], l.bad[m] = []float64{1, 1, 1.2, 1.5, 2}[r.IntN(5)], r.Float64() < .2
	}
	for i := range l.known {
		l.known[i] = r.Perm(len(l.gains))[:5]
	}
	return l
}

// write is an agent's program: the moves that it takes, of those it knows and those that good lessons name, but for those that are blamed.
func (l *lab) write(agent int, shown []int) (moves []int) {
	var told, blamed [12]bool
	for _, z := range shown {
		for _, m := range l.about[z] {
			told[m] = told[m] || l.lessons[z].Speedup > 1
			blamed[m] = blamed[m] || l.lessons[z].Speedup == 0
		}
	}
	for m := range l.gains {
		own := slices.Contains(l.known[agent], m) && l.r.Float64() < .5
		if heard := told[m] && l.r.Float64() < .8; (own || heard) && !blamed[m] {
			moves = append(moves, m)
		}
	}
	return moves
}

// learn runs a program, and names the moves that a lesson on it is about: all of a right one, or the one that is blamed, mostly rightly.
func (l *lab) learn(moves []int) (speedup float64, about []int) {
	speedup = 1
	for _, m := range moves {
		if speedup *= l.gains[m]; l.bad[m] {
			if l.r.Float64() >= .7 {
				m = moves[l.r.IntN(len(moves))]
			}
			return 0, []int{m}
		}
	}
	return speedup, moves
}

// solve returns the best speed-up of four rounds.
func (l *lab) solve(t *testing.T, selector bank.Selector) float64 {
	var history []float64
	for round := range 4 {
		var shown []int
		var err error
		if selector != "" {
			s := bank.Selection{Selector: selector, K: 4, Agents: len(l.known), Order: l.r.Perm(len(l.lessons))}
			if shown, err = s.Shown(l.lessons, round); err != nil {
				t.Fatal(err)
			}
		}
		var speedups []float64
		for agent := range l.known {
			s, about := l.learn(l.write(agent, shown))
			speedups = append(speedups, s)
			l.about = append(l.about, about)
		}
		bank.Adjust(l.lessons, shown, speedups)
		for _, s := range speedups {
			l.lessons = append(l.lessons, bank.Lesson{Speedup: s, Factor: 1, Relevance: l.r.Float64()})
		}
		history = append(history, speedups...)
	}
	if best, ok := bank.Best(history); ok {
		return max(1, history[best])
	}
	return 1
}

// TestOrder: with lessons the geometric mean of the speed-ups is more than 1.3 times what it is without, whatever selects them.
func TestOrder(t *testing.T) {
	const problems, seeds = 300, 5
	mean := map[bank.Selector]float64{}
	for _, selector := range []bank.Selector{"", bank.AtRandom, bank.ByRelevance, bank.BySpeed, bank.Hybrid} {
		logs := 0.0
		for seed := range uint64(seeds) {
			r := rand.New(rand.NewPCG(seed, 39))
			for range problems {
				logs += math.Log(newLab(r).solve(t, selector))
			}
		}
		mean[selector] = math.Exp(logs / (problems * seeds))
	}
	t.Log(mean)
	for selector, m := range mean {
		if selector != "" && m < 1.3*mean[""] {
			t.Errorf("%s: %.2f, without lessons %.2f", selector, m, mean[""])
		}
	}
}
