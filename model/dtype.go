package model

import (
	"fmt"
	"slices"
	"strings"

	"parley/weights"
	"parley/weights/half"
	"parley/weights/quant"
)

// DTypes are the formats that a frozen base can be held in; the first is how the engine holds it by default.
var DTypes = []string{"f32", "bf16", "int8", "nf4"}

// WithDType returns src with its linear weights as dtype holds them: bf16 rounds to the nearest bfloat16 (ties to even), int8
// has one scale per row, nf4 is QLoRA's 4-bit NormalFloat in blocks of 64 with double quantisation (Dettmers et al. 2023, §3).
// Linear weights are the projections of the layers; embeddings, output head, norms and biases stay as they are, as
// they do in QLoRA.
//
// The values are those of the format, the memory is not: [weights.Source] hands out float32, and so the engine holds it.
func WithDType(src weights.Source, dtype string) (weights.Source, error) {
	round, ok := map[string]func(shape []int, x []float32){"bf16": roundBF16, "int8": roundInt8, "nf4": roundNF4}[dtype]
	switch {
	case dtype == "f32":
		return src, nil
	case !ok:
		return nil, fmt.Errorf("dtype %q is not known; write one of %s", dtype, strings.Join(DTypes, ", "))
	}
	r := &rounded{Source: src, round: round, shapes: map[string][]int{}}
	for _, t := range src.Tensors() {
		if linear(t) {
			r.shapes[t.Name] = slices.Clone(t.Shape)
		}
	}
	return r, nil
}

// linear says whether t is the weight of a projection: q_proj, k_proj, ..., also the fused ones of some families, as stored.
func linear(t weights.Tensor) bool {
	return len(t.Shape) == 2 && strings.HasSuffix(t.Name, "_proj.weight")
}

// A rounded source passes linear weights through a format on their way.
type rounded struct {
	weights.Source
	round  func(shape []int, x []float32)
	shapes map[string][]int // of the linear weights
}

// Float32 implements [weights.Source].
func (r *rounded) Float32(name string, dst []float32) error {
	if err := r.Source.Float32(name, dst); err != nil {
		return err
	}
	shape, ok := r.shapes[name]
	if !ok {
		return nil
	}
	for i, v := range dst {
		if v-v != 0 { // NaN or infinite: rounding could hide it
			return fmt.Errorf("tensor %s has %v at index %d; the checkpoint is damaged", name, v, i)
		}
	}
	r.round(shape, dst)
	return nil
}

func roundBF16(_ []int, x []float32) {
	for i, v := range x {
		x[i] = half.FromBF16(half.ToBF16(v))
	}
}

func roundInt8(shape []int, x []float32) { quant.QuantizeInt8(shape[0], shape[1], x).Dequantize(x) }

func roundNF4(_ []int, x []float32) { quant.QuantizeNF4(x, true).Dequantize(x, 0) }
