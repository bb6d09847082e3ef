package native

import (
	"errors"
	"fmt"
	"slices"

	"parley/engine"
)

// trainedPolicies lists the policies of the data, each once, ready for training. The base among them is an error: it has nothing to train.
func trainedPolicies(batches []*batch) ([]*policy, error) {
	var all []*policy
	for _, b := range batches {
		for i, p := range b.policies {
			if len(p.params) == 0 {
				return nil, fmt.Errorf("datum %d: the frozen base cannot be trained; name a policy", b.first+i)
			}
			if !slices.Contains(all, p) {
				p.ready()
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// snapshot returns a function that puts the gradients back to what they are now, or clears them where the error is that they
// are not finite. Only a call of several batches can fail after it has added to gradients, so only that needs copies, and only
// of policies whose gradients are not zero.
func snapshot(policies []*policy, several bool) func(error) {
	copies := make([][][]float32, len(policies))
	for i, p := range policies {
		if several && p.dirty {
			for _, t := range p.params {
				copies[i] = append(copies[i], slices.Clone(t.g), slices.Clone(t.second))
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
		copy(t.second, copies[2*i+1])
	}
}
