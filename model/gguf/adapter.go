package gguf

import (
	"fmt"
	"math"

	"parley/model/weights"
	"parley/model/weights/peft"
)

// Adapter returns a low-rank adapter over a model with modules as llama.cpp loads it beside the model. Its products are scaled by alpha over their
// rank; what a module is scaled by otherwise is in its B.
func Adapter(a *peft.Adapter, modules []peft.Module, l *weights.GGUFLayout) (*File, error) {
	if err := a.Check(modules); err != nil {
		return nil, err
	}
	adapted, err := a.Adapted(modules)
	if err != nil {
		return nil, err
	}
	f := &File{Metadata: map[string]any{
		"general.architecture": l.Architecture, "general.type": "adapter", "adapter.type": "lora", "adapter.lora.alpha": float32(a.Alpha),
		"general.quantization_version": uint32(2), "general.file_type": encodings["F32"].file,
	}}
	for _, m := range adapted {
		name, err := l.Name(m.Name + ".weight")
		if err != nil {
			return nil, err
		}
		rank, scale, err := a.Of(m.Name)
		if err != nil {
			return nil, err
		}
		gain := float32(scale * float64(rank) / float64(float32(a.Alpha)))
		if a.Alpha == 0 || math.IsInf(float64(gain), 0) {
			return nil, fmt.Errorf("its lora_alpha %g leaves no scale", a.Alpha)
		}
		f.Tensors = append(f.Tensors,
			Tensor{name + ".lora_a", []int{rank, m.In}, "F32", func(dst []float32) error { return a.File.Float32(m.A(), dst) }},
			Tensor{name + ".lora_b", []int{m.Out, rank}, "F32", func(dst []float32) error {
				if err := a.File.Float32(m.B(), dst); err != nil {
					return err
				}
				for i := range dst {
					dst[i] *= gain
				}
				return l.Store(m.Name+".weight", m.Out, dst)
			}})
	}
	return f, nil
}
