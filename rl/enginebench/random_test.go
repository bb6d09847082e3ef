package bench

import (
	"math"
	"slices"
	"testing"

	"parley/model/weights"
)

func openRandom(t *testing.T, name string) weights.Source {
	t.Helper()
	src, err := OpenRandom(RandomPrefix + name)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestRandomShapes checks the number of parameters of the models that are imitated.
func TestRandomShapes(t *testing.T) {
	for name, want := range map[string]int{
		"qwen2.5-0.5b": 494_032_768, "smollm2-135m": 134_515_008, "gemma2-2b": 2_614_341_888, "olmo2-1b": 1_484_916_736, "granite-2b": 2_533_531_648,
	} {
		n := 0
		for _, x := range openRandom(t, name).Tensors() {
			n += x.Elements()
		}
		if n != want {
			t.Errorf("%s has %d parameters, want %d", name, n, want)
		}
	}
	if _, err := OpenRandom("random:nothing"); err == nil {
		t.Error("a shape that does not exist was opened")
	}
}

// TestRandomWeights checks that tensors are the same every time, differ from each other, and are spread as they should be.
func TestRandomWeights(t *testing.T) {
	src := openRandom(t, "smollm2-135m")
	read := func(name string) []float32 {
		x := make([]float32, 576*576)
		if err := src.Float32(name, x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	q := read("model.layers.0.self_attn.q_proj.weight")
	if !slices.Equal(q, read("model.layers.0.self_attn.q_proj.weight")) {
		t.Error("a tensor has other values the second time")
	}
	if slices.Equal(q[:8], read("model.layers.1.self_attn.q_proj.weight")[:8]) {
		t.Error("two tensors are the same")
	}
	rows := make([]float32, 2*576)
	if err := src.(weights.RowReader).Rows("model.layers.0.self_attn.q_proj.weight", 33, rows); err != nil || !slices.Equal(rows, q[33*576:][:2*576]) {
		t.Errorf("rows of a tensor are not those of the whole: %v", err)
	}
	if src.Float32("lm_head.weight", rows) == nil {
		t.Error("a tensor that does not exist was read")
	}
	sum, squares := 0.0, 0.0
	for _, v := range q {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	n := float64(len(q))
	if mean, deviation := sum/n, math.Sqrt(squares/n); math.Abs(mean) > 1e-3 || math.Abs(deviation-spread) > 1e-3 {
		t.Errorf("mean %g, standard deviation %g", mean, deviation)
	}
	if norm := read("model.norm.weight"); norm[0] != 1 || norm[575] != 1 {
		t.Error("the weights of a norm are not 1")
	}
}
