package native

import (
	"slices"
	"testing"

	"parley/engine"
	"parley/model/modeltest"
	"parley/model/weights/quant"
)

// TestHeld compares every tensor with the one that an engine multiplies with: products with NF4 round its values to bfloat16.
func TestHeld(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		for _, f := range append(low, engine.F32) {
			e := openTiny(t, c, engine.Options{Format: f})
			src := Held(Random(c, 3), f)
			for _, p := range e.base.params {
				got := make([]float32, p.size())
				if err := src.Float32(p.name, got); err != nil {
					t.Fatal(err)
				}
				if want := multiplied(e, p, f); !slices.Equal(got, want) {
					t.Errorf("%s, %s: %s is %v, want %v", name, f, p.name, got[:4], want[:4])
				}
			}
		}
	}
}

// multiplied are the values of a parameter that products multiply with.
func multiplied(e *Engine, p *param, f engine.Format) []float32 {
	uses := e.base.uses()[p]
	if len(uses) == 0 {
		if p != e.base.embed {
			return p.w
		}
		all := make([]float32, p.size())
		for token := range p.shape[0] {
			e.base.embedding(row(all, token, p.shape[1]), token)
		}
		return all
	}
	all := make([]float32, p.size())
	for r := range p.shape[0] {
		uses[0].matrix.Row(row(all, r, p.shape[1]), r)
	}
	if f == engine.NF4 {
		for i, v := range all {
			all[i] = quant.FromBF16(quant.ToBF16(v))
		}
	}
	return all
}
