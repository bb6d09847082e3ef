package group

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
)

// A kuhnMove is one of a game of Kuhn poker: who moved, knowing what, and whether the player bet.
type kuhnMove struct {
	agent int
	knows string
	bet   int
}

// kuhnGame plays a game by tables of what each knows, and says what the first player won.
func kuhnGame(rng *rand.Rand, p map[string][]float64) (moves []kuhnMove, won float64) {
	cards, h := rng.Perm(3), ""
	stronger := map[bool]float64{true: 1, false: -1}[cards[0] > cards[1]]
	ends := map[string]float64{"pp": stronger, "bp": 1, "pbp": -1, "bb": 2 * stronger, "pbb": 2 * stronger}
	for {
		if won, over := ends[h]; over {
			return moves, won
		}
		m := kuhnMove{agent: len(h) % 2, knows: fmt.Sprint(cards[len(h)%2], h)}
		m.bet = drawn(rng, p[m.knows])
		moves, h = append(moves, m), h+"pb"[m.bet:m.bet+1]
	}
}

// TestOrderOfRolesInKuhn: Kuhn poker in which the first player is paid 3 more in every game, by the second. The past of each role takes the edge off, and
// the gradient is shorter; one average for both is about 0.
func TestOrderOfRolesInKuhn(t *testing.T) {
	const batches, games, rate, entropy, edge = 187, 32, 0.3, 0.03, 3.
	own := 1.
	play := func(key string) float64 {
		return overSeeds(func(rng *rand.Rand) []float64 {
			l := creditor(t, func(c *words.Credit, _ *learn.Group) {
				c.Baseline, c.OwnWeight = "rae", &own
				c.RAE = words.RoleBaselines{Decay: 0.95, Mode: "sequential", Order: "before", Key: key, Warm: "zero"}
			})
			theta := map[string][]float64{}
			for card := range 3 {
				for _, h := range []string{"", "pb", "p", "b"} {
					theta[fmt.Sprint(card, h)] = make([]float64, 2)
				}
			}
			var norms []float64
			for range batches {
				p, g := map[string][]float64{}, map[string][]float64{}
				for knows, row := range theta {
					p[knows], g[knows] = softmaxOf(row), make([]float64, 2)
				}
				var episodes [][]told
				var played [][]kuhnMove
				for range games {
					moves, won := kuhnGame(rng, p)
					says := make([]told, len(moves))
					for i, m := range moves {
						says[i] = told{agent: m.agent, own: []float64{0, 0}}
					}
					says[len(says)-1].own = []float64{won + edge, -won - edge}
					episodes, played = append(episodes, says), append(played, moves)
				}
				e := problem(nil, episodes...)
				advantagesOf(t, l, new(learn.Stats), e)
				for _, n := range e.Nodes {
					m := played[n.Sample][n.Turn]
					ascend(g[m.knows], p[m.knows], m.bet, n.Agents[0].Completions[0].Advantage/games)
				}
				var all [][]float64
				for knows, row := range theta {
					h := 0.0
					for _, q := range p[knows] {
						h -= q * math.Log(q)
					}
					for i, q := range p[knows] {
						row[i] += rate * (g[knows][i] - entropy*q*(math.Log(q)+h)/float64(len(theta)))
					}
					all = append(all, g[knows])
				}
				norms = append(norms, length(all...))
			}
			slices.Sort(norms)
			return []float64{norms[batches/2]}
		})[0]
	}
	if roles, one := play("role"), play("global"); roles > one-0.15 {
		t.Errorf("median norm of the gradient: by role %.3v, one average %.3v", roles, one)
	}
}
