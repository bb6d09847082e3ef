package train

import (
	"context"

	"parley/loss"
	"parley/rollout"
)

// penalties returns what each answer loses for its distance from the base (magrpo.md §2.5); none without a coefficient.
func (c *core) penalties(ctx context.Context, answers []*answer, m *Metrics) (map[*rollout.Completion]float64, error) {
	coef := c.recipe.Group.KL
	if coef == 0 {
		return nil, nil
	}
	if err := c.referenceLogprobs(ctx, answers); err != nil {
		return nil, err
	}
	out := map[*rollout.Completion]float64{}
	mean := 0.0
	for _, a := range answers {
		kl := sum(loss.KLTokens(a.completion.Logprobs, a.reference))
		mean += kl / float64(len(answers))
		out[a.completion] = coef * kl
	}
	m.KL = &mean
	return out, nil
}
