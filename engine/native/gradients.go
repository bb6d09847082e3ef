package native

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
)

// A Gradient is what a parameter has accumulated since its policy's last step.
type Gradient struct {
	Name  string    // as in the policy's files: PEFT's name for an adapter, the checkpoint's for a full copy
	Shape []int     // such as [rank, in] for lora_A and [out, rank] for lora_B
	Data  []float32 // row after row
}

// Gradients returns a copy of the gradients of a policy's adapter or full copy, in the order of its parameters; those of a
// value head are left out. A tied embedding has one gradient, the sum of both uses. The base has none: that is an error.
func (e *Engine) Gradients(name engine.Policy) ([]Gradient, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := e.policy(name)
	if err == nil && len(p.params) == 0 {
		err = fmt.Errorf("the frozen base has no gradients")
	}
	if err != nil {
		return nil, fmt.Errorf("gradients of policy %q: %w", name, err)
	}
	p.prepareTraining()
	var all []Gradient
	for _, t := range p.modelParams() {
		g := Gradient{t.name, slices.Clone(t.shape), slices.Clone(t.g)}
		for i, second := range t.lookupGrad {
			g.Data[i] += second
		}
		all = append(all, g)
	}
	return all, nil
}

// GradientOf implements [engine.Differentiator]: passes as those of ForwardBackward, whose gradients are taken out before what the policy had
// accumulated is put back.
func (e *Engine) GradientOf(ctx context.Context, data []engine.Datum, loss engine.Loss) ([]float64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	out, err := e.gradientOf(ctx, data, loss)
	if err != nil {
		return nil, fmt.Errorf("gradient: %w", err)
	}
	return out, nil
}

func (e *Engine) gradientOf(ctx context.Context, data []engine.Datum, loss engine.Loss) ([]float64, error) {
	batches, err := e.fitBatches(data, true)
	if err != nil {
		return nil, err
	}
	trained, err := trainedPolicies(batches)
	if err != nil {
		return nil, err
	}
	if len(trained) != 1 {
		return nil, fmt.Errorf("the data are of %d policies, expected one", len(trained))
	}
	p := trained[0]
	defer p.setAside()()
	for _, b := range batches {
		if err := e.accumulate(ctx, b, loss); err != nil {
			return nil, err
		}
	}
	return p.flatGradient(), nil
}

// setAside clears the gradients of a policy until the function that it returns puts them back.
func (p *policy) setAside() (back func()) {
	var copies [][]float32
	dirty := p.dirty
	if dirty {
		for _, t := range p.params {
			copies = append(copies, slices.Clone(t.g), slices.Clone(t.lookupGrad))
		}
	}
	p.clearGradients()
	return func() {
		p.clearGradients()
		if dirty {
			p.restore(copies)
			p.dirty = true
		}
	}
}

// flatGradient is the gradient of all parameters but a value head's, one behind the other.
func (p *policy) flatGradient() []float64 {
	n := 0
	for _, t := range p.modelParams() {
		n += len(t.g)
	}
	out := make([]float64, 0, n)
	for _, t := range p.modelParams() {
		first := len(out)
		for _, g := range t.g {
			out = append(out, float64(g))
		}
		for i, second := range t.lookupGrad {
			out[first+i] += float64(second)
		}
	}
	return out
}
