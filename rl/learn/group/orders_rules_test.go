package group

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// moments are the mean of drawn vectors and their total variance.
func moments(draws [][]float64) (mean []float64, variance float64) {
	mean = make([]float64, len(draws[0]))
	for _, g := range draws {
		for i, x := range g {
			mean[i] += x / float64(len(draws))
			variance += x * x / float64(len(draws))
		}
	}
	return mean, variance - length(mean)*length(mean)
}

func correlation(x, y []float64) float64 {
	mx, my := meanOf(x), meanOf(y)
	xy, xx, yy := 0.0, 0.0, 0.0
	for i := range x {
		xy, xx, yy = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}

// A chain is a planner's table and, for each plan, a coder's, with the chance that a plan and a move succeed.
type chain struct {
	plan    []float64
	move, q [4][]float64
}

func newChain(rng *rand.Rand) (c chain) {
	logits := func() (p []float64) {
		for range 4 {
			p = append(p, rng.NormFloat64()/2)
		}
		return softmaxOf(p)
	}
	c.plan = logits()
	for k := range c.move {
		c.move[k] = logits()
		hard := 0.05 + 0.9*rng.Float64()
		for range 4 {
			c.q[k] = append(c.q[k], min(max(hard+rng.Float64()/2-0.25, 0), 1))
		}
	}
	return c
}

func (c chain) reward(rng *rand.Rand, plan, move int, coin bool) float64 {
	if !coin {
		return c.q[plan][move]
	}
	if rng.Float64() < c.q[plan][move] {
		return 1
	}
	return 0
}

// said is a message of the coder: its credit, and what it was really worth.
func (c chain) worth(plan, move int) float64 {
	v := 0.0
	for k, p := range c.move[plan] {
		v += p * c.q[plan][k]
	}
	return c.q[plan][move] - v
}

// tried are the variances of both gradients over some draws of a rule's group, and how far the coder's credit says what a move is worth.
func (c chain) tried(t *testing.T, rng *rand.Rand, coin bool, plans, moves int) []float64 {
	const draws = 500
	l := creditor(t, func(k *words.Credit, g *learn.Group) {
		k.LOO, g.Size = "episode", plans
		if moves > 0 {
			g.Rollout, g.Backup, g.FanOut, k.LOO = learn.Alternatives, "children", []int{plans, moves}, "auto"
		}
	})
	var planner, coder [][]float64
	var credits, worth []float64
	for range draws {
		top, below := make([]float64, 4), make([]float64, 16)
		add := func(plan, move int, a, scale float64) {
			credits, worth = append(credits, a), append(worth, c.worth(plan, move))
			ascend(below[4*plan:4*plan+4], c.move[plan], move, a*scale)
		}
		acts := make([]int, plans)
		for i := range acts {
			acts[i] = drawn(rng, c.plan)
		}
		if moves == 0 {
			var episodes [][]told
			said := make([]int, plans)
			for i, plan := range acts {
				said[i] = drawn(rng, c.move[plan])
				episodes = append(episodes, []told{{agent: 0}, {agent: 1, team: c.reward(rng, plan, said[i], coin)}})
			}
			a := advantagesOf(t, l, new(learn.Stats), problem(nil, episodes...))
			for i, plan := range acts {
				ascend(top, c.plan, plan, a[2*i]/float64(plans))
				add(plan, said[i], a[2*i+1], 1/float64(plans))
			}
		} else {
			e := &rollout.Episode{Nodes: []*rollout.Node{node(0, -1, -1, 0, make([]float64, plans)...)}}
			said := make([][]int, plans)
			for i, plan := range acts {
				var rewards []float64
				for range moves {
					m := drawn(rng, c.move[plan])
					said[i], rewards = append(said[i], m), append(rewards, c.reward(rng, plan, m, coin))
				}
				e.Nodes = append(e.Nodes, node(1, 0, i, 1, rewards...))
			}
			if err := l.creditEpisode(e, nil, new(learn.Stats)); err != nil {
				t.Fatal(err)
			}
			a := advantagesIn(e)
			for i, plan := range acts {
				ascend(top, c.plan, plan, a[i]/float64(plans))
				for k, m := range said[i] {
					add(plan, m, a[plans+i*moves+k], 1/float64(plans*moves))
				}
			}
		}
		planner, coder = append(planner, top), append(coder, below)
	}
	_, up := moments(planner)
	_, down := moments(coder)
	return []float64{up, down, correlation(credits, worth)}
}

// TestOrderOfAlternatives: alternatives of one message tell what a move is worth much better than whole episodes do, because the plan is the same; the
// planner pays, for there are fewer plans in its mean.
func TestOrderOfAlternatives(t *testing.T) {
	for _, coin := range []bool{false, true} {
		try := func(plans, moves int) []float64 {
			return overSeeds(func(rng *rand.Rand) []float64 { return newChain(rng).tried(t, rng, coin, plans, moves) })
		}
		eight, five, four := try(8, 0), try(5, 0), try(4, 0)
		two, wide := try(2, 4), try(4, 2)
		if wide[1] > five[1]-0.003 || eight[0] > two[0]-0.02 || wide[0] > four[0] {
			t.Errorf("coin %v: variances of planner and coder: 8 episodes %.4v, 5 %.4v, 4 %.4v, c3 [2, 4] %.4v, [4, 2] %.4v", coin, eight, five, four, two, wide)
		}
		if !coin && two[2] < eight[2]+0.2 {
			t.Errorf("what the coder's credit says of a move: %.3v with c3, %.3v with episodes", two[2], eight[2])
		}
	}
}

// TestOrderOfUnits: two roles share a policy whose prompts hardly tell them apart, and disagree. The one that speaks six times as often takes all of it
// where the loss is a mean over messages; not where it is one by agent, nor with policies of their own.
func TestOrderOfUnits(t *testing.T) {
	const g, actions, steps, rate, prompt = 8, 3, 150, 14., 0.35
	speaks := [2]int{6, 1}
	play := func(per loss.Per, shared bool) float64 {
		return overSeeds(func(rng *rand.Rand) []float64 {
			l := creditor(t, func(c *words.Credit, s *learn.Group) { c.Baseline, s.Size, c.OwnWeight = "agent", g, new(float64) })
			l.per, *l.credit.OwnWeight = per, 1
			var common, own [2][actions]float64
			chances := func(agent int) []float64 {
				base := agent
				if shared {
					base = 0
				}
				z := make([]float64, actions)
				for i := range z {
					z[i] = common[base][i] + prompt*own[agent][i]
				}
				return softmaxOf(z)
			}
			for range steps {
				p := [2][]float64{chances(0), chances(1)}
				var episodes [][]told
				var acts []int
				for range g {
					var says []told
					for agent, n := range speaks {
						for range n {
							a, chance := drawn(rng, p[agent]), 0.3
							if a == agent { // the good action of each
								chance = 0.8
							}
							pay := []float64{0, 0}
							if rng.Float64() < chance {
								pay[agent] = 1
							}
							says, acts = append(says, told{agent: agent, own: pay}), append(acts, a)
						}
					}
					episodes = append(episodes, says)
				}
				e := problem(nil, episodes...)
				l.settings.Discount = 0 // each message is paid for itself
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
				for i, n := range e.Nodes {
					f := 1 / float64(len(e.Nodes)) // a mean over messages
					if factors != nil {
						f = factors[i] / 2 // and here over agents
					}
					agent := n.Agents[0].Agent
					grad := make([]float64, actions)
					ascend(grad, p[agent], acts[i], rate*f*n.Agents[0].Completions[0].Advantage)
					base := agent
					if shared {
						base = 0
					}
					for k, x := range grad {
						common[base][k] += x
						own[agent][k] += prompt * x
					}
				}
			}
			return []float64{chances(1)[1]}
		})[0]
	}
	messages, agents, alone := play(loss.PerMessages, true), play(loss.PerAgents, true), play(loss.PerAgents, false)
	if messages > 0.1 || agents < 0.9 || alone < 0.9 {
		t.Errorf("chance of the quiet role's good action: per messages %.3v, per agents %.3v, with a policy of its own %.3v", messages, agents, alone)
	}
}

// TestOrderOfVotes: what a vote changed is of less variance than what the team earned, and the same in expectation; a bonus over answers that are
// paired is only noise on top.
func TestOrderOfVotes(t *testing.T) {
	const g, voters, draws = 8, 5, 300
	variance := func(baseline string) float64 {
		return overSeeds(func(rng *rand.Rand) []float64 {
			l := creditor(t, func(c *words.Credit, s *learn.Group) { c.Baseline, s.Size = baseline, g })
			p := [voters][]float64{}
			for k := range p {
				l.Voters = append(l.Voters, k)
				p[k] = softmaxOf([]float64{0.3 * rng.NormFloat64(), 0.3 * rng.NormFloat64(), 0.3 * rng.NormFloat64()})
			}
			var gradients [][]float64
			for range draws {
				e := &rollout.Episode{}
				var acts [][voters]int
				for sample := range g {
					var said [voters]int
					answers, right := make([]string, voters), [3]int{}
					for k := range voters {
						said[k] = drawn(rng, p[k])
						answers[k] = fmt.Sprint(4 + said[k]) // the first is right
						right[said[k]]++
					}
					acts = append(acts, said)
					ballot(e, sample, answers...)
					e.Nodes[sample].Rewards[0] = -1
					if most := max(right[1], right[2]); right[0] > most || right[0] == most && answers[firstOf(answers, right)] == "4" {
						e.Nodes[sample].Rewards[0] = 1
					}
				}
				if err := l.creditEpisodes(t.Context(), []*rollout.Episode{e}, nil, new(learn.Stats)); err != nil {
					t.Fatal(err)
				}
				grad := make([]float64, 3*voters)
				for _, n := range e.Nodes {
					for k := range n.Agents {
						ascend(grad[3*k:3*k+3], p[k], acts[n.Sample][k], n.Agents[k].Completions[0].Advantage/g)
					}
				}
				gradients = append(gradients, grad)
			}
			_, v := moments(gradients)
			return []float64{v}
		})[0]
	}
	if shared, own := variance("problem"), variance("vote"); own > shared-0.05 {
		t.Errorf("variance: %.3v of what a vote changed, %.3v of the team's reward", own, shared)
	}
	noise := func(lambda float64, baseline string) float64 {
		return overSeeds(func(rng *rand.Rand) []float64 {
			l := thinkers(t, lambda)
			l.credit.Solo.Baseline, l.credit.Solo.Bonus = baseline, "delta"
			var help [4]float64
			for k := range help {
				help[k] = 0.1 + 0.8*rng.Float64()
			}
			p := softmaxOf(make([]float64, 4))
			var gradients [][]float64
			for range draws {
				joint, solo, acts := make([]float64, g), make([]float64, g), make([]int, g)
				for i := range acts {
					acts[i] = drawn(rng, p)
					joint[i], solo[i] = float64(drawn(rng, []float64{1 - help[acts[i]], help[acts[i]]})), float64(drawn(rng, []float64{0.6, 0.4}))
				}
				a := advantagesOf(t, l, new(learn.Stats), thought(joint, solo))
				grad := make([]float64, 4)
				for i, k := range acts {
					ascend(grad, p, k, a[2*i]/g)
				}
				gradients = append(gradients, grad)
			}
			mean, v := moments(gradients)
			return []float64{v / (length(mean) * length(mean))}
		})[0]
	}
	if plain, paired := noise(0, "group"), noise(1, "paired"); paired < 1.1*plain {
		t.Errorf("variance over squared mean of the thinker: %.3v paired, %.3v without a bonus", paired, plain)
	}
}

// firstOf is the place of the first answer among those that most gave.
func firstOf(answers []string, counts [3]int) int {
	most := max(counts[0], counts[1], counts[2])
	for i, a := range answers {
		if counts[a[0]-'4'] == most {
			return i
		}
	}
	return 0
}

// TestOrderOfCalls: a weight of D/d has less variance than a draw of D of the d calls.
func TestOrderOfCalls(t *testing.T) {
	const arms, rollouts, draws = 4, 8, 600
	variance := func(calls string) float64 {
		return overSeeds(func(rng *rand.Rand) []float64 {
			l := creditor(t, func(c *words.Credit, g *learn.Group) { c.Baseline, c.Calls, c.Slots, g.Discount = "agent", calls, 3, 0 })
			var q, z [arms]float64
			for k := range q {
				q[k], z[k] = rng.Float64(), rng.NormFloat64()/2
			}
			p := softmaxOf(z[:])
			var gradients [][]float64
			for i := range draws {
				var episodes [][]told
				var acts []int
				called := 0
				for range rollouts {
					says := []told{{agent: 0}}
					n := rng.IntN(7)
					for range n {
						a := drawn(rng, p)
						says, acts = append(says, told{agent: 1, team: float64(drawn(rng, []float64{1 - q[a], q[a]}))}), append(acts, a)
					}
					episodes, called = append(episodes, says), called+min(n, 1)
				}
				e := problem(nil, episodes...)
				e.Index = i
				advantagesOf(t, l, new(learn.Stats), e)
				grad, next := make([]float64, arms), 0
				for _, n := range e.Nodes {
					if n.Agents[0].Agent == 1 {
						ascend(grad, p, acts[next], n.Agents[0].Completions[0].Advantage/float64(3*called))
						next++
					}
				}
				gradients = append(gradients, grad)
			}
			_, v := moments(gradients)
			return []float64{v}
		})[0]
	}
	if weights, drawn := variance("weight"), variance("sample"); weights > drawn-0.001 {
		t.Errorf("variance: %.4v by weights, %.4v drawn", weights, drawn)
	}
}

// TestOrderOfDecisions: a walk that one wrong move spoils. Paid for success alone, whole episodes learn nothing; candidates of each turn, paid for
// progress, learn it in every seed, and better than returns to go do.
func TestOrderOfDecisions(t *testing.T) {
	const turns, moves, k, steps, rate = 6, 5, 5, 60, 2.
	play := func(kind string) (mean, least float64) {
		least = 1
		mean = overSeeds(func(rng *rand.Rand) []float64 {
			l := creditor(t, func(c *words.Credit, g *learn.Group) {
				g.Size, g.Alpha, g.Pick = k, 1, "best"
				switch kind {
				case "decisions":
					g.Rollout = learn.Decisions
				case "returns":
					c.Baseline = "agent_turn"
				}
			})
			var right [turns][turns]int
			var theta [turns][turns][]float64
			for t := range right {
				for place := range right[t] {
					right[t][place], theta[t][place] = rng.IntN(moves), make([]float64, moves)
				}
			}
			for range steps {
				var p, grad [turns][turns][]float64
				for turn := range theta {
					for place := range theta[turn] {
						p[turn][place], grad[turn][place] = softmaxOf(theta[turn][place]), make([]float64, moves)
					}
				}
				if kind == "decisions" {
					place := 0
					for turn := range turns {
						acts, pay := make([]int, k), make([]float64, k)
						for i := range acts {
							if acts[i] = drawn(rng, p[turn][place]); acts[i] == right[turn][place] {
								pay[i] = 1
							}
						}
						e := &rollout.Episode{Nodes: []*rollout.Node{node(0, -1, -1, 0, pay...)}}
						if err := l.creditEpisode(e, nil, new(learn.Stats)); err != nil {
							t.Fatal(err)
						}
						for i, a := range advantagesIn(e) {
							ascend(grad[turn][place], p[turn][place], acts[i], a/k)
						}
						d, err := l.settings.Decisions().Decide(e.Nodes[0].Candidates(), 0)
						if err != nil {
							t.Fatal(err)
						}
						place = min(place+int(pay[d.Executed]), turns-1)
					}
				} else {
					var episodes [][]told
					var acts, places []int
					for range k {
						says, place, total := make([]told, turns), 0, 0.0
						for turn := range says {
							a := drawn(rng, p[turn][place])
							acts, places = append(acts, a), append(places, place)
							if a == right[turn][place] {
								place, total = min(place+1, turns-1), total+1
								says[turn].team = 1
							}
						}
						if kind == "success" {
							for turn := range says {
								says[turn].team = 0
							}
							says[turns-1].team = math.Floor(total / turns)
						}
						episodes = append(episodes, says)
					}
					for i, a := range advantagesOf(t, l, new(learn.Stats), problem(nil, episodes...)) {
						turn := i % turns
						ascend(grad[turn][places[i]], p[turn][places[i]], acts[i], a/k)
					}
				}
				for turn := range theta {
					for place := range theta[turn] {
						for i, x := range grad[turn][place] {
							theta[turn][place][i] += rate * x
						}
					}
				}
			}
			win := 1.0
			for turn := range turns {
				win *= softmaxOf(theta[turn][turn])[right[turn][turn]]
			}
			least = min(least, win)
			return []float64{win}
		})[0]
		return mean, least
	}
	success, _ := play("success")
	returns, _ := play("returns")
	decisions, least := play("decisions")
	if success > 0.05 || least < 0.85 || returns > decisions-0.3 {
		t.Errorf("chance of a walk without a wrong move: success alone %.3v, returns to go %.3v, decisions %.3v (the least %.3v)", success, returns, decisions, least)
	}
}

// TestBonusIsAFactorOfTheLearner: over random groups the thinker's advantages are those of the solver times 1 + λ/2, to 1e-12, but for b = 0 of event.
func TestBonusIsAFactorOfTheLearner(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for range 300 {
		lambda, bonus := 2*rng.Float64(), []string{"event", "delta"}[rng.IntN(2)]
		l := thinkers(t, lambda)
		l.credit.Solo.Bonus = bonus
		joint, solo, b := make([]float64, 8), make([]float64, 8), 0
		for i := range joint {
			joint[i], solo[i] = float64(rng.IntN(2)), float64(rng.IntN(2))
			b += 2*int(solo[i]) - 1
		}
		factor := 1 + lambda/2
		if bonus == "event" && b == 0 {
			factor = 1
		}
		a := advantagesOf(t, l, new(learn.Stats), thought(joint, solo))
		for i := 0; i < len(a); i += 2 {
			if math.Abs(a[i]-factor*a[i+1]) > 1e-12 {
				t.Fatalf("%s, λ = %v: thinker %v, solver %v, want the factor %v", bonus, lambda, a[i], a[i+1], factor)
			}
		}
	}
}
