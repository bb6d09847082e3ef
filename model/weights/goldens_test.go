package weights

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"parley/model/weights/quant"
)

// goldens is a folder laid out like the shared goldens: gguf/ and models/.
func goldens() string {
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		return dir
	}
	return "testdata"
}

// goldenGGUF is what golden.json says of one file.
type goldenGGUF struct {
	File      string
	Tensors   map[string]string // GGUF name -> type
	RopeFreqs []float32         `json:"rope_freqs"`
}

func goldenFiles(t *testing.T) map[string]goldenGGUF {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(goldens(), "gguf", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Files map[string]goldenGGUF }
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Files) == 0 {
		t.Fatal("golden.json names no files")
	}
	return g.Files
}

func read(t *testing.T, s Source, name string, shape []int) []float32 {
	t.Helper()
	n := 1
	for _, d := range shape {
		n *= d
	}
	dst := make([]float32, n)
	if err := s.Float32(name, dst); err != nil {
		t.Fatal(err)
	}
	return dst
}

// original is the checkpoint that a golden GGUF file was made of, recognised by its sizes.
func original(t *testing.T, config map[string]any) Source {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(goldens(), "models", "*", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range folders {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c map[string]any
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		if c["model_type"] != "llama" || !sameSizes(c, config) {
			continue
		}
		s, err := Open(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	t.Fatal("no checkpoint of these sizes among the models")
	return nil
}

func sameSizes(a, b map[string]any) bool {
	for _, key := range []string{
		"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
		"num_key_value_heads", "head_dim", "max_position_embeddings", "rms_norm_eps", "rope_theta", "tie_word_embeddings",
	} {
		if a[key] != b[key] {
			return false
		}
	}
	return true
}

// quantStep bounds the error of each type relative to the greatest magnitude of the tensor.
var quantStep = map[string]float64{
	"Q8_0": 1. / 127, "Q4_0": 1. / 7, "Q4_1": 1. / 7, "Q5_0": 1. / 15, "Q5_1": 1. / 15,
	"Q4_K": 1. / 7, "Q5_K": 1. / 15, "Q6_K": 1. / 31, "BF16": 1. / 128,
}

// TestGoldensGGUF compares each tensor of each file with the same tensor of the checkpoint it was made of: equal for F32,
// equal after rounding for F16, near for quantised types. Rows in the wrong order fail all three.
func TestGoldensGGUF(t *testing.T) {
	for name, golden := range goldenFiles(t) {
		t.Run(name, func(t *testing.T) {
			g, err := OpenGGUF(filepath.Join(goldens(), "gguf", golden.File))
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			var config map[string]any
			if err := json.Unmarshal(g.Config(), &config); err != nil {
				t.Fatal(err)
			}
			if len(g.Tensors()) != len(golden.Tensors) {
				t.Errorf("%d tensors, want %d", len(g.Tensors()), len(golden.Tensors))
			}
			source := original(t, config)
			shapes := map[string][]int{}
			for _, want := range source.Tensors() {
				shapes[want.Name] = want.Shape
			}
			for _, got := range g.Tensors() {
				if got.Name == ropeFreqs {
					checkFreqs(t, g, config, golden.RopeFreqs)
					continue
				}
				if len(shapes[got.Name]) != len(got.Shape) {
					t.Fatalf("%s: shape %v, want %v", got.Name, got.Shape, shapes[got.Name])
				}
				near(t, got, read(t, g, got.Name, got.Shape), read(t, source, got.Name, shapes[got.Name]))
			}
		})
	}
}

func checkFreqs(t *testing.T, g *GGUF, config map[string]any, want []float32) {
	t.Helper()
	if config["parley_rope_freqs"] != true {
		t.Error("config does not say that rope_freqs.weight is there")
	}
	for i, got := range read(t, g, ropeFreqs, []int{len(want)}) {
		if got != want[i] {
			t.Errorf("rope_freqs[%d] = %g, want %g", i, got, want[i])
		}
	}
}

func near(t *testing.T, tensor Tensor, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", tensor.Name, len(got), len(want))
	}
	var greatest float64
	for _, w := range want {
		greatest = max(greatest, math.Abs(float64(w)))
	}
	for i, w := range want {
		switch tensor.DType {
		case "F16":
			w = quant.FromF16(quant.ToF16(w))
		case "F32":
		default:
			step, known := quantStep[tensor.DType]
			if !known {
				t.Fatalf("%s: type %s has no bound in this test", tensor.Name, tensor.DType)
			}
			if math.Abs(float64(got[i]-w)) > step*greatest {
				t.Fatalf("%s (%s): element %d is %g, want about %g", tensor.Name, tensor.DType, i, got[i], w)
			}
			continue
		}
		if got[i] != w {
			t.Fatalf("%s (%s): element %d is %g, want %g", tensor.Name, tensor.DType, i, got[i], w)
		}
	}
}
