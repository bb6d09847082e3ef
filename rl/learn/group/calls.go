package group

import (
	"fmt"

	"parley/internal/seed"
	"parley/rl/credit"
)

// compareCalls compares the messages of each agent to a problem with each other, so that an episode in which it was asked often does not weigh more
// (M-GRPO, arXiv 2511.13288). With D slots and d messages of the agent in an episode, a message weighs D/d, or as often as it is drawn, and
//
//	A = w·(R − μ)           μ = Σ w·R / Σ w over the agent's messages to the problem, where wanted divided by their weighted deviation
//
// The weight is in the advantage, so that it is one in the loss. An episode in which the agent is silent gives it nothing.
func (l *learner) compareCalls(problems []said) {
	for _, p := range problems {
		returns := l.leveled(p)
		// Calls that were paid alike teach nothing, whatever the number of calls.
		if alike(p, returns) {
			continue
		}
		for _, agent := range p.agents() {
			places, values, weights := l.calls(p, agent, returns)
			for i, a := range credit.CompareWeighed(values, weights, l.credit.Spread()) {
				p.completions[places[i][0]][places[i][1]].Advantage = weights[i] * a
			}
		}
	}
}

// calls are the messages of an agent to a problem, [episode, message], with their returns and weights. Weights add up to D in every episode in which
// the agent spoke, so that μ is the mean over these episodes of the agent's mean return there.
func (l *learner) calls(p said, agent int, returns [][]float64) (places [][2]int, values, weights []float64) {
	counts, slots := make([]int, len(p.messages)), l.credit.Slots
	for e, messages := range p.messages {
		for k, m := range messages {
			if m.Agent == agent {
				counts[e]++
				places, values = append(places, [2]int{e, k}), append(values, returns[e][k])
			}
		}
		if l.credit.Slots == 0 {
			slots = max(slots, counts[e])
		}
	}
	aligned := credit.WeighCalls(slots, counts)
	if l.credit.Calls == "sample" {
		aligned = credit.SampleCalls(slots, counts, l.draws(p, agent, slots, counts))
	}
	for _, w := range aligned.Weights {
		weights = append(weights, w...)
	}
	return places, values, weights
}

// draws are as many numbers in [0, 1) for each episode as it has messages too many or too few. What is drawn has the weights D/d for its expectation,
// and more variance: it is there for parity with the paper.
func (l *learner) draws(p said, agent, slots int, counts []int) [][]float64 {
	out := make([][]float64, len(counts))
	for e, n := range counts {
		rng := seed.Stream(seed.Derive(uint64(l.Seed), fmt.Sprintf("calls of agent %d", agent+1), p.of.Update, p.of.Index, e))
		for range max(n-slots, slots-n) {
			out[e] = append(out[e], rng.Float64())
		}
	}
	return out
}

// agents are those who said something to the problem, in order.
func (p said) agents() (out []int) {
	spoke := map[int]bool{}
	most := -1
	for _, messages := range p.messages {
		for _, m := range messages {
			spoke[m.Agent], most = true, max(most, m.Agent)
		}
	}
	for agent := range most + 1 {
		if spoke[agent] {
			out = append(out, agent)
		}
	}
	return out
}
