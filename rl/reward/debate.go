package reward

import "parley/internal/tie"

// An Answer is what rewards depend on of one answer of a debate.
type Answer struct {
	Agent   int     // who gave it, from 0
	Score   float64 // V(t, a)
	Flagged bool    // it deserves a penalty (§2.1)
	Correct bool    // it counts as right for the incentives (§2.3)
}

// A Turn holds the answers of those who spoke in one turn of a debate, at most one an agent. An agent that did not speak has no entry.
type Turn []Answer

// agents is how many agents a debate has: one more than the last that speaks.
func agents(debate []Turn) int {
	n := 0
	for _, turn := range debate {
		for _, a := range turn {
			n = max(n, a.Agent+1)
		}
	}
	return n
}

// perAnswer returns a number for every answer of a debate, [turn][speaker], all zero.
func perAnswer(debate []Turn) [][]float64 {
	out := make([][]float64, len(debate))
	for t, turn := range debate {
		out[t] = make([]float64, len(turn))
	}
	return out
}

// RightByScore says whether an answer counts as right when incentives go by the verifier instead of the label: its score is above one
// half (§2.3).
func RightByScore(score float64) bool { return tie.Above(score, 0.5, 1) }
