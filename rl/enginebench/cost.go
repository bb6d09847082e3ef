package bench

import (
	"parley/model/config"
)

// A shape counts what one token costs in a model.
type shape struct {
	block  float64 // weights of all layers that a token passes
	head   float64 // weights of the output head
	layers float64
	width  float64 // of all query heads together
	low    float64 // weights of a rank-1 adapter on all projections: Σ (in + out)
}

func shapeOf(c config.Config) shape {
	h, q, kv, m := float64(c.Hidden), float64(c.Heads*c.HeadDim), float64(c.KVHeads*c.HeadDim), float64(c.Intermediate)
	l := float64(c.Layers)
	return shape{
		block:  l * (h*(q+2*kv) + q*h + 3*h*m),
		head:   h * float64(c.Vocab),
		layers: l,
		width:  q,
		low:    l * ((h + q) + 2*(h+kv) + (q + h) + 2*(h+m) + (m + h)),
	}
}

// A run of tokens is computed after others that it sees.
type tokenRange struct{ from, tokens int }

// attended adds up how many positions the tokens of a range see, themselves included.
func (s tokenRange) attended() float64 {
	n := float64(s.tokens)
	return n*float64(s.from) + n*(n+1)/2
}

// forward returns the operations of a forward pass over ranges, with the head at scored tokens and an adapter of a rank.
// A product of m rows with n weights has 2·m·n operations; attention reads and mixes width values for every position seen.
func (s shape) forward(ranges []tokenRange, scored, rank int) float64 {
	tokens, seen := 0.0, 0.0
	for _, t := range ranges {
		tokens += float64(t.tokens)
		seen += t.attended()
	}
	return 2*tokens*(s.block+float64(rank)*s.low) + 2*float64(scored)*s.head + 4*seen*s.width*s.layers
}

// train returns the operations of a forward and a backward pass over a frozen base: the gradient of the inputs costs the
// products once more, that of attention twice more, and an adapter needs gradients of inputs and of weights.
func (s shape) train(ranges []tokenRange, scored, rank int) float64 {
	tokens, seen := 0.0, 0.0
	for _, t := range ranges {
		tokens += float64(t.tokens)
		seen += t.attended()
	}
	return 4*tokens*s.block + 6*tokens*float64(rank)*s.low + 4*float64(scored)*s.head + 12*seen*s.width*s.layers
}
