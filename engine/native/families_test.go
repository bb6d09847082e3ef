package native

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/model/modeltest"
	"parley/model/weights"
)

// A roundedSource has the values that a base of a format has.
type roundedSource struct {
	weights.Source
	format engine.Format
}

func (r roundedSource) Float32(name string, dst []float32) error {
	if err := r.Source.Float32(name, dst); err != nil {
		return err
	}
	for _, t := range r.Tensors() {
		if t.Name == name && len(t.Shape) == 2 {
			roundAs(r.format, strings.HasSuffix(name, "_proj.weight"), t.Shape, dst)
		}
	}
	return nil
}

// In every family and format a token is scored with the log-probability that it was drawn with, bit for bit, and the logits are near those of
// float32 over the same values.
func TestFormatsOfFamilies(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		for _, f := range low {
			t.Run(fmt.Sprintf("%s %s", name, f), func(t *testing.T) {
				e := openTiny(t, c, engine.Options{Format: f})
				for _, p := range lively(t, e)[:3] {
					sampledIsScored(t, e, p)
				}
				exact, err := Open(roundedSource{Random(c, 3), f}, engine.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer exact.Close()
				data := []engine.Datum{{Tokens: []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}}}
				_, got := e.states(t, data)
				_, want := exact.states(t, data)
				off, size := 0.0, 0.0
				for i, z := range want {
					off, size = off+math.Abs(float64(got[i]-z)), size+math.Abs(float64(z))
				}
				if !(off <= 0.02*size) || off == 0 {
					t.Errorf("logits are off by %.4f of their size", off/size)
				}
			})
		}
	}
}

// sampledIsScored draws some tokens within the context of short sequences, and scores them.
func sampledIsScored(t *testing.T, e *Engine, p engine.Policy) {
	t.Helper()
	s := engine.Sampling{Temperature: 0.9}
	samples, err := e.Sample(t.Context(), []engine.SampleRequest{{Policy: p, Prompt: []int{7, 2, 9}, MaxTokens: 8, Sampling: s, Seed: 5}})
	if err != nil {
		t.Fatal(err)
	}
	tokens := append([]int{7, 2, 9}, samples[0].Tokens...)
	out, err := e.Forward(t.Context(), []engine.Datum{{Policy: p, Tokens: tokens, ScoreFrom: 3, Sampling: s}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(bits(out[0].Logprobs), bits(samples[0].Logprobs)) {
		t.Errorf("policy %s: scored %v, drawn with %v", p, out[0].Logprobs, samples[0].Logprobs)
	}
}

// tanh keeps its digits near 0 and its bounds far from it, and slopes are its derivatives.
func TestSoftcap(t *testing.T) {
	c := openTiny(t, modeltest.Shapes()["gemma2"], engine.Options{}).computation(nil, &pass{}, false)
	for _, limit := range []float32{0.5, 30} {
		var x []float32
		for e := -30; e < 30; e++ {
			x = append(x, float32(math.Pow(1.7, float64(e))), -float32(math.Pow(1.7, float64(e))))
		}
		x = append(x, 0, float32(math.Inf(1)), float32(math.Inf(-1)), 0.1249999*limit, 0.1250001*limit)
		got, slopes := slices.Clone(x), make([]float32, len(x))
		c.softcap(got, limit)
		capSlopes(slopes, got, limit)
		for i, v := range x {
			tanh := math.Tanh(float64(v) / float64(limit))
			want := float64(limit) * tanh
			if math.Abs(float64(got[i])-want) > 1e-6*math.Abs(want) {
				t.Errorf("cap %v of %v is %v, want %v", limit, v, got[i], want)
			}
			if math.Abs(float64(slopes[i])-(1-tanh*tanh)) > 5e-7 {
				t.Errorf("slope of the cap %v at %v is %v, want %v", limit, v, slopes[i], 1-tanh*tanh)
			}
		}
	}
}
