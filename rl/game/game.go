// Package game is the repeated collaboration game of MAPoRL (arXiv 2502.18439 §2, App. C and D), in which learning together
// reaches what learning against a fixed partner does not. It is pure, and knows nothing of the rest of parley.
//
// Two agents play T turns. In each, both choose at once to collaborate (action a0) or to act independently (a1). Before the
// synergy, collaborating pays RCol and acting independently pays RInd > RCol; once collaboration has happened often enough,
// Threshold times, every turn pays RSyn to both whatever they do. So collaboration costs now and pays later, and only if the
// partner joins.
//
//	fixedpoint.go    p = σ((p·d − k)/τ), the equation of every turn, and which of its solutions is meant; both averaged over random payoffs
//	equilibrium.go   the regularised symmetric equilibrium by backward induction
//	response.go      one agent against a partner with fixed behaviour
//	figure.go        the curves of the paper's Figure 5
//
// Package [parley/cmd/parley] draws the figure.
package game

import (
	"fmt"
	"math"
)

// A Count says what the count of collaboration counts.
type Count string

const (
	// CountJoint counts earlier turns in which both collaborated (paper App. D, the default).
	CountJoint Count = "joint"
	// CountTotal counts collaborative actions of both agents (paper §2.1).
	CountTotal Count = "total"
)

// A Game is one instance of the collaboration game.
type Game struct {
	Turns     int     // T
	Threshold int     // C: synergy holds in turns that start with at least this count
	RCol      float64 // pay of a turn for collaborating, before synergy
	RInd      float64 // pay of a turn for acting independently, before synergy
	RSyn      float64 // pay of a turn with synergy
	Tau       float64 // entropy weight τ > 0 of the regularised equilibrium and of soft best responses
	Count     Count   // "" is CountJoint
}

// Check reports whether g can be solved.
func (g Game) Check() error {
	switch {
	case g.Turns < 1:
		return fmt.Errorf("game: %d turns: use at least 1", g.Turns)
	case g.Threshold < 0:
		return fmt.Errorf("game: threshold %d: use at least 0", g.Threshold)
	case !(g.Tau > 0):
		return fmt.Errorf("game: entropy weight %v: use a number above 0", g.Tau)
	case g.Count != "" && g.Count != CountJoint && g.Count != CountTotal:
		return fmt.Errorf("game: count %q is not known: use %q or %q", string(g.Count), CountJoint, CountTotal)
	}
	return nil
}

// A Solution is how the game is played: by both agents in an equilibrium, by one of them in a best response.
type Solution struct {
	// P[t][c] is the probability of collaborating at turn t (from 0) with count c, for all counts below Threshold that can
	// have been reached by then. With synergy the probability is ½ by convention.
	P [][]float64
	// Value is what an agent expects of the whole game.
	Value float64
}

// First returns the probability of collaborating at the first turn: ½ by convention when the threshold is 0.
func (s Solution) First() float64 {
	if len(s.P[0]) == 0 {
		return 0.5
	}
	return s.P[0][0]
}

// outcome is the values of the next turn's states that an agent's choice can lead to.
type outcome struct {
	together, alone float64 // this agent collaborates, and the partner does or does not
	deserted, apart float64 // this agent does not, and the partner does or does not
}

// solve runs backward induction: synergy is the value of one turn with synergy, choose gives the probability of
// collaborating in a state and the value of that state from what may follow it.
func (g Game) solve(synergy float64, choose func(outcome) (p, value float64)) Solution {
	s := Solution{P: make([][]float64, g.Turns)}
	// Values by count; Threshold stands for all counts with synergy. Two rows are enough: this turn's and the next one's.
	now, next := make([]float64, g.Threshold+1), make([]float64, g.Threshold+1)
	for t := g.Turns - 1; t >= 0; t-- {
		s.P[t] = make([]float64, min(g.Threshold, g.most()*t+1))
		now[g.Threshold] = float64(g.Turns-t) * synergy
		for c := range s.P[t] {
			s.P[t][c], now[c] = choose(g.outcome(next, c))
		}
		now, next = next, now
	}
	s.Value = next[0]
	return s
}

// most is how much one turn can add to the count.
func (g Game) most() int {
	if g.Count == CountTotal {
		return 2
	}
	return 1
}

func (g Game) outcome(next []float64, c int) outcome {
	if g.Count == CountTotal {
		one, two := next[min(c+1, g.Threshold)], next[min(c+2, g.Threshold)]
		return outcome{together: two, alone: one, deserted: one, apart: next[c]}
	}
	return outcome{together: next[c+1], alone: next[c], deserted: next[c], apart: next[c]}
}

func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// entropy of a coin in nats.
func entropy(p float64) float64 {
	h := 0.0
	for _, q := range []float64{p, 1 - p} {
		if q > 0 {
			h -= q * math.Log(q)
		}
	}
	return h
}
