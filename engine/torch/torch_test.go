//go:build torch

package torch

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/engine/native"
	"parley/model/config"
	"parley/model/modeltest"
	"parley/model/weights"
	"parley/model/weights/safetensors"
)

// python is the interpreter that has PyTorch and transformers.
func python(t testing.TB) string {
	t.Helper()
	path := os.Getenv("PARLEY_TORCH_PYTHON")
	if path == "" {
		t.Fatal("PARLEY_TORCH_PYTHON names no interpreter with PyTorch and transformers")
	}
	return path
}

// options open a folder on the CPU, or on the device that bench/torch/gpu.sh names, in float32.
func options(t testing.TB, folder string) Options {
	return Options{Python: python(t), Model: folder, Device: cmp.Or(os.Getenv("PARLEY_TORCH_DEVICE"), "cpu"), DType: "f32", Threads: 1}
}

func openFolder(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

var shared *Engine

// openShared lets one worker hold the model of a folder, and another one's later: to start a worker takes longer than most tests.
func openShared(t *testing.T, o Options) *Engine {
	t.Helper()
	if shared == nil {
		var err error
		if shared, err = Open(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		atEnd = append(atEnd, func() { shared.Close() })
	}
	n := &Engine{life: shared.life, turn: shared.turn, workers: shared.workers, policies: map[engine.Policy]*policy{}, gap: engine.NewGapMeter()}
	if err := n.greet(t.Context(), o, []string{o.Device}); err != nil {
		t.Fatal(err)
	}
	return n
}

// writeModel writes a random model of a shape as transformers reads it.
func writeModel(t testing.TB, c config.Config) string {
	t.Helper()
	return writeSource(t, native.Random(c, 3))
}

func writeSource(t testing.TB, src weights.Source) string {
	t.Helper()
	dir := t.TempDir()
	var config map[string]any
	if err := json.Unmarshal(src.Config(), &config); err != nil {
		t.Fatal(err)
	}
	config["pad_token_id"] = nil // the usual one is beyond a tiny vocabulary
	text, err := json.Marshal(config)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.json"), text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	var tensors []safetensors.Output
	for _, info := range src.Tensors() {
		out := safetensors.Output{Tensor: safetensors.Tensor{Name: info.Name, Shape: info.Shape, DType: "F32"}}
		n := 1
		for _, d := range info.Shape {
			n *= d
		}
		out.Data = make([]float32, n)
		if err := src.Float32(info.Name, out.Data); err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, out)
	}
	if err := safetensors.Write(filepath.Join(dir, "model.safetensors"), tensors, map[string]string{"format": "pt"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// unclosed keeps a worker from one test to the next: loading takes longer than the tests.
type unclosed struct{ *Engine }

func (unclosed) Close() error { return nil }

// forget drops all policies.
func (e *Engine) forget(t testing.TB) {
	t.Helper()
	for name := range e.policies {
		if err := e.Drop(name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConformance(t *testing.T) {
	c := modeltest.Tiny()
	folder := writeModel(t, c)
	e := openShared(t, options(t, folder))
	enginetest.Conformance(t, func(t *testing.T) engine.Engine {
		e.forget(t)
		return unclosed{e}
	}, c.Vocab)
}
