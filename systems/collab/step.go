package collab

import (
	"math"

	"parley/internal/tie"
)

// A Step is what is known before one token is chosen, all of it by agent.
type Step struct {
	Candidates [][]int     // tokens, the most probable first
	Q          [][]float64 // of every candidate
	KL         []float64   // from the reference; +Inf: the agent writes what the reference never writes
}

// A Choice is the token of a step.
type Choice struct {
	J     [][]float64 // Q − α·KL of every candidate; −Inf where KL is infinite and counts
	Best  []int       // of each agent, its best candidate as a token
	Agent int         // who writes
	Token int
}

// width is that of the range that values of texts come from, where differences by rounding count as none.
const width = 1

// Choose decides a step.
func (s Step) Choose(alpha float64) Choice {
	c := Choice{J: make([][]float64, len(s.Q))}
	worth, value := make([]float64, len(s.Q)), make([]float64, len(s.Q))
	out := 0
	for j, q := range s.Q {
		penalty := 0.0
		if alpha != 0 { // at 0 an infinite distance costs nothing
			penalty = alpha * s.KL[j]
		}
		for _, x := range q {
			c.J[j] = append(c.J[j], x-penalty)
		}
		best := tie.Best(q, width)
		c.Best = append(c.Best, s.Candidates[j][best])
		worth[j], value[j] = c.J[j][best], q[best]
		if math.IsInf(worth[j], -1) {
			out++
		}
	}
	if out == len(worth) {
		worth = value
	}
	c.Agent = tie.Best(worth, width)
	c.Token = c.Best[c.Agent]
	return c
}
