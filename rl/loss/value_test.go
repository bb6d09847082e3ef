package loss

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
)

// MAPoRL §13: V_old .5, V .9, G 1 → .5·max(.01,.09) = .045, ×.1.
// authors is the objective of MAPoRL's code: λ_value 0.1, with ½, clipped at ±0.2.
var authors = ValueObjective{Weight: 0.1, Half: true, Clip: true, Range: 0.2}

func TestMAPoRLSection13Value(t *testing.T) {
	o := authors
	loss, grad, clipped := o.SquaredError(.9, .5, 1)
	if math.Abs(o.Factor()*loss-.0045) > 1e-12 || grad != 0 || !clipped {
		t.Errorf("loss %v, gradient %v, clipped %v", o.Factor()*loss, grad, clipped)
	}
	o.Half, o.Clip = false, false // the paper's formula
	loss, grad, clipped = o.SquaredError(.9, .5, 1)
	if math.Abs(o.Factor()*loss-.001) > 1e-12 || math.Abs(grad+.2) > 1e-12 || clipped {
		t.Errorf("the paper's formula: loss %v, gradient %v, clipped %v", o.Factor()*loss, grad, clipped)
	}
}

func TestValueGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := ValueObjective{Weight: 1, Clip: rapid.Bool().Draw(t, "clip"), Range: rapid.Float64Range(0, .5).Draw(t, "range")}
		number := rapid.Float64Range(-2, 2)
		v, old, ret := number.Draw(t, "V"), number.Draw(t, "V_old"), number.Draw(t, "G")
		const h = 1e-6
		_, grad, _ := o.SquaredError(v, old, ret)
		up, _, cu := o.SquaredError(v+h, old, ret)
		down, _, cd := o.SquaredError(v-h, old, ret)
		if cu != cd {
			return
		}
		if numeric := (up - down) / (2 * h); math.Abs(numeric-grad) > 1e-5 {
			t.Fatalf("gradient %v, finite difference %v", grad, numeric)
		}
	})
}

// Two answers, the second with a reward past its last token: three values are trained and none beyond.
func TestValueBatch(t *testing.T) {
	answers := []ValueAnswer{
		{Old: []float32{0, 0}, Returns: []float64{1, 2}},
		{Old: []float32{0, 0, 0}, Returns: []float64{1, 1, 1}},
	}
	outputs := []engine.Output{{Values: []float32{.5, .25, 99}}, {Values: []float32{0, .5, 2}}}
	b, err := NewValueBatch(ValueObjective{Weight: .5, Half: true}, answers, 0)
	if err != nil {
		t.Fatal(err)
	}
	grads, err := b.Gradient(0, outputs)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{-1. / 16, -3.5 / 16, 0}, {-2. / 24, -1. / 24, 2. / 24}} {
		for x, w := range want {
			if got := float64(grads[i].Values[x]); len(grads[i].Values) != 3 || math.Abs(got-w) > 1e-7 {
				t.Errorf("answer %d: gradient %v, want %v", i, grads[i].Values, want)
				break
			}
		}
	}
	s := b.Stats()
	if want := .25 * ((.25+3.0625)/2 + (1+.25+1)/3) / 2; math.Abs(s.Loss-want) > 1e-12 {
		t.Errorf("loss %v, want %v", s.Loss, want)
	}
	if want := (.25 + 3.0625 + 1 + .25 + 1) / 5; s.Positions != 5 || math.Abs(s.Error-want) > 1e-12 || s.ClipFraction != 0 {
		t.Errorf("%+v, want error %v over 5 positions", s, want)
	}
}

func TestValueBatchDoesNotDependOnSplits(t *testing.T) {
	answers := make([]ValueAnswer, 7)
	outputs := make([]engine.Output, len(answers))
	for i := range answers {
		answers[i] = ValueAnswer{Old: []float32{.1, .2}, Returns: []float64{float64(i) / 3, 1}}
		outputs[i].Values = []float32{float32(i) / 7, .5, 0}
	}
	whole, _ := NewValueBatch(authors, answers, 0)
	split, _ := NewValueBatch(authors, answers, 0)
	want, err := whole.Gradient(0, outputs)
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range [][2]int{{4, 7}, {0, 1}, {1, 4}} {
		got, err := split.Gradient(span[0], outputs[span[0]:span[1]])
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			for x := range got[i].Values {
				if got[i].Values[x] != want[span[0]+i].Values[x] {
					t.Fatalf("answer %d: %v, want %v", span[0]+i, got[i].Values, want[span[0]+i].Values)
				}
			}
		}
	}
	if split.Stats() != whole.Stats() {
		t.Errorf("statistics %+v, want %+v", split.Stats(), whole.Stats())
	}
}

func TestValueBatchRefuses(t *testing.T) {
	if _, err := NewValueBatch(authors, []ValueAnswer{{Old: []float32{1}, Returns: []float64{1, 2}}}, 0); err == nil {
		t.Error("one old value for two returns: no error")
	}
	if _, err := NewValueBatch(authors, nil, 0); err == nil {
		t.Error("no answers: no error")
	}
	b, _ := NewValueBatch(authors, []ValueAnswer{{Old: []float32{1}, Returns: []float64{1}}}, 0)
	for name, values := range map[string][]float32{"no value head": nil, "too few": {}, "too many": {1, 2, 3}} {
		if _, err := b.Gradient(0, []engine.Output{{Values: values}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := b.Gradient(0, []engine.Output{{Values: []float32{float32(math.Inf(1)), 0}}}); !errors.Is(err, engine.ErrNotFinite) {
		t.Errorf("infinite value: %v", err)
	}
	if _, err := b.Gradient(1, []engine.Output{{Values: []float32{1, 0}}}); err == nil {
		t.Error("past the end: no error")
	}
}
