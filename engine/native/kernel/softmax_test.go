package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var (
	inf = float32(math.Inf(1))
	nan = float32(math.NaN())
)

func TestExp(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		var x []float32
		for v := float32(-104); v < 88.7; v += 0.00313 {
			x = append(x, v)
		}
		y, check := fenced(t, make([]float32, len(x)))
		k.Exp(y, x)
		check()
		for i, v := range x {
			want := math.Exp(float64(v))
			if d := math.Abs(float64(y[i]) - want); d > 1.2e-7*want && d > 1.5e-45 {
				t.Fatalf("e^%g is %g, want %g: relative error %g", v, y[i], want, d/want)
			}
		}
	}, 1)
}

func TestExpOfExtremes(t *testing.T) {
	cases := []struct{ x, want float32 }{
		{0, 1},
		{float32(math.Copysign(0, -1)), 1},
		{inf, inf},
		{-inf, 0},
		{89, inf},
		{1e30, inf},
		{-1e30, 0},
		{-105, 0},
		{1e-30, 1},
		{nan, nan},
	}
	eachSet(t, func(t *testing.T, k *Kernels) {
		for _, c := range cases {
			for n := 1; n < 20; n++ {
				y := slices.Repeat([]float32{c.x}, n)
				k.Exp(y, y)
				for _, got := range y {
					if got != c.want && (got == got || c.want == c.want) {
						t.Fatalf("e^%g is %g, want %g", c.x, got, c.want)
					}
				}
			}
		}
	}, 1)
}

// softmax64 returns the log of the sum of exponentials, and the probabilities.
func softmax64(x []float32) (lse float64, p []float64) {
	largest := float64(slices.Max(x))
	sum := sumOf(len(x), func(i int) float64 { return math.Exp(float64(x[i]) - largest) })
	lse = largest + math.Log(sum)
	for _, v := range x {
		p = append(p, math.Exp(float64(v)-lse))
	}
	return lse, p
}

// softmax is made of its sum as attention does it.
func softmax(k *Kernels, x []float32) { k.Scale(x, 1/k.SoftmaxSum(x)) }

func TestSoftmaxAndLogSumExp(t *testing.T) {
	eachLength(t, func(t *testing.T, k *Kernels, rng *rand.Rand, n int) {
		if n == 0 {
			return
		}
		x := normal(rng, n)
		k.Scale(x, 5)
		lse, want := softmax64(x)
		near(t, "log-sum-exp", n, 0, k.LogSumExp(x), lse, 1e-6, 1)
		p, check := fenced(t, x)
		softmax(k, p)
		check()
		for i := range p {
			near(t, "probability", n, i, p[i], want[i], 3e-6, 1e-38)
		}
	})
}

// Rows of several blocks, whose parts lie at different heights, one of them all -Inf.
func TestLongLogSumExp(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(21, 22))
		for _, n := range []int{SumBlock - 1, SumBlock, SumBlock + 1, 3 * SumBlock, 5*SumBlock + 7} {
			x := normal(rng, n)
			for i := range x {
				x[i] += float32(i / SumBlock * 3)
				if i/SumBlock == 1 && n > 2*SumBlock {
					x[i] = -inf
				}
			}
			lse, p := softmax64(x)
			got := k.LogSumExp(x)
			near(t, "log-sum-exp", n, 0, got, lse, 1e-6, 1)
			y, check := fenced(t, x)
			k.Probabilities(y, got, -2)
			check()
			for i := range y {
				near(t, "probability", n, i, y[i], -2*p[i], 3e-6, 1e-38)
			}
		}
	}, 1)
}

func TestSoftmaxOfExtremes(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		for n := 1; n < 40; n++ {
			for at := range n {
				x := slices.Repeat([]float32{-inf}, n)
				x[at] = 3
				if got := k.LogSumExp(x); got != 3 {
					t.Fatalf("log-sum-exp of one 3 at %d of %d among -Inf is %g", at, n, got)
				}
				softmax(k, x)
				if x[at] != 1 || sumOf(n, func(i int) float64 { return float64(x[i]) }) != 1 {
					t.Fatalf("softmax of one 3 at %d of %d among -Inf is %v", at, n, x)
				}
				x = make([]float32, n)
				x[at] = nan
				if got := k.LogSumExp(x); got == got {
					t.Fatalf("log-sum-exp with a NaN at %d of %d is %g", at, n, got)
				}
				softmax(k, x)
				if slices.ContainsFunc(x, func(v float32) bool { return v == v }) {
					t.Fatalf("softmax with a NaN at %d of %d is %v", at, n, x)
				}
			}
		}
	}, 1)
}

func TestLogSumExpOfExtremes(t *testing.T) {
	cases := []struct {
		name string
		x    []float32
		want float32
	}{
		{"nothing", nil, -inf},
		{"only -Inf", []float32{-inf, -inf, -inf}, -inf},
		{"+Inf", []float32{1, inf, 2}, inf},
		{"NaN first, +Inf", []float32{nan, inf, 2}, nan},
		{"+Inf, NaN", []float32{inf, 2, nan}, nan},
		{"-Inf, NaN", []float32{-inf, nan, -inf}, nan},
		{"large values", []float32{1e30, 1e30}, 1e30},
	}
	eachSet(t, func(t *testing.T, k *Kernels) {
		for _, c := range cases {
			if got := k.LogSumExp(c.x); got != c.want && (got == got || c.want == c.want) {
				t.Errorf("%s: %g, want %g", c.name, got, c.want)
			}
		}
	}, 1)
}
