package peft

import (
	"fmt"
	"strings"

	"parley/model/weights"
)

// Merge returns the checkpoint of the adapted model: src with W + scale·B·A in place of each adapted W, computed in float64
// and rounded once. Tensors are merged as they are read, so that no more than one is in memory. Closing the result
// closes neither src nor the adapter, which must stay open.
func Merge(src weights.Source, a *Adapter) (weights.Source, error) {
	modules := Modules(src)
	if err := a.Check(modules); err != nil {
		return nil, err
	}
	adapted, err := a.Adapted(modules)
	if err != nil {
		return nil, err
	}
	m := &merged{Source: src, adapter: a, modules: map[string]Module{}}
	for _, module := range adapted {
		m.modules[module.Name+".weight"] = module
	}
	return m, nil
}

// Modules lists the linear layers of a checkpoint that can be adapted: the projections of its layers.
func Modules(src weights.Source) []Module {
	var modules []Module
	for _, t := range src.Tensors() {
		if name, ok := strings.CutSuffix(t.Name, "_proj.weight"); ok && len(t.Shape) == 2 {
			modules = append(modules, Module{name + "_proj", t.Shape[0], t.Shape[1]})
		}
	}
	return modules
}

// A merged source adds an adapter to weights on their way.
type merged struct {
	weights.Source
	adapter *Adapter
	modules map[string]Module // by the name of their weight
}

// Float32 implements [weights.Source].
func (m *merged) Float32(name string, dst []float32) error {
	if err := m.Source.Float32(name, dst); err != nil {
		return err
	}
	module, ok := m.modules[name]
	if !ok {
		return nil
	}
	rank, scale, err := m.adapter.Of(module.Name)
	if err != nil {
		return err
	}
	a, err := m.adapter.File.Read(module.A())
	if err != nil {
		return err
	}
	b, err := m.adapter.File.Read(module.B())
	if err != nil {
		return err
	}
	addProduct(dst, b, a, rank, module.In, scale)
	for i, v := range dst {
		if v-v != 0 {
			return fmt.Errorf("tensor %s has %v at index %d after merging", name, v, i)
		}
	}
	return nil
}

// Close leaves the source open: it is the caller's.
func (m *merged) Close() error { return nil }

// addProduct adds scale·b·a to w [out, in], given b [out, rank] and a [rank, in].
func addProduct(w, b, a []float32, rank, in int, scale float64) {
	sum := make([]float64, in)
	for out := 0; len(w) > 0; out++ {
		clear(sum)
		for r := range rank {
			f := float64(b[out*rank+r])
			for i, v := range a[r*in : (r+1)*in] {
				sum[i] += f * float64(v)
			}
		}
		for i, s := range sum {
			w[i] = float32(float64(w[i]) + scale*s)
		}
		w = w[in:]
	}
}
