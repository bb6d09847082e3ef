package native

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/engine"
)

// TestDivergence compares it with the sum over the vocabulary of what Forward says of every token, in a vocabulary of several
// blocks of columns, for adapters and for a full copy of the base.
func TestDivergence(t *testing.T) {
	e := openTiny(t, wide, engine.Options{})
	for i, p := range lively(t, e) {
		d := engine.Datum{Policy: p, Tokens: []int{3, 1, 4, 1, wide.Vocab - 6, wide.Vocab - 7}, ScoreFrom: 4, Sampling: engine.Sampling{Temperature: 0.5 + 0.5*float64(i)}, Mask: masks(wide.Vocab)[i%4]}
		got, err := e.Divergence(t.Context(), []engine.Datum{d, {Policy: p, Tokens: []int{2, 7}, ScoreFrom: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 1 {
			t.Fatalf("divergences %v", got)
		}
		for j := range got[0] {
			want := 0.0
			policy, base := allLogprobs(t, e, d, d.ScoreFrom+j, p), allLogprobs(t, e, d, d.ScoreFrom+j, engine.Base)
			for v := range base {
				one := []float32{0}
				if maskAt(d.Mask, j).apply(one, v, -1); one[0] < 0 {
					continue
				}
				want += math.Exp(base[v]) * (base[v] - policy[v])
			}
			if math.Abs(float64(got[0][j])-want) > 1e-5*max(1, want) {
				t.Errorf("policy %q, token %d: %v, want %v", p, j, got[0][j], want)
			}
			if p == engine.Base && got[0][j] != 0 {
				t.Errorf("the base differs from itself by %v", got[0][j])
			}
		}
	}
	_, err := e.Divergence(t.Context(), []engine.Datum{{Tokens: []int{1, 2}, ScoreFrom: 1, Sampling: engine.Sampling{Temperature: 1, TopK: 3}}})
	if err == nil {
		t.Error("a cut distribution has a divergence")
	}
}

// allLogprobs are those of every token after the first at tokens of d.
func allLogprobs(t *testing.T, e *Engine, d engine.Datum, at int, p engine.Policy) []float64 {
	t.Helper()
	data, m := make([]engine.Datum, e.shape.Vocab), d.Mask
	m.Least -= at - d.ScoreFrom
	for v := range data {
		data[v] = engine.Datum{Policy: p, Tokens: append(append([]int{}, d.Tokens[:at]...), v), ScoreFrom: at, Sampling: d.Sampling, Mask: m}
	}
	out, err := e.Forward(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]float64, len(out))
	for v := range out {
		all[v] = float64(out[v].Logprobs[0])
	}
	return all
}

// Blocks of columns begin where products may, however many tokens an answer has.
func TestDivergenceOfManyTokens(t *testing.T) {
	c := wide
	c.Context = columnFloats/c.Vocab + 2
	e := openTiny(t, c, engine.Options{})
	p := lively(t, e)[1]
	d := engine.Datum{Policy: p, Tokens: make([]int, c.Context), ScoreFrom: 1, Sampling: engine.Sampling{Temperature: 1}}
	many, err := e.Divergence(t.Context(), []engine.Datum{d})
	if err != nil {
		t.Fatal(err)
	}
	d.Tokens = d.Tokens[:3]
	few, err := e.Divergence(t.Context(), []engine.Datum{d})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range few[0] {
		if many[0][i] != v {
			t.Errorf("token %d: %v among %d tokens, %v among %d", i, many[0][i], len(many[0]), v, len(few[0]))
		}
	}
}

// Errors count data as the caller does, though they are compared some at a time.
func TestDivergenceNamesItsDatum(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	data := make([]engine.Datum, 100) // of 63 targets each: the first 65 are compared together
	for i := range data {
		data[i] = engine.Datum{Policy: "p", Tokens: make([]int, 64), ScoreFrom: 1}
		for j := range data[i].Tokens {
			data[i].Tokens[j] = (i + j*j) % tiny.Vocab
		}
	}
	spoiled := slices.Clone(data)
	spoiled[90].Tokens = []int{1, 2, tiny.Vocab}
	if _, err := e.Divergence(t.Context(), spoiled); err == nil || !strings.Contains(err.Error(), "datum 90:") {
		t.Errorf("datum 90 is wrong, the error says %v", err)
	}
	e.policies["p"].edit(e.k, func(_ int, w []float32) {
		for i := range w {
			w[i] = 1e30
		}
	})
	for i := range data[:90] {
		data[i].Policy = "q"
	}
	if _, err := e.Divergence(t.Context(), data); !errors.Is(err, engine.ErrNotFinite) || !strings.Contains(err.Error(), `datum 90 of policy "p"`) {
		t.Errorf("the first datum of policy p is 90, the error says %v", err)
	}
}
