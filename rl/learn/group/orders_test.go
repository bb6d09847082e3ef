package group

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// Orders of means over seeds that the rules have over tabular policies, with margins: what each rule is for, shown by the learner itself.

const orderSeeds = 10

// softmaxOf are the probabilities of logits.
func softmaxOf(logits []float64) []float64 {
	p, sum := make([]float64, len(logits)), 0.0
	for i, z := range logits {
		p[i] = math.Exp(z)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func drawn(rng *rand.Rand, p []float64) int {
	u := rng.Float64()
	for i, q := range p {
		if u -= q; u < 0 {
			return i
		}
	}
	return len(p) - 1
}

// ascend adds scale·A·∇log p(action) to a gradient by logits.
func ascend(grad, p []float64, action int, scale float64) {
	for i := range grad {
		d := -p[i]
		if i == action {
			d++
		}
		grad[i] += scale * d
	}
}

func length(rows ...[]float64) float64 {
	sum := 0.0
	for _, r := range rows {
		for _, x := range r {
			sum += x * x
		}
	}
	return math.Sqrt(sum)
}

func meanOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// overSeeds are the means of what a program measures with each seed.
func overSeeds(run func(rng *rand.Rand) []float64) []float64 {
	var sums []float64
	for seed := range uint64(orderSeeds) {
		for i, x := range run(rand.New(rand.NewPCG(seed+1, 7))) {
			if i == len(sums) {
				sums = append(sums, 0)
			}
			sums[i] += x / orderSeeds
		}
	}
	return sums
}

// TestOrderOfAgents: two agents are paid on other scales, and the second is asked more and more rarely. It learns best compared with itself, and by
// its own deviation; compared with everybody its gradient is the other's scale.
func TestOrderOfAgents(t *testing.T) {
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

// TestOrderOfRoles: matching pennies in which the first role has an edge of 3 in every game. The past of each role takes the edge off; one average
// for both is about 0 and does not.
func TestOrderOfRoles(t *testing.T) {
	const batches, games, rate, entropy = 250, 16, 0.15, 0.1
	own := 1.
	play := func(key string, edge float64) []float64 {
		return overSeeds(func(rng *rand.Rand) []float64 {
			l := creditor(t, func(c *words.Credit, _ *learn.Group) {
				c.Baseline, c.OwnWeight = "rae", &own
				c.RAE = words.RoleBaselines{Decay: 0.95, Mode: "sequential", Order: "before", Key: key, Warm: "zero"}
			})
			theta := [2][]float64{{rng.NormFloat64() / 10, rng.NormFloat64() / 10}, {rng.NormFloat64() / 10, rng.NormFloat64() / 10}}
			var norms, gaps []float64
			for range batches {
				p := [2][]float64{softmaxOf(theta[0]), softmaxOf(theta[1])}
				var episodes [][]told
				var actions [][2]int
				for range games {
					a, b := drawn(rng, p[0]), drawn(rng, p[1])
					r := edge - 1
					if a == b {
						r = edge + 1
					}
					episodes = append(episodes, []told{{agent: 0, own: []float64{0, 0}}, {agent: 1, own: []float64{r, -r}}})
					actions = append(actions, [2]int{a, b})
				}
				e := problem(nil, episodes...)
				advantagesOf(t, l, new(learn.Stats), e)
				gradients := [2][]float64{make([]float64, 2), make([]float64, 2)}
				for _, n := range e.Nodes {
					agent := n.Agents[0].Agent
					ascend(gradients[agent], p[agent], actions[n.Sample][agent], n.Agents[0].Completions[0].Advantage/games)
				}
				for agent, g := range gradients {
					h := 0.0
					for _, q := range p[agent] {
						h -= q * math.Log(q)
					}
					for i, q := range p[agent] {
						theta[agent][i] += rate * (g[i] - entropy*q*(math.Log(q)+h))
					}
				}
				norms = append(norms, length(gradients[:]...))
				gaps = append(gaps, math.Abs(p[0][0]-0.5)+math.Abs(p[1][0]-0.5))
			}
			slices.Sort(norms)
			return []float64{meanOf(gaps[batches/2:]), norms[batches/2]}
		})
	}
	roles, one := play("role", 3), play("global", 3)
	if roles[0] > one[0]-0.1 || roles[1] > one[1]-0.3 {
		t.Errorf("distance from equilibrium and gradient: by role %.3v, one average %.3v", roles, one)
	}
}

// TestOrderOfTurns: after a good plan work raises the chance of success, after a bad one nothing helps. With 1/T the agent stops at once; without it
// works on.
func TestOrderOfTurns(t *testing.T) {
	const g, turns, steps, rate = 8, 6, 1500, 1.
	play := func(per loss.Per) []float64 {
		return overSeeds(func(rng *rand.Rand) []float64 {
			l := creditor(t, func(_ *words.Credit, s *learn.Group) { s.Size = g })
			l.per = per
			theta := [2][turns][]float64{}
			for good := range theta {
				for k := range turns {
					theta[good][k] = []float64{0, 0}
				}
			}
			play := func() (says []told, acts [][3]int) {
				good, worked := rng.IntN(2), 0
				for turn := range turns {
					a := drawn(rng, softmaxOf(theta[good][turn]))
					says, acts = append(says, told{}), append(acts, [3]int{good, turn, a})
					if worked += a; a == 0 {
						break
					}
				}
				chance := 0.05
				if good == 1 {
					chance = 0.55 + 0.07*float64(worked)
				}
				if rng.Float64() < chance {
					says[len(says)-1].team = 1
				}
				return says, acts
			}
			for range steps {
				var episodes [][]told
				var actions [][][3]int
				for range g {
					says, acts := play()
					episodes, actions = append(episodes, says), append(actions, acts)
				}
				e := problem(nil, episodes...)
				advantagesOf(t, l, new(learn.Stats), e)
				l.whole = l.wholeOf([]*rollout.Episode{e}, 0)
				var samples []nodeSample
				for _, n := range e.Nodes {
					samples = append(samples, nodeSample{counted: messageOf(e, n, &n.Agents[0])})
				}
				factors, err := l.factors(samples)
				if err != nil {
					t.Fatal(err)
				}
				gradient := [2][turns][2]float64{}
				for i, n := range e.Nodes {
					act := actions[n.Sample][n.Turn]
					row := &gradient[act[0]][act[1]]
					ascend(row[:], softmaxOf(theta[act[0]][act[1]]), act[2], factors[i]*n.Agents[0].Completions[0].Advantage)
				}
				for good := range theta {
					for k := range turns {
						for i, x := range gradient[good][k] {
							theta[good][k][i] += rate * x
						}
					}
				}
			}
			long, wins := 0.0, 0.0
			const plays = 400
			for range plays {
				if says, acts := play(); acts[0][0] == 1 { // after a good plan
					long += float64(len(says))
					wins++
				}
			}
			return []float64{long / wins}
		})
	}
	with, without := play(loss.PerTurns), play(loss.PerEpisodes)
	if with[0] > 2 || without[0] < 5 {
		t.Errorf("turns after a good plan: %.3v with 1/T, %.3v without", with[0], without[0])
	}
}
