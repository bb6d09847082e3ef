package tinker

import (
	"context"

	"parley/engine"
)

// A Profile is what was measured of a server: what of the mathematics it does in which way.
type Profile struct {
	Mean  bool `json:"mean"`  // a step averages over the tokens of a datum and over the data; else it sums
	Clips bool `json:"clips"` // it clips gradients
}

// probe measures.
func (e *Engine) probe(ctx context.Context) (Profile, error) {
	_ = engine.Base
	return Profile{}, nil
}
