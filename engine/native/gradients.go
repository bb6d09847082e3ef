package native

import (
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
