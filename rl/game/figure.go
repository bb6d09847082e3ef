package game

import "fmt"

// A Curve is one line of a figure: the probability of collaborating at turn 1, by threshold.
type Curve struct {
	Name string    `json:"name"`
	P    []float64 `json:"p"` // [len(Figure.Thresholds)]
}

// A Figure is one panel of the paper's Figure 5.
type Figure struct {
	Turns      int     `json:"turns"`
	Thresholds []int   `json:"thresholds"`
	Curves     []Curve `json:"curves"`
}

// Mean averages a number over random payoffs: [Game.GridMean] or [Game.SampleMean] with all but the last argument given.
type Mean func(g Game, f func(Game) float64) float64

// Opponents are the fixed partners of Figure 5: probabilities of collaborating at every turn before synergy.
var Opponents = []float64{0.5, 0.6, 0.7}

// Figure5 returns a panel of the paper's Figure 5: two agents that learn together (the regularised equilibrium) above one
// that learns against each fixed partner (the hard best response), for games with these turns and thresholds. Payoffs are
// averaged over with mean; RSyn, Tau and Count are those of g.
func (g Game) Figure5(turns int, thresholds []int, mean Mean) Figure {
	fig := Figure{Turns: turns, Thresholds: thresholds, Curves: []Curve{{Name: "multi-agent"}}}
	for _, pi := range Opponents {
		fig.Curves = append(fig.Curves, Curve{Name: fmt.Sprintf("single agent, partner %.1f", pi)})
	}
	g.Turns = turns
	for _, c := range thresholds {
		g.Threshold = c
		first := func(solve func(Game) Solution) float64 {
			return mean(g, func(g Game) float64 { return solve(g).First() })
		}
		p := []float64{first(func(g Game) Solution { return g.Equilibrium(DefaultEquilibrium()) })}
		for _, pi := range Opponents {
			p = append(p, first(func(g Game) Solution { return g.HardResponse(pi) }))
		}
		for i := range p {
			fig.Curves[i].P = append(fig.Curves[i].P, p[i])
		}
	}
	return fig
}

// Figure5Thresholds returns the thresholds that the paper shows for games of 10 and 20 turns, from hard to easy, and all that
// can be reached for any other number of turns.
func Figure5Thresholds(turns int) []int {
	last := 1
	switch turns {
	case 10:
		last = 4
	case 20:
		last = 9
	}
	var thresholds []int
	for c := turns - 1; c >= last; c-- {
		thresholds = append(thresholds, c)
	}
	return thresholds
}
