package native

import (
	"math"
	"slices"
	"strings"
	"testing"

	"parley/engine"
)

// TestGradients checks names and shapes, that a step's norm is the norm of what is returned, and that the step clears it.
func TestGradients(t *testing.T) {
	for name, spec := range map[string]engine.PolicySpec{
		"adapter": {Rank: 2, Alpha: 4, Targets: []string{"q_proj", "down_proj"}},
		"full":    {Full: true},
	} {
		t.Run(name, func(t *testing.T) {
			e := openGolden(t, "models/qwen2", engine.Options{}) // tied embeddings
			if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
				t.Fatal(err)
			}
			accumulateOnes(t, e)
			sum, first, gradients := 0.0, 0.0, gradientsOf(t, e) // first: the squares of the first step of Adam, over its rate
			for i, g := range gradients {
				if q := e.policies["p"].params[i]; q.name != g.Name || !slices.Equal(q.shape, g.Shape) || len(g.Data) != q.size() {
					t.Errorf("gradient %d is %s %v of %d values, the parameter %s %v", i, g.Name, g.Shape, len(g.Data), q.name, q.shape)
				}
				for _, x := range g.Data {
					sum += float64(x) * float64(x)
					first += math.Pow(float64(x)/(math.Abs(float64(x))+1e-8), 2)
				}
			}
			info, err := e.Step(t.Context(), "p", engine.Adam{LR: 1e-3, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8})
			if err != nil {
				t.Fatal(err)
			}
			if norm := math.Sqrt(sum); norm == 0 || math.Abs(norm-info.GradNorm) > 1e-6*norm {
				t.Errorf("norm %g, the step's %g", norm, info.GradNorm)
			}
			if moved := 1e-3 * math.Sqrt(first); math.Abs(moved-info.UpdateNorm) > 1e-3*moved || info.ParamNorm <= info.UpdateNorm {
				t.Errorf("moved by %g, want %g, of parameters of %g", info.UpdateNorm, moved, info.ParamNorm)
			}
			for _, g := range gradientsOf(t, e) {
				if slices.ContainsFunc(g.Data, func(x float32) bool { return x != 0 }) {
					t.Errorf("%s: the step left a gradient", g.Name)
				}
			}
		})
	}
}

func accumulateOnes(t *testing.T, e *Engine) {
	t.Helper()
	data := []engine.Datum{{Policy: "p", Tokens: []int{3, 1, 4, 1, 5}, ScoreFrom: 1}}
	err := e.ForwardBackward(t.Context(), data, func(_ int, out []engine.Output) ([]engine.Gradient, error) {
		return []engine.Gradient{{Logprobs: []float32{1, 1, 1, 1}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func gradientsOf(t *testing.T, e *Engine) []Gradient {
	t.Helper()
	all, err := e.Gradients("p")
	if err != nil || len(all) != len(e.policies["p"].params) {
		t.Fatalf("%d gradients, %v", len(all), err)
	}
	return all
}

func TestGradientsOfBase(t *testing.T) {
	e := openGolden(t, "models/llama2", engine.Options{})
	for name, want := range map[engine.Policy]string{engine.Base: "frozen base", "nobody": "no policy"} {
		if _, err := e.Gradients(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("policy %q: error %v, want %q", name, err, want)
		}
	}
}
