package native

import (
	"math"
	"path/filepath"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/internal/seed"
	"parley/model/weights/safetensors"
)

// A valueHead reads the value of a state from h [hidden], the state after the final norm: v = w·h + b, or with a hidden layer
// v = w·tanh(W·h + c) + b.
type valueHead struct {
	hidden, bias *param // W [width, hidden] and c [width]; nil: no hidden layer
	w, b         *param // [1, width or hidden] and [1]
}

// newValueHead is a head of zeros; width 0 means no hidden layer.
func newValueHead(hidden, width int) *valueHead {
	h := &valueHead{w: newParam("value_head.weight", 1, hidden), b: newParam("value_head.bias", 1)}
	if width > 0 {
		h.w = newParam("value_head.weight", 1, width)
		h.hidden, h.bias = newParam("value_head.hidden.weight", width, hidden), newParam("value_head.hidden.bias", width)
	}
	for _, p := range h.params() {
		p.w = make([]float32, p.size())
		p.train()
	}
	return h
}

// params are the head's parameters in a fixed order.
func (h *valueHead) params() []*param {
	if h.hidden == nil {
		return []*param{h.w, h.b}
	}
	return []*param{h.hidden, h.bias, h.w, h.b}
}

// initialize gives the weights normal initial values of a standard deviation; biases stay 0.
func (h *valueHead) initialize(s uint64, deviation float64) {
	if deviation == 0 {
		return
	}
	r := seed.Stream(s)
	weights := []*param{h.w}
	if h.hidden != nil {
		weights = append(weights, h.hidden)
	}
	for _, p := range weights {
		for i := range p.w {
			p.w[i] = float32(deviation * r.NormFloat64())
		}
	}
}

// layer is what the output layer reads: the state, or what the hidden layer makes of it.
func (h *valueHead) layer(k *kernel.Kernels, state []float32) []float32 {
	if h.hidden == nil {
		return state
	}
	out := make([]float32, len(h.bias.w))
	for i := range out {
		out[i] = float32(math.Tanh(float64(k.Dot(row(h.hidden.w, i, len(state)), state) + h.bias.w[i])))
	}
	return out
}

// value is that of a state.
func (h *valueHead) value(k *kernel.Kernels, state []float32) float32 {
	return k.Dot(h.w.w, h.layer(k, state)) + h.b.w[0]
}

// backward takes the gradient g of a state's value: it accumulates those of the parameters, and adds the state's to dstate.
func (h *valueHead) backward(k *kernel.Kernels, state, dstate []float32, g float32) {
	h.b.g[0] += g
	layer := h.layer(k, state)
	k.AddScaled(h.w.g, g, layer)
	if h.hidden == nil {
		k.AddScaled(dstate, g, h.w.w)
		return
	}
	for i, y := range layer {
		slope := g * h.w.w[i] * (1 - y*y)
		h.bias.g[i] += slope
		k.AddScaled(row(h.hidden.g, i, len(state)), slope, state)
		k.AddScaled(dstate, slope, row(h.hidden.w, i, len(state)))
	}
}

// addValueHead gives p a value head of zeros; width is that of its hidden layer.
func (p *policy) addValueHead(hidden, width int) {
	p.value = newValueHead(hidden, width)
	p.params = append(p.params, p.value.params()...)
}

// initValueHead gives p the value head that a specification asks for.
func (p *policy) initValueHead(hidden int, spec engine.PolicySpec) {
	if spec.ValueHead {
		p.addValueHead(hidden, spec.ValueHidden)
		p.value.initialize(seed.Derive(spec.Seed, "value head"), spec.ValueInit)
	}
}

// loadValueHead gives p the value head that lies in a policy's folder, if there is one.
func (p *policy) loadValueHead(hidden int, dir string) error {
	path := filepath.Join(dir, valueFile)
	if !exists(path) {
		return nil
	}
	f, err := safetensors.Open(path)
	if err != nil {
		return err
	}
	width := 0
	if t, ok := f.Lookup("value_head.hidden.bias"); ok && len(t.Shape) == 1 {
		width = t.Shape[0]
	}
	f.Close()
	p.addValueHead(hidden, width)
	return readParams(path, p.valueParams())
}
