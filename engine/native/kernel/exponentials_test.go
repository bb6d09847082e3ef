package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// exponentials are the functions of a row that are made of e^x.
var exponentials = []rowFunction{
	{name: "Exp", of: func(k *Kernels, x, _ []float32) []float32 {
		k.Exp(x, x)
		return x
	}},
	{name: "SoftmaxSum", of: func(k *Kernels, x, _ []float32) []float32 {
		sum := k.SoftmaxSum(x)
		return append(x, sum)
	}},
	{name: "SumBlock", of: func(k *Kernels, x, _ []float32) []float32 {
		largest, sum := k.SumBlock(x)
		return []float32{largest, sum}
	}},
	{name: "Probabilities", of: func(k *Kernels, x, y []float32) []float32 {
		k.Probabilities(x, y[0], -2)
		return x
	}},
	{name: "SwiGLU", of: func(k *Kernels, x, y []float32) []float32 {
		k.SwiGLU(y, x, y)
		return y
	}},
	{name: "SwiGLUGrad", of: func(k *Kernels, x, y []float32) []float32 {
		gate, up := slices.Clone(x), slices.Clone(y)
		k.SwiGLUGrad(gate, up, y)
		return slices.Concat(gate, up, y)
	}},
}

// extremes are where e^x ends: in zeros, denormal numbers, infinities, or none at all.
var extremes = []float32{0, float32(math.Copysign(0, -1)), 1e-40, inf, -inf, nan, -87.4, -95, -103.2, -103.98, -104, -1e30, 88.72, 88.73, 89, 1e30}

// sameOrNaN is sameBits, but any NaN is as good as another.
func sameOrNaN(t failer, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if got[i] != got[i] && want[i] != want[i] {
			got[i], want[i] = nan, nan
		}
	}
	sameBits(t, what, got, want)
}

// TestExponentialsAgree: any row has the same bits on all fused sets, whatever is in it, and is close to what plain Go computes
// where that is a number.
func TestExponentialsAgree(t *testing.T) {
	plain := open(t, "generic", 1)
	for _, name := range fusedSets() {
		k, first := open(t, name, 1), open(t, fusedSets()[0], 1)
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 200).Draw(t, "n")
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			x, y := normal(rng, n), normal(rng, n)
			plain.Scale(x, rapid.SampledFrom([]float32{0.01, 1, 10, 60}).Draw(t, "scale"))
			for _, e := range exponentials {
				got := e.on(k, x, y)
				sameOrNaN(t, e.name, got, e.on(first, x, y))
				e.nearPlain(t, got, e.on(plain, x, y), x, y)
			}
			for i := range x {
				if rng.IntN(4) == 0 {
					x[i] = extremes[rng.IntN(len(extremes))]
				}
			}
			for _, e := range exponentials {
				sameOrNaN(t, e.name+" with extremes", e.on(k, x, y), e.on(first, x, y))
			}
		})
	}
}

// TestEveryExponentIsTheSame: e^x has the same bits on all fused sets from where it is 0 to where it is infinite.
func TestEveryExponentIsTheSame(t *testing.T) {
	var x []float32
	for v := float32(-105); v < 90; v += 0.00037 {
		x = append(x, v)
	}
	var want []float32
	for _, name := range fusedSets() {
		got := make([]float32, len(x))
		open(t, name, 1).Exp(got, x)
		if want == nil {
			want = got
		}
		sameBits(t, name, got, want)
	}
}
