package native

import (
	"errors"
	"slices"

	"parley/engine"
)

// gradientSnapshot returns a function that puts the gradients back to what they are now, or clears them where the error is that they
// are not finite. Only a call of several batches can fail after it has added to gradients, so only that needs copies, and only
// of policies whose gradients are not zero.
func gradientSnapshot(policies []*policy, several bool) func(error) {
	copies := make([][][]float32, len(policies))
	for i, p := range policies {
		if several && p.dirty {
			for _, t := range p.params {
				copies[i] = append(copies[i], slices.Clone(t.g), slices.Clone(t.lookupGrad))
			}
		}
	}
	return func(err error) {
		notFinite := errors.Is(err, engine.ErrNotFinite)
		for i, p := range policies {
			switch {
			case notFinite, several && copies[i] == nil:
				p.clearGradients()
			case several:
				p.restore(copies[i])
			}
		}
	}
}

// restore puts copies of the gradients back.
func (p *policy) restore(copies [][]float32) {
	for i, t := range p.params {
		copy(t.g, copies[2*i])
		copy(t.lookupGrad, copies[2*i+1])
	}
}
