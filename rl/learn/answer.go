package learn

import (
	"parley/engine"
	"parley/rl/rollout"
)

// An Answer is one completion on its way through a learner.
type Answer struct {
	Turn       int // from 0
	AgentTurn  *rollout.AgentTurn
	Completion *rollout.Completion

	Reference []float32 // [n] log-probabilities under the base, once [Common.ReferenceLogprobs] has filled them in
}

// Datum is the answer as the engine scores it: under the distribution that it was drawn from.
func (a *Answer) Datum(p engine.Policy) engine.Datum { return Datum(p, a.AgentTurn, a.Completion) }

// PlainDatum is the answer at temperature 1, over the whole vocabulary but for its mask.
func (a *Answer) PlainDatum(p engine.Policy) engine.Datum {
	d := a.Datum(p)
	d.Sampling = engine.Sampling{}
	return d
}

// Datum is a completion as the engine scores it: under the distributions that its tokens were drawn from, masks included. Results of tools
// are given: the engine has outputs for the agent's own tokens only, so that every loss leaves them out.
func Datum(p engine.Policy, asked *rollout.AgentTurn, c *rollout.Completion) engine.Datum {
	said, inserted := c.Sequence()
	tokens := append(append(make([]int, 0, len(asked.Prompt)+len(said)), asked.Prompt...), said...)
	for i := range inserted {
		inserted[i][0] += len(asked.Prompt)
		inserted[i][1] += len(asked.Prompt)
	}
	return engine.Datum{Policy: p, Tokens: tokens, ScoreFrom: len(asked.Prompt), Given: inserted, Sampling: asked.Sampling, Mask: asked.Mask}
}

// AnswersIn lists the completions that trained policies wrote and learn from, in the order of episodes, nodes, agents and samples.
func AnswersIn(episodes []*rollout.Episode) []*Answer {
	var out []*Answer
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				asked := &n.Agents[s]
				if !asked.Learns() {
					continue
				}
				for i := range asked.Completions {
					if c := &asked.Completions[i]; Learnable(c) {
						out = append(out, &Answer{Turn: n.Turn, AgentTurn: asked, Completion: c})
					}
				}
			}
		}
	}
	return out
}

// Learnable reports whether there is something to learn from a completion: it is not masked, and has a token (the context was not full).
func Learnable(c *rollout.Completion) bool { return len(c.Tokens) > 0 && !c.Masked }

// Minibatches deals items in the order of perm into n parts of nearly equal size; none is empty.
func Minibatches[T any](items []T, perm []int, n int) [][]T {
	n = min(n, len(items))
	out := make([][]T, n)
	for i, p := range perm {
		k := i * n / len(perm)
		out[k] = append(out[k], items[p])
	}
	return out
}
