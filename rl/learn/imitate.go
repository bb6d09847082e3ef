package learn

import (
	"context"

	"parley/engine"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// Shared by learners that imitate texts: the best of the untrained team, or texts that were given.

// CreditScores gives every answer its score, or the penalty where it is flagged. It is for reports, where what is learned goes by whole episodes.
func (c *Common) CreditScores(episodes []*rollout.Episode, stats *Stats) {
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				said := &n.Agents[s].Completions[0]
				if said.Reward = said.Score - said.Penalty; len(said.Flags) > 0 {
					said.Reward = c.Reward.Scheme.Penalty
				}
				stats.AddReturn(n.Agents[s].Agent, said.Reward)
			}
		}
	}
}

// Pupil is the policy that learns an answer: the one that would speak at its place.
func (c *Common) Pupil(a *Answer) PolicyRef {
	return PolicyRef{Engine: c.EngineOf(a.AgentTurn.Agent), Policy: c.Sharing.Policy(a.Turn, a.AgentTurn.Agent)}
}

// ToImitate lists the answers that trained policies are to give themselves, in the order of episodes, turns and agents. What is masked, and what is
// empty, is left out: there is no token to make more probable.
func (c *Common) ToImitate(episodes []*rollout.Episode) []*Answer {
	var out []*Answer
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				a := &Answer{Turn: n.Turn, AgentTurn: &n.Agents[s], Completion: &n.Agents[s].Completions[0]}
				if c.Pupil(a).Policy != engine.Base && Learnable(a.Completion) {
					out = append(out, a)
				}
			}
		}
	}
	return out
}

// EachMinibatch deals answers to their pupils in fresh random minibatches, epoch by epoch.
func (c *Common) EachMinibatch(answers []*Answer, epochs, minibatches, update int, fit func(to PolicyRef, batch []*Answer) error) error {
	policies := ByPolicy(answers, c.Pupil)
	for epoch := range epochs {
		for _, p := range policies {
			perm := c.Shuffle(p.To.Policy, update, epoch).Perm(len(p.Samples))
			for _, batch := range Minibatches(p.Samples, perm, minibatches) {
				if err := fit(p.To, batch); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Likelihood is the loss of some answers: the mean over all their tokens of −log π, the token loss REINFORCE with advantage 1.
func Likelihood(answers []*Answer) (*loss.PolicyBatch, error) {
	sequences := make([]loss.TokenSequence[float32], len(answers))
	for i, a := range answers {
		sequences[i] = loss.TokenSequence[float32]{Old: a.Completion.Logprobs, Advantages: []float64{1}}
	}
	return loss.NewTokenBatch(loss.TokenObjective{Loss: loss.REINFORCE, Reduction: loss.TokenMean}, sequences)
}

// Imitate takes one optimizer step of a policy on the likelihood of some answers at temperature 1.
func (c *Common) Imitate(ctx context.Context, to PolicyRef, answers []*Answer, update int, s *Stats) error {
	likelihood, err := Likelihood(answers)
	if err != nil {
		return err
	}
	all := PolicyBatch{To: to, Loss: likelihood.Gradient}
	for _, a := range answers {
		all.Add(a.PlainDatum(to.Policy), a.AgentTurn.Agent)
	}
	if err := c.Accumulate(ctx, []PolicyBatch{all}, s); err != nil {
		return err
	}
	s.AddLoss(likelihood.Stats().Loss)
	return c.Step(ctx, to, update, c.Optimizer.LR, s)
}
