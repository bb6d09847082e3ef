package train

import (
	"context"
	"fmt"

	"parley/credit"
	"parley/engine"
)

// divergences fills in the KL term of every token of the answers (maporl.md §4). The forms of sampled tokens need the base's
// log-probabilities of them, the exact one the whole distributions of policy and base.
func (l *ppo) divergences(ctx context.Context) error {
	if l.kl == credit.KLRefPolicyExact {
		return byEngine(l.answers, l.home, func(e engine.Engine, answers []*answer) error {
			whole, ok := e.(engine.Diverger)
			if !ok {
				return errSampledOnly
			}
			data := make([]engine.Datum, len(answers))
			for i, a := range answers {
				data[i] = datum(a.agentTurn.Policy, a.agentTurn, a.completion)
			}
			terms, err := whole.Divergence(ctx, data)
			if err != nil {
				return fmt.Errorf("compare answers with the base: %w", err)
			}
			for i, a := range answers {
				a.kl = widen(terms[i])
			}
			return nil
		})
	}
	if err := l.referenceLogprobs(ctx, l.answers); err != nil {
		return err
	}
	for _, a := range l.answers {
		var err error
		if a.kl, err = credit.SampledKL(l.kl, a.completion.Logprobs, a.reference); err != nil {
			return err
		}
	}
	return nil
}

// advantages computes token rewards, advantages and returns, and whitens the advantages of each (turn, agent) batch. Where the
// reward stands one position past the last token, that position has a return for the critic and no advantage: no action was
// taken there.
func (l *ppo) advantages(m *Metrics) {
	kl := 0.0
	for _, a := range l.answers {
		kl += sum(a.kl) / float64(len(l.answers))
		n := len(a.completion.Tokens)
		rewards := credit.TokenRewards(a.kl, l.recipe.PPO.KL, a.completion.Reward, l.terminal.Positions(n, l.recipe.Sampling.MaxTokens))
		a.advantage, a.returns = l.gae.Estimate(rewards, widen(a.values))
		a.advantage = a.advantage[:n]
	}
	m.KL = &kl
	if l.recipe.PPO.Whiten {
		l.whiten()
	}
}

// whiten gives the advantages of the answers of each turn and agent mean 0 and variance 1.
func (l *ppo) whiten() {
	type batch struct{ turn, agent int }
	batches := map[batch][]*answer{}
	for _, a := range l.answers {
		b := batch{a.turn, a.agentTurn.Agent}
		batches[b] = append(batches[b], a)
	}
	for _, answers := range batches {
		rows := make([][]float64, len(answers))
		for i, a := range answers {
			rows[i] = a.advantage
		}
		for i, row := range credit.Whiten(rows) {
			answers[i].advantage = row
		}
	}
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func widen(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
