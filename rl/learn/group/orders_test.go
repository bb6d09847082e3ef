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
