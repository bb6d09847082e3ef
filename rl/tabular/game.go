package tabular

// A Game is one turn of two players who choose at once.
type Game struct {
	Name string
	Pays [][][2]float64 // [action of the first][action of the second]: what each is paid
}

// Climbing is the climbing game (Claus and Boutilier 1998): both are paid the same, and a player who misses the best joint action by
// one is punished hardest.
func Climbing() Game {
	common := [][]float64{{11, -30, 0}, {-30, 7, 6}, {0, 0, 5}}
	g := Game{Name: "climbing"}
	for _, row := range common {
		var pays [][2]float64
		for _, x := range row {
			pays = append(pays, [2]float64{x, x})
		}
		g.Pays = append(g.Pays, pays)
	}
	return g
}

// Pairs has the pay-offs (5,5), (4,3), (3,4) and (0,0): what is best for both is best for each.
func Pairs() Game {
	return Game{"pairs", [][][2]float64{{{5, 5}, {4, 3}}, {{3, 4}, {0, 0}}}}
}

// Dilemma is a prisoner's dilemma: each gains by defecting, and both lose by it.
func Dilemma() Game {
	return Game{"dilemma", [][][2]float64{{{3, 3}, {0, 5}}, {{5, 0}, {1, 1}}}}
}

// actions is how many actions a player has.
func (g Game) actions(player int) int {
	if player == 0 {
		return len(g.Pays)
	}
	return len(g.Pays[0])
}

// common is the mean pay of both, their joint reward.
func (g Game) common(a, b int) float64 { return (g.Pays[a][b][0] + g.Pays[a][b][1]) / 2 }

// Best is the greatest joint reward.
func (g Game) Best() float64 {
	best := g.common(0, 0)
	for a := range g.Pays {
		for b := range g.Pays[a] {
			best = max(best, g.common(a, b))
		}
	}
	return best
}

// Equilibrium reports whether neither player gains by changing its action alone: in what both are paid together, or each in its own
// pay.
func (g Game) Equilibrium(a, b int, individual bool) bool {
	pay := func(player, a, b int) float64 {
		if individual {
			return g.Pays[a][b][player]
		}
		return g.common(a, b)
	}
	for x := range g.Pays {
		if pay(0, x, b) > pay(0, a, b) {
			return false
		}
	}
	for y := range g.Pays[0] {
		if pay(1, a, y) > pay(1, a, b) {
			return false
		}
	}
	return true
}
