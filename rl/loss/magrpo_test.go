package loss

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// §2.5: never negative, zero against itself, and the returns of its example.
func TestKL(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(-9, 0), 1, 8).Draw(t, "policy")
		r := rapid.SliceOfN(rapid.Float64Range(-9, 0), len(p), len(p)).Draw(t, "reference")
		for i, k := range KLTokens("k3", p, r) {
			if k < 0 || p[i] == r[i] && k != 0 {
				t.Fatalf("kl %v of %v against %v", k, p[i], r[i])
			}
		}
		for _, k := range KLTokens("k3", p, p) {
			if k != 0 {
				t.Fatalf("kl of a model against itself is %v", k)
			}
		}
	})
	for i, want := range []float64{0.9, 1.8} {
		if got := PenalisedReturn([]float64{1, 2}[i], []float64{0.2, 0.4}[i], 0.5); math.Abs(got-want) > 1e-12 {
			t.Errorf("penalised return %v, want %v", got, want)
		}
	}
}

func TestValueLossGradients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) float64 { return rapid.Float64Range(-2, 2).Draw(t, name) }
		value, old, target := draw("value"), draw("old"), draw("target")
		const clip, h = 0.2, 1e-6
		for _, loss := range []func(v float64) (float64, float64){
			func(v float64) (float64, float64) { return SquaredValueLoss(v, target) },
			func(v float64) (float64, float64) { return SharedValueLoss(v, old, target, clip) },
		} {
			_, grad := loss(value)
			above, _ := loss(value + h)
			below, _ := loss(value - h)
			got, want := grad, (above-below)/(2*h)
			// At a kink the derivative is one of the two sides'.
			here, _ := loss(value)
			left, right := (here-below)/h, (above-here)/h
			if math.Abs(got-want) > 1e-4 && math.Abs(got-left) > 1e-4 && math.Abs(got-right) > 1e-4 {
				t.Fatalf("gradient %v, finite difference %v", got, want)
			}
		}
	})
}
