package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"parley/model"
	"parley/weights"
	"parley/weights/half"
	"parley/weights/quant"
)

// fake is a checkpoint with one linear weight among others.
type fake map[string][]float32

func (f fake) Config() []byte { return []byte("{}") }
func (f fake) Close() error   { return nil }
func (f fake) Tensors() (all []weights.Tensor) {
	for name := range f {
		all = append(all, weights.Tensor{Name: name, Shape: []int{3, 70}, DType: "F32"})
	}
	return all
}
func (f fake) Float32(name string, dst []float32) error {
	copy(dst, f[name])
	return nil
}

const projection = "model.layers.0.self_attn.q_proj.weight"

// uneven is 3 rows of 70 values: rows that are no whole number of blocks of 64.
func uneven() []float32 {
	x := make([]float32, 3*70)
	for i := range x {
		x[i] = float32(math.Sin(float64(i))) * float32(1+i/70)
	}
	return x
}

func read(t *testing.T, src weights.Source, name string) []float32 {
	t.Helper()
	x := make([]float32, 3*70)
	if err := src.Float32(name, x); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestWithDType checks that linear weights, and they alone, are those of the format.
func TestWithDType(t *testing.T) {
	want := map[string][]float32{"f32": uneven(), "bf16": uneven(), "int8": make([]float32, 3*70), "nf4": make([]float32, 3*70)}
	for i, v := range want["bf16"] {
		want["bf16"][i] = half.FromBF16(half.ToBF16(v))
	}
	quant.QuantizeInt8(3, 70, uneven()).Dequantize(want["int8"])
	quant.QuantizeNF4(uneven(), true).Dequantize(want["nf4"], 0)
	others := []string{"model.embed_tokens.weight", "lm_head.weight", "model.norm.weight", "model.layers.0.self_attn.q_norm.weight"}
	for _, dtype := range model.DTypes {
		checkpoint := fake{projection: uneven()}
		for _, name := range others {
			checkpoint[name] = uneven()
		}
		src, err := model.WithDType(checkpoint, dtype)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(read(t, src, projection), want[dtype]) {
			t.Errorf("%s: the projection is not that of the format", dtype)
		}
		for _, name := range others {
			if !slices.Equal(read(t, src, name), uneven()) {
				t.Errorf("%s: %s was changed", dtype, name)
			}
		}
	}
	if slices.Equal(want["int8"], want["nf4"]) || slices.Equal(want["bf16"], want["f32"]) {
		t.Error("the formats do not differ")
	}
}

// TestWithDTypeBias: biases of projections are not matrices.
func TestWithDTypeBias(t *testing.T) {
	const bias = "model.layers.0.self_attn.q_proj.bias"
	src, err := model.WithDType(fake{bias: uneven()}, "nf4")
	if err != nil || !slices.Equal(read(t, src, bias), uneven()) {
		t.Errorf("a bias was changed, %v", err)
	}
}

// TestWithDTypeDamaged: a NaN must not be rounded away.
func TestWithDTypeDamaged(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := uneven()
		x[5] = float32(bad)
		src, err := model.WithDType(fake{projection: x}, "int8")
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Float32(projection, x); err == nil || !strings.Contains(err.Error(), "index 5") {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

func TestWithDTypeUnknown(t *testing.T) {
	if _, err := model.WithDType(fake{}, "fp4"); err == nil || !strings.Contains(err.Error(), "bf16") {
		t.Errorf("error %v, want one that says what can be written", err)
	}
}
