package weights

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWrite writes a checkpoint whole and in shards; what is read back is what was written.
func TestWrite(t *testing.T) {
	dir := filepath.Join("testdata", "models", firstModel(t))
	src, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for name, c := range map[string]struct {
		dtype string
		shard int64
		files int // of weights, with the index
	}{"own": {"", 1 << 40, 1}, "f32": {"F32", 1 << 40, 1}, "f16": {"F16", 1 << 40, 1}, "a shard each": {"", 1, len(src.Tensors()) + 1}} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			if err := write(out, src, c.dtype, c.shard); err != nil {
				t.Fatal(err)
			}
			files, _ := filepath.Glob(filepath.Join(out, "model*"))
			if len(files) != c.files {
				t.Errorf("files %v, want %d", files, c.files)
			}
			back, err := Open(out)
			if err != nil {
				t.Fatal(err)
			}
			defer back.Close()
			if len(back.Tensors()) != len(src.Tensors()) {
				t.Fatalf("%d tensors of %d", len(back.Tensors()), len(src.Tensors()))
			}
			for i, want := range src.Tensors() {
				got := back.Tensors()[i]
				if got.Name != want.Name || !slices.Equal(got.Shape, want.Shape) || got.DType != storedAs(want.DType, c.dtype) {
					t.Errorf("tensor %v, want %v as %q", got, want, c.dtype)
				}
				if x := read(t, back, got.Name, got.Shape); c.dtype != "F16" && !slices.Equal(x, read(t, src, want.Name, want.Shape)) {
					t.Errorf("%s has other values", got.Name)
				}
			}
			var config struct {
				Type string `json:"torch_dtype"`
			}
			if err := json.Unmarshal(back.Config(), &config); err != nil || c.dtype != "" && config.Type != torchTypes[c.dtype] {
				t.Errorf("config.json says torch_dtype %q (%v)", config.Type, err)
			}
		})
	}
}

func firstModel(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join("testdata", "models"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("no checkpoints: %v", err)
	}
	return entries[0].Name()
}

// TestWriteGGUF writes a GGUF file as a folder: its tensor of frequency factors becomes the scaling that it was made from.
func TestWriteGGUF(t *testing.T) {
	src, err := Open("testdata/gguf/llama3-mixed.gguf")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	out := t.TempDir()
	if err := Write(out, src, ""); err != nil {
		t.Fatal(err)
	}
	back, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	var config struct {
		Scaling map[string]any `json:"rope_scaling"`
		Key     any            `json:"parley_rope_freqs"`
	}
	if err := json.Unmarshal(back.Config(), &config); err != nil {
		t.Fatal(err)
	}
	if config.Key != nil || config.Scaling["rope_type"] != "llama3" {
		t.Errorf("config.json: %s", back.Config())
	}
	for _, tensor := range back.Tensors() {
		if tensor.Name == ropeFreqs || tensor.DType != "F32" {
			t.Errorf("tensor %v was written", tensor)
		}
	}
}

// changed is a source of one tensor.
type changed struct {
	Source
	value  float32
	err    error
	config string
}

func (c changed) Tensors() []Tensor {
	return []Tensor{{Name: "model.embed_tokens.weight", Shape: []int{2}, DType: "F32"}}
}
func (c changed) Config() []byte { return []byte(cmp.Or(c.config, "{}")) }
func (c changed) Float32(_ string, dst []float32) error {
	for i := range dst {
		dst[i] = c.value
	}
	return c.err
}

func TestWriteRefuses(t *testing.T) {
	const factors = `{"head_dim":4,"rope_theta":10000,"parley_rope_freqs":true}`
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		src   Source
		dtype string
		want  string
	}{
		"dtype":    {changed{value: 1}, "F64", "F64"},
		"too big":  {changed{value: 1e6}, "F16", "beyond the range"},
		"damaged":  {changed{value: nan}, "F32", "damaged"},
		"no space": {changed{value: 1, err: errors.New("disk full")}, "", "disk full"},
		"scaling":  {changed{value: 3, config: factors}, "", "Hugging Face folder"},
		"no scale": {changed{value: nan, config: factors}, "", "Hugging Face folder"},
	} {
		if err := Write(t.TempDir(), c.src, c.dtype); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v does not say %s", name, err, c.want)
		}
	}
}
