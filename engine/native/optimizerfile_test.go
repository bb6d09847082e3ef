package native

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"parley/model/weights/safetensors"
)

// optimizerState is a file of two parameters, x of two values and y of one.
func optimizerState(f *testing.F, step string, v float32) []byte {
	f.Helper()
	var state []safetensors.Output
	for name, shape := range map[string][]int{"m.x": {2}, "v.x": {2}, "m.y": {1}, "v.y": {1}} {
		data := make([]float32, shape[0])
		if data[0] = 0.5; name == "v.x" {
			data[0] = v
		}
		state = append(state, output(name, shape, data, "F32"))
	}
	var b bytes.Buffer
	if err := safetensors.Encode(&b, state, map[string]string{"step": step}); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

// FuzzOptimizer: a state that is taken is one that a step can be made from.
func FuzzOptimizer(f *testing.F) {
	f.Add(optimizerState(f, "3", 1))
	f.Add(optimizerState(f, "-3", 1))
	f.Add(optimizerState(f, "9223372036854775807", 1))
	f.Add(optimizerState(f, "3", -1))
	f.Add(optimizerState(f, "3", float32(math.Inf(1))))
	path := filepath.Join(f.TempDir(), optimizerFile)
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		p := &policy{params: []*param{newParam("x", 2), newParam("y", 1)}}
		for _, q := range p.params {
			q.m, q.v = make([]float32, q.size()), make([]float32, q.size())
		}
		if p.readOptimizer(path) != nil {
			return
		}
		if p.step < 0 || p.step+1 < 0 {
			t.Errorf("step %d", p.step)
		}
		for _, q := range p.params {
			for i := range q.v {
				if root := math.Sqrt(float64(q.v[i])); math.IsNaN(root) || math.IsInf(root, 0) || math.IsNaN(float64(q.m[i])) {
					t.Errorf("%s: m %v, v %v", q.name, q.m[i], q.v[i])
				}
			}
		}
	})
}
