package ppo

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// divergences fills in the KL term of every token of the answers (MAPoRL §4). The forms of sampled tokens need the base's
// log-probabilities of them, the exact one the whole distributions of policy and base.
func (l *learner) divergences(ctx context.Context) error {
	exact := l.kl == credit.KLRefPolicyExact
	if !exact || l.loss.Loss == loss.GRPO {
		all := make([]*learn.Answer, len(l.answers))
		for i, a := range l.answers {
			all[i] = &a.Answer
		}
		if err := l.ReferenceLogprobs(ctx, all); err != nil {
			return err
		}
	}
	if exact {
		return learn.ByEngine(l.answers, l.engineOf, func(e engine.Engine, answers []*answer) error { return exactDivergences(ctx, e, answers) })
	}
	for _, a := range l.answers {
		var err error
		if a.kl, err = credit.SampledKL(l.kl, a.Completion.Logprobs, a.Reference); err != nil {
			return err
		}
	}
	return nil
}

// exactDivergences fills in KL(π_ref‖π) = Σ_v π_ref(v)·log(π_ref(v)/π(v)) at every token, [n] an answer, of the engine's whole distributions.
// It has no variance of sampling, and costs a pass of its own (MAPoRL §4).
func exactDivergences(ctx context.Context, e engine.Engine, answers []*answer) error {
	whole, ok := engine.As[engine.Diverger](e)
	if !ok {
		return errSampledOnly
	}
	data := make([]engine.Datum, len(answers))
	for i, a := range answers {
		data[i] = a.Datum(a.AgentTurn.Policy)
	}
	terms, err := whole.Divergence(ctx, data)
	if err != nil {
		return fmt.Errorf("compare answers with the base: %w", err)
	}
	for i, a := range answers {
		a.kl = widen(terms[i])
	}
	return nil
}

// advantages computes token rewards, advantages and returns, and whitens the advantages of each (turn, agent) batch (MAPoRL §4):
//
//	r_x = −λ_KL·kl_x, and R(t,a) at the last position;  δ_x = r_x + γ·V_{x+1} − V_x;  A_x = δ_x + γ·λ·A_{x+1};  G_x = A_x + V_x
//
// Where the reward stands one position past the last token, that position has a return for the critic and no advantage: no action was
// taken there. The statistic is the mean over answers of Σ_x kl_x.
func (l *learner) advantages(s *learn.Stats) {
	kl := 0.0
	for _, a := range l.answers {
		kl += sum(a.kl) / float64(len(l.answers))
		coef := l.KLOf(a.AgentTurn.Policy, l.settings.KL)
		if l.Penalizes(l.settings.KL) {
			s.AddShapedReturn(a.AgentTurn.Agent, a.Completion.Reward-coef*sum(a.kl))
		}
		n := len(a.Completion.Tokens)
		rewards := credit.TokenRewards(a.kl, coef, a.Completion.Reward, l.terminal.Positions(n, l.MaxTokens))
		a.advantage, a.returns = l.gae.Estimate(rewards, widen(a.values))
		a.advantage = a.advantage[:n]
	}
	s.KL = &kl
	if l.settings.Whiten {
		l.whiten()
	}
	for _, a := range l.answers { // for whoever reads the episode: nothing is learned from it
		a.Completion.Advantage = sum(a.advantage) / float64(max(len(a.advantage), 1))
	}
}

// Tokens are what Credit found for the tokens of an answer: their KL terms, before the coefficient, and their advantages, whitened where the
// recipe wants it. ok is false where nothing is learned from the answer.
func (l *learner) Tokens(c *rollout.Completion) (kl, advantages []float64, ok bool) {
	i := slices.IndexFunc(l.answers, func(a *answer) bool { return a.Completion == c })
	if i < 0 {
		return nil, nil, false
	}
	return l.answers[i].kl, l.answers[i].advantage, true
}

// whiten gives the advantages of the answers of each turn and agent mean 0 and variance 1, over all their tokens together:
// (A − mean)/√(var + 1e−8).
func (l *learner) whiten() {
	type batch struct{ turn, agent int }
	batches := map[batch][]*answer{}
	for _, a := range l.answers {
		b := batch{a.Turn, a.AgentTurn.Agent}
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
