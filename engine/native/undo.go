package native

import (
	"errors"
	"fmt"
	"slices"

	"parley/engine"
)

// trainedPolicies lists the policies of the data, each once. The base among them is an error: it has nothing to train.
func trainedPolicies(batches []*batch) ([]*policy, error) {
	var all []*policy
	for _, b := range batches {
		for i, p := range b.policies {
			if len(p.params) == 0 {
				return nil, fmt.Errorf("datum %d: the frozen base cannot be trained; name a policy", b.first+i)
			}
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// snapshot returns a function that puts the gradients back to what they are now, or clears them where the error is that they
// are not finite. Only a call of several batches can fail after it has added to gradients, so only that needs copies.
func snapshot(policies []*policy, several bool) func(error) {
	var copies [][]float32
	each := func(f func(g []float32)) {
		for _, p := range policies {
			for _, t := range p.params {
				f(t.g)
				f(t.second)
			}
		}
	}
	if several {
		each(func(g []float32) { copies = append(copies, slices.Clone(g)) })
	}
	return func(err error) {
		if errors.Is(err, engine.ErrNotFinite) {
			each(func(g []float32) { clear(g) })
			return
		}
		if !several {
			return
		}
		i := 0
		each(func(g []float32) {
			copy(g, copies[i])
			i++
		})
	}
}
