package native

import (
	"fmt"
	"math"

	"parley/engine/native/kernel"
	"parley/model/config"
)

// A param is one named tensor of a model or an adapter. The tensors of the frozen base have no gradient.
type param struct {
	name   string
	shape  []int
	w      []float32  // nil: a frozen matrix, of which only the packed panels are kept, or one that has its values in rows
	packed packedRows // of an adapter, once it is packed
	g      []float32  // gradient accumulated since the last step; nil: frozen, or never trained
	m, v   []float32  // AdamW's moments
	// lookupGrad is the gradient of a tied embedding's use as look-up table. The two uses have a chain of additions each, which
	// the step adds up, so that splitting the data over several calls does not change the order within a chain.
	lookupGrad []float32
	norm       *config.Norm // how a norm uses its weight; nil: the tensor is no norm's weight
	scale      []float32    // what a norm multiplies by, see refreshScale; of other tensors nil
}

// packedRows are those of a packed matrix that hold the values of a parameter: the trained adapters have no others.
type packedRows struct {
	matrix *kernel.Matrix // nil: none
	first  int
}

func newParam(name string, shape ...int) *param { return &param{name: name, shape: shape} }

// refreshScale takes the values of a norm's weight over into its scale.
func (p *param) refreshScale() {
	if p.norm == nil {
		return
	}
	switch *p.norm {
	case config.ByWeight:
		p.scale = p.w
	case config.ByOnePlusWeight:
		p.scale = append(p.scale[:0], p.w...)
		for i := range p.scale {
			p.scale[i]++
		}
	}
}

func (p *param) size() int {
	n := 1
	for _, d := range p.shape {
		n *= d
	}
	return n
}

// values are those of p: a copy where they are in rows.
func (p *param) values() []float32 {
	if p.w != nil || p.packed.matrix == nil {
		return p.w
	}
	w := make([]float32, p.size())
	p.packed.matrix.Values(w, p.packed.first, 0)
	return w
}

// pack moves the values into rows, unless they are there.
func (p *param) pack() {
	if p.w != nil {
		p.packed.matrix.SetValues(p.w, p.packed.first, 0)
		p.w = nil
	}
}

// train gives p what training needs.
func (p *param) train() {
	n := p.size()
	p.g, p.m, p.v = make([]float32, n), make([]float32, n), make([]float32, n)
}

func (p *param) clear() {
	clear(p.g)
	clear(p.lookupGrad)
}

// finite reports the first NaN or infinite value of x as an error that names what.
func finite(what string, x []float32) error {
	for i, v := range x {
		if !isFinite(v) {
			return fmt.Errorf("%s has %v at index %d", what, v, i)
		}
	}
	return nil
}

func isFinite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
