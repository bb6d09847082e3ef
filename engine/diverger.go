package engine

import "context"

// A Diverger is an engine that compares whole distributions of a policy with the base's. It is optional: only MAPoRL's exact KL
// (maporl.md §4) asks for more than the log-probabilities of sampled tokens.
type Diverger interface {
	// Divergence returns for each datum with n asked tokens the n divergences KL(base‖policy) = Σ_v b(v)·log(b(v)/p(v)), in nats, of
	// the distributions b of the base and p of the datum's policy over the whole vocabulary, each given the tokens before
	// the asked one, at the datum's temperature. Sampling that cuts the vocabulary is an error.
	Divergence(ctx context.Context, data []Datum) ([][]float32, error)
}
