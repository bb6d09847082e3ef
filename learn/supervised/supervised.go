package supervised

import (
	"context"

	"parley/engine"
	"parley/learn"
	"parley/loss"
	"parley/rollout"
)

// SFT is the algorithm's entry in the register.
func SFT() learn.Algorithm {
	return learn.Algorithm{
		Name: "sft", About: "supervised learning of the untrained team's best debates (MAPoRL, Experiment 5)", Kind: learn.Debates,
		Sections: []learn.Section{section()}, FromUntrained: true, TeamAlone: "it imitates whole debates, the best ones of the team", New: New, Steps: steps, Passes: passes, Kept: kept,
		Gathers: func(settings []any) bool { return learn.SettingsIn[Settings](settings).Pool == "run" },
	}
}

// A learner keeps nothing between updates: debates of earlier ones are read back from the run.
type learner struct {
	learn.Common
	settings Settings
}

// New returns a learner of SFT. It needs [Settings].
func New(c learn.Config) (learn.Learner, error) {
	s, err := learn.SettingsOf[Settings](c)
	if err != nil {
		return nil, err
	}
	return &learner{learn.Common{Config: c}, s}, nil
}

// Credit implements [learn.Learner]: an answer's reward is its score, or the penalty where it is flagged. It is for reports; what is learned
// goes by whole debates.
func (l *learner) Credit(_ context.Context, episodes []*rollout.Episode, stats *learn.Stats) error {
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				c := &n.Agents[s].Completions[0]
				if c.Reward = c.Score - c.Penalty; len(c.Flags) > 0 {
					c.Reward = l.Reward.Scheme.Penalty
				}
				stats.AddReturn(n.Agents[s].Agent, c.Reward)
			}
		}
	}
	return nil
}

// Learn implements [learn.Learner]: the mean negative log-likelihood of the kept answers' tokens at temperature 1, in fresh random minibatches.
func (l *learner) Learn(ctx context.Context, update int, episodes []*rollout.Episode, s *learn.Stats) error {
	debates, err := l.choose(update, episodes)
	if err != nil {
		return err
	}
	s.Kept = len(debates)
	if l.settings.Pool == "run" {
		update = 0 // the only one that learns, at the learning rate that a run begins with
	}
	policies := learn.ByPolicy(l.examples(debates), l.pupil)
	for epoch := range l.settings.Epochs {
		for _, p := range policies {
			perm := l.Shuffle(p.To.Policy, update, epoch).Perm(len(p.Samples))
			for _, batch := range learn.Minibatches(p.Samples, perm, l.settings.Minibatches) {
				if err := l.fit(ctx, p.To, batch, update, s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// examples lists the answers of debates that a trained policy is to give itself, in the order of debates, turns and agents. The base gave
// them; who learns an answer is whoever would speak in its place. What is masked, and what is empty, is left out: there is no token to
// make more probable.
func (l *learner) examples(debates []*rollout.Episode) []*learn.Answer {
	var out []*learn.Answer
	for _, e := range debates {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				a := &learn.Answer{Turn: n.Turn, AgentTurn: &n.Agents[s], Completion: &n.Agents[s].Completions[0]}
				if l.pupil(a).Policy != engine.Base && learn.Learnable(a.Completion) {
					out = append(out, a)
				}
			}
		}
	}
	return out
}

// pupil is the policy that stands in the place of an answer.
func (l *learner) pupil(a *learn.Answer) learn.PolicyRef {
	return learn.PolicyRef{Engine: l.EngineOf(a.AgentTurn.Agent), Policy: l.Sharing.Policy(a.Turn, a.AgentTurn.Agent)}
}

// fit takes one optimizer step of a policy on some answers: the loss is the mean over all their tokens of −log π at temperature 1, the
// token loss REINFORCE with advantage 1.
func (l *learner) fit(ctx context.Context, to learn.PolicyRef, batch []*learn.Answer, update int, s *learn.Stats) error {
	all := learn.PolicyBatch{To: to}
	sequences := make([]loss.TokenSequence[float32], len(batch))
	for i, a := range batch {
		d := a.Datum(to.Policy)
		d.Sampling = engine.Sampling{}
		all.Add(d, a.AgentTurn.Agent)
		sequences[i] = loss.TokenSequence[float32]{Old: a.Completion.Logprobs, Advantages: []float64{1}}
	}
	likelihood, err := loss.NewTokenBatch(loss.TokenObjective{Loss: loss.REINFORCE, Reduction: loss.TokenMean}, sequences)
	if err != nil {
		return err
	}
	all.Loss = likelihood.Gradient
	if err := l.Accumulate(ctx, []learn.PolicyBatch{all}, s); err != nil {
		return err
	}
	s.AddLoss(likelihood.Stats().Loss)
	return l.Step(ctx, to, update, l.Optimizer.LR, s)
}
