//go:build long

package group

import (
	"math/rand/v2"
	"slices"
	"testing"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/rollout"
)

// TestLongOrderOfAgents: two agents are paid on other scales, and the second is asked more and more rarely. It learns best compared with itself, and by
// its own deviation; compared with everybody its gradient is the other's scale.
func TestLongOrderOfAgents(t *testing.T) {
	const g, arms, problems, steps, rate = 8, 4, 8, 400, 0.3
	own := 1.
	nothing := 0.
	play := func(change func(*words.Credit)) []float64 {
		return overSeeds(func(rng *rand.Rand) []float64 {
			l := creditor(t, func(c *words.Credit, s *learn.Group) {
				c.OwnWeight, c.TeamWeight, c.Divide = &own, &nothing, "add"
				change(c)
				s.Size = g
			})
			quality, theta := [2][problems][]float64{}, [2][problems][]float64{}
			for agent := range quality {
				for k := range problems {
					theta[agent][k] = make([]float64, arms)
					for range arms {
						quality[agent][k] = append(quality[agent][k], rng.Float64())
					}
				}
			}
			largest := 0.0
			for step := range steps {
				chance := 1 - 0.8*float64(step)/steps // of the second agent to be asked
				var played []*rollout.Episode
				var actions [problems][][2]int
				for k := range problems {
					var episodes [][]told
					for range g {
						a, b := drawn(rng, softmaxOf(theta[0][k])), drawn(rng, softmaxOf(theta[1][k]))
						says := []told{{agent: 0, own: []float64{10 + 2*quality[0][k][a] + rng.NormFloat64()/2, 0}}}
						if rng.Float64() < chance {
							says = append(says, told{agent: 1, own: []float64{0, 0.2*quality[1][k][b] + rng.NormFloat64()/20}})
						}
						episodes, actions[k] = append(episodes, says), append(actions[k], [2]int{a, b})
					}
					played = append(played, problem(nil, episodes...))
				}
				advantagesOf(t, l, new(learn.Stats), played...)
				var gradients [2][problems][]float64
				for k, e := range played {
					said := [2]float64{}
					for _, n := range e.Nodes {
						said[n.Agents[0].Agent]++
					}
					for agent := range gradients {
						gradients[agent][k] = make([]float64, arms)
						p := softmaxOf(theta[agent][k])
						for _, n := range e.Nodes {
							if n.Agents[0].Agent == agent {
								ascend(gradients[agent][k], p, actions[k][n.Sample][agent], n.Agents[0].Completions[0].Advantage/said[agent])
							}
						}
					}
				}
				for agent := range gradients {
					for k := range gradients[agent] {
						for i, x := range gradients[agent][k] {
							theta[agent][k][i] += rate * x
						}
					}
				}
				largest = max(largest, length(gradients[1][:]...))
			}
			share := 0.0
			for k := range problems {
				got, least := 0.0, slices.Min(quality[1][k])
				for i, p := range softmaxOf(theta[1][k]) {
					got += p * quality[1][k][i]
				}
				share += (got - least) / (slices.Max(quality[1][k]) - least) / problems
			}
			return []float64{share, largest}
		})
	}
	scores := play(func(c *words.Credit) { c.Baseline, c.Std, c.Replace = "problem", "sample", true })
	all := play(func(c *words.Credit) { c.Baseline, c.Std = "global", "sample" })
	mean := play(func(c *words.Credit) { c.Baseline = "agent" })
	drmas := play(func(c *words.Credit) { c.Baseline, c.Std = "agent", "sample" })
	if scores[0] > mean[0]-0.1 || all[0] > mean[0]-0.1 || mean[0] > drmas[0]-0.1 || drmas[1] > all[1]/2 {
		t.Errorf("share of the best and largest gradient of the rare agent: scores %.3v, all messages %.3v, its own mean %.3v, and deviation %.3v", scores, all, mean, drmas)
	}
}
