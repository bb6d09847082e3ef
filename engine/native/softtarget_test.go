package native

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/model/modeltest"
)

// softShapes are those whose heads do something of their own: many blocks of columns, and capped logits.
func softShapes(t *testing.T) map[string]*Engine {
	t.Helper()
	shapes := map[string]*Engine{"wide": openTiny(t, wide, engine.Options{})}
	for name, c := range modeltest.Shapes() {
		if shapeOf(c).Caps.Logits > 0 || shapeOf(c).LogitDivisor() != 1 {
			shapes[name] = openTiny(t, c, engine.Options{})
		}
	}
	if len(shapes) < 2 {
		t.Fatal("no variant bends its logits")
	}
	return shapes
}

// The gradient towards a distribution is that towards its tokens one by one, each with its mass, whichever way the head goes: with a frozen
// matrix, a trained one, and logits that are kept, gone through in columns, capped or divided.
func TestSoftGradient(t *testing.T) {
	for name, e := range softShapes(t) {
		for _, p := range lively(t, e) {
			if p == engine.Base {
				continue
			}
			for _, saved := range []int{0, 1 << 24} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, p, saved), func(t *testing.T) {
					e.maxSavedLogits = saved
					d := engine.Datum{Policy: p, Tokens: []int{3, 1, 4, 1, 5}, ScoreFrom: 2, Sampling: engine.Sampling{Temperature: 0.8}}
					last := e.shape.Vocab - 1
					q := [][]engine.Target{{{Token: 7, Mass: 0.5}, {Token: last, Mass: 0.3}, {Token: 2, Mass: 0.4}}, nil, {{Token: last - 3, Mass: 0.25}}}
					compareSoft(t, e, d, q)
				})
			}
		}
	}
}

func compareSoft(t *testing.T, e *Engine, d engine.Datum, q [][]engine.Target) {
	t.Helper()
	accumulate := func(data []engine.Datum, targets [][][]engine.Target, g func(i int) []float32) []float32 {
		t.Helper()
		err := e.ForwardBackwardSoft(t.Context(), data, targets, func(first int, out []engine.Output) ([]engine.Gradient, error) {
			all := make([]engine.Gradient, len(out))
			for i := range all {
				all[i].Logprobs = g(first + i)
			}
			return all, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		gs, err := e.Gradients(d.Policy)
		if err != nil {
			t.Fatal(err)
		}
		var flat []float32
		for _, g := range gs {
			flat = append(flat, g.Data...)
		}
		if _, err := e.Step(t.Context(), d.Policy, engine.Adam{Eps: 1e-8}); err != nil { // clears it
			t.Fatal(err)
		}
		return flat
	}
	scale := []float32{-1, 2, -0.5}
	got := accumulate([]engine.Datum{d}, [][][]engine.Target{q}, func(int) []float32 { return scale })
	var data []engine.Datum
	var factors []float32
	for j, targets := range q {
		if targets == nil {
			targets = []engine.Target{{Token: d.Tokens[d.ScoreFrom+j], Mass: 1}}
		}
		for _, x := range targets {
			one := d
			one.Tokens, one.ScoreFrom = append(slices.Clone(d.Tokens[:d.ScoreFrom+j]), x.Token), d.ScoreFrom+j
			data, factors = append(data, one), append(factors, scale[j]*x.Mass)
		}
	}
	want := accumulate(data, nil, func(i int) []float32 { return factors[i : i+1] })
	largest := 0.0
	for _, x := range want {
		largest = max(largest, math.Abs(float64(x)))
	}
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > 1e-4*largest || largest == 0 {
			t.Fatalf("gradient %d is %v, that of the tokens %v, of at most %v", i, got[i], want[i], largest)
		}
	}
}

// A distribution that is one token is that token, to the bit: outputs and gradients.
func TestOneTargetIsAToken(t *testing.T) {
	e := openTiny(t, wide, engine.Options{})
	for _, p := range []engine.Policy{"p", "full"} {
		if len(e.policies) < 3 {
			lively(t, e)
		}
		d := engine.Datum{Policy: p, Tokens: []int{3, 1, 4, 1, 5}, ScoreFrom: 2}
		q := [][]engine.Target{{{Token: 4, Mass: 1}}, nil, {{Token: 5, Mass: 1}}}
		var seen [][]float32
		for _, targets := range [][][][]engine.Target{nil, {q}} {
			err := e.ForwardBackwardSoft(t.Context(), []engine.Datum{d}, targets, func(_ int, out []engine.Output) ([]engine.Gradient, error) {
				seen = append(seen, slices.Clone(out[0].Logprobs))
				return []engine.Gradient{{Logprobs: []float32{-1, -1, -1}}}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			gs, err := e.Gradients(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range gs {
				seen[len(seen)-1] = append(seen[len(seen)-1], g.Data...)
			}
			if _, err := e.Step(t.Context(), p, engine.Adam{Eps: 1e-8}); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(seen[0], seen[1]) {
			t.Errorf("policy %q: a target of mass 1 differs from its token", p)
		}
	}
}

// What Distributions says of a token is what Forward says, to the bit, in any company.
func TestDistributionsAreScores(t *testing.T) {
	for name, e := range softShapes(t) {
		for i, p := range lively(t, e) {
			prefix := engine.Prefix{Policy: p, Tokens: []int{3, 1, 4, 1, 5, 9}, From: 2, Sampling: engine.Sampling{Temperature: 0.5 + 0.5*float64(i)}}
			got := map[int][]float32{} // by length
			err := e.Distributions(t.Context(), []engine.Prefix{prefix, {Tokens: []int{2, 7}, From: 1}}, 0, func(j, length int, d engine.Distribution) error {
				if j == 0 {
					got[length] = slices.Clone(d.Logprobs)
				}
				return nil
			})
			if err != nil || len(got) != 5 {
				t.Fatalf("%d distributions, error %v", len(got), err)
			}
			for length, logprobs := range got {
				d := engine.Datum{Policy: p, Tokens: prefix.Tokens[:length], ScoreFrom: length, Sampling: prefix.Sampling}
				for v, want := range allLogprobs(t, e, d, length, p) {
					if float64(logprobs[v]) != want {
						t.Fatalf("%s, policy %q after %d tokens: token %d has %v, scored %v", name, p, length, v, logprobs[v], want)
					}
				}
			}
		}
	}
}

// Of equal tokens those with lower ids are the more probable ones.
func TestMostProbable(t *testing.T) {
	d := mostProbable([]float32{-2, -1, -2, -3, -1, -2}, 4)
	if !slices.Equal(d.Tokens, []int{1, 4, 0, 2}) || !slices.Equal(d.Logprobs, []float32{-1, -1, -2, -2}) {
		t.Errorf("%+v", d)
	}
	if d := mostProbable([]float32{-1, -1}, 5); !slices.Equal(d.Tokens, []int{0, 1}) {
		t.Errorf("%+v", d)
	}
}
