package loss

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
)

// MAPoRL §13: y 1, p (.6,.7,.8) → .363548.
func TestMAPoRLSection13BCE(t *testing.T) {
	sum := 0.0
	for _, p := range []float64{.6, .7, .8} {
		loss, _ := BinaryCrossEntropy(math.Log(p/(1-p)), true)
		sum += loss
	}
	if math.Abs(sum/3-.363548) > 5e-7 {
		t.Errorf("loss %v", sum/3)
	}
}

// MAPoRL Theorem 1: a prefix seen three times right and once wrong is best scored .75, with loss .562335.
func TestTheorem1(t *testing.T) {
	logit := 0.0
	total := func() (loss, grad float64) {
		for _, right := range []bool{true, true, true, false} {
			l, g := BinaryCrossEntropy(logit, right)
			loss, grad = loss+l/4, grad+g/4
		}
		return loss, grad
	}
	for range 500 {
		_, grad := total()
		logit -= grad
	}
	loss, _ := total()
	if p := VerifierScore([]float32{0, float32(logit)}); math.Abs(p-.75) > 1e-6 || math.Abs(loss-.562335) > 5e-7 {
		t.Errorf("descent ends at p = %v with loss %v", p, loss)
	}
}

func TestBCEGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logit, right := rapid.Float64Range(-30, 30).Draw(t, "logit"), rapid.Bool().Draw(t, "right")
		const h = 1e-5
		_, grad := BinaryCrossEntropy(logit, right)
		up, _ := BinaryCrossEntropy(logit+h, right)
		down, _ := BinaryCrossEntropy(logit-h, right)
		if numeric := (up - down) / (2 * h); math.Abs(numeric-grad) > 1e-8 {
			t.Fatalf("gradient %v, finite difference %v", grad, numeric)
		}
	})
	for _, logit := range []float64{-1e4, 1e4} {
		for _, right := range []bool{true, false} {
			if loss, grad := BinaryCrossEntropy(logit, right); math.IsInf(loss, 0) || math.IsNaN(loss) || math.Abs(grad) > 1 {
				t.Errorf("logit %v, right %v: loss %v, gradient %v", logit, right, loss, grad)
			}
		}
	}
}

// The logit of token x stands behind it: values[x+1]. values[0], the state before the solution, is never trained.
func TestVerifierBatchPositions(t *testing.T) {
	outputs := []engine.Output{{Values: []float32{5, 0, 0, 0}}, {Values: []float32{5, -1, 2}}}
	for tokens, want := range map[LossTokens][][]float64{
		AllTokens: {{0, -.5 / 6, -.5 / 6, -.5 / 6}, {0, sigmoid(-1) / 4, sigmoid(2) / 4}},
		LastHalf:  {{0, 0, -.5 / 4, -.5 / 4}, {0, 0, sigmoid(2) / 2}},
		LastToken: {{0, 0, 0, -.5 / 2}, {0, 0, sigmoid(2) / 2}},
	} {
		b, err := NewVerifierBatch(tokens, []bool{true, false}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range outputs { // one by one: splits do not matter
			grads, err := b.Gradient(i, outputs[i:i+1])
			if err != nil {
				t.Fatal(err)
			}
			for x, w := range want[i] {
				if math.Abs(float64(grads[0].Values[x])-w) > 1e-7 {
					t.Errorf("%s, solution %d: gradient %v, want %v", tokens, i, grads[0].Values, want[i])
					break
				}
			}
		}
		s := b.Stats()
		if s.Solutions != 2 || s.Accuracy != 0 || math.Abs(s.Score-(.5+sigmoid(2))/2) > 1e-9 {
			t.Errorf("%s: %+v", tokens, s) // a score of exactly ½ is not right for either label
		}
	}
}

func TestVerifierBatchLossAndAccuracy(t *testing.T) {
	b, _ := NewVerifierBatch(LastToken, []bool{true, false, true}, 6)
	if _, err := b.Gradient(0, []engine.Output{{Values: []float32{0, 1}}, {Values: []float32{0, -1}}, {Values: []float32{0, -3}}}); err != nil {
		t.Fatal(err)
	}
	s := b.Stats()
	if want := (2*softplus(-1) + softplus(3)) / 6; math.Abs(s.Loss-want) > 1e-9 || math.Abs(s.Accuracy-2./3) > 1e-12 {
		t.Errorf("%+v, want loss %v", s, want)
	}
}

func TestVerifierBatchRefuses(t *testing.T) {
	if _, err := NewVerifierBatch("first", []bool{true}, 0); err == nil {
		t.Error("unknown tokens: no error")
	}
	if _, err := NewVerifierBatch(AllTokens, nil, 0); err == nil {
		t.Error("no solutions: no error")
	}
	b, _ := NewVerifierBatch(AllTokens, []bool{true}, 0)
	for name, values := range map[string][]float32{"no value head": nil, "no tokens": {1}, "NaN": {0, float32(math.NaN())}} {
		if _, err := b.Gradient(0, []engine.Output{{Values: values}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := b.Gradient(0, make([]engine.Output, 2)); err == nil {
		t.Error("past the end: no error")
	}
}
