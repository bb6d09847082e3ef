package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rowLengths has every remainder of a vector loop, and some lengths of real rows.
var rowLengths = func() []int {
	var n []int
	for i := range 70 {
		n = append(n, i)
	}
	return append(n, 100, 128, 129, 300, 576, 1000)
}()

// eachLength runs test on every set and row length.
func eachLength(t *testing.T, test func(t *testing.T, k *Kernels, rng *rand.Rand, n int)) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(7, 8))
		for _, n := range rowLengths {
			test(t, k, rng, n)
		}
	}, 1)
}

// near fails unless got is want up to a relative error, or an absolute one of the same size times scale.
func near(t *testing.T, what string, n, i int, got float32, want, tolerance, scale float64) {
	t.Helper()
	if d := math.Abs(float64(got) - want); !(d <= tolerance*math.Max(math.Abs(want), scale)) {
		t.Fatalf("%s of %d values: value %d is %g, want %g", what, n, i, got, want)
	}
}

func sumOf(n int, f func(i int) float64) float64 {
	s := 0.0
	for i := range n {
		s += f(i)
	}
	return s
}

func TestRMSNorm(t *testing.T) {
	eachLength(t, func(t *testing.T, k *Kernels, rng *rand.Rand, n int) {
		if n == 0 {
			return
		}
		const eps = 1e-5
		x, w := normal(rng, n), normal(rng, n)
		y, check := fenced(t, make([]float32, n))
		inv := k.RMSNorm(y, x, w, eps)
		check()
		mean := sumOf(n, func(i int) float64 { return float64(x[i]) * float64(x[i]) }) / float64(n)
		want := 1 / math.Sqrt(mean+eps)
		near(t, "inv", n, 0, inv, want, 1e-6, 0)
		for i := range y {
			near(t, "y", n, i, y[i], float64(x[i])*want*float64(w[i]), 1e-6, 0)
		}
	})
}

// rmsLoss is Σ dy·RMSNorm(x) in float64, whose derivative RMSNormGrad must be.
func rmsLoss(dy, w []float32, x []float64, eps float64) float64 {
	n := len(x)
	inv := 1 / math.Sqrt(sumOf(n, func(i int) float64 { return x[i] * x[i] })/float64(n)+eps)
	return sumOf(n, func(i int) float64 { return float64(dy[i]) * x[i] * inv * float64(w[i]) })
}

func TestRMSNormGrad(t *testing.T) {
	eachLength(t, func(t *testing.T, k *Kernels, rng *rand.Rand, n int) {
		if n == 0 || n > 130 {
			return
		}
		const eps, h = 1e-5, 1e-5
		x, w, dy, before := normal(rng, n), normal(rng, n), normal(rng, n), normal(rng, n)
		inv := k.RMSNorm(make([]float32, n), x, w, eps)
		dx, check := fenced(t, before)
		k.RMSNormGrad(dx, dy, x, w, inv)
		check()
		moved := make([]float64, n)
		for i := range x {
			moved[i] = float64(x[i])
		}
		for i := range x {
			moved[i] = float64(x[i]) + h
			up := rmsLoss(dy, w, moved, eps)
			moved[i] = float64(x[i]) - h
			down := rmsLoss(dy, w, moved, eps)
			moved[i] = float64(x[i])
			near(t, "dx", n, i, dx[i], float64(before[i])+(up-down)/(2*h), 2e-5, 1+math.Abs(float64(inv)))
		}
	})
}

func logistic(x float32) float64 { return 1 / (1 + math.Exp(-float64(x))) }

func TestSwiGLU(t *testing.T) {
	eachLength(t, func(t *testing.T, k *Kernels, rng *rand.Rand, n int) {
		gate, up := normal(rng, n), normal(rng, n)
		k.Scale(gate, 8)
		y, check := fenced(t, make([]float32, n))
		k.SwiGLU(y, gate, up)
		check()
		for i := range y {
			near(t, "y", n, i, y[i], float64(gate[i])*logistic(gate[i])*float64(up[i]), 1e-6, 1e-30)
		}
	})
}

func TestSwiGLUGrad(t *testing.T) {
	eachLength(t, func(t *testing.T, k *Kernels, rng *rand.Rand, n int) {
		gate, up, dy := normal(rng, n), normal(rng, n), normal(rng, n)
		k.Scale(gate, 4)
		dgate, checkGate := fenced(t, gate)
		dup, checkUp := fenced(t, up)
		y, checkY := fenced(t, dy)
		k.SwiGLUGrad(dgate, dup, y)
		checkGate()
		checkUp()
		checkY()
		for i, g := range gate {
			s, d := logistic(g), float64(dy[i])
			slope := d * float64(up[i]) * s
			near(t, "dgate", n, i, dgate[i], slope*(1+float64(g)*(1-s)), 1e-6, math.Abs(slope*float64(g)))
			near(t, "dup", n, i, dup[i], d*float64(g)*s, 1e-6, 1e-30)
		}
		k.SwiGLU(dy, gate, up)
		sameBits(t, "the output again", y, dy)
	})
}

func TestRope(t *testing.T) {
	eachLength(t, func(t *testing.T, k *Kernels, rng *rand.Rand, half int) {
		x0 := normal(rng, 2*half)
		cos, sin := make([]float32, half), make([]float32, half)
		for i := range cos {
			angle := rng.Float64() * 2 * math.Pi
			cos[i], sin[i] = float32(math.Cos(angle)), float32(math.Sin(angle))
		}
		x, check := fenced(t, x0)
		k.Rope(x, cos, sin)
		check()
		for i := range half {
			a, b, c, s := float64(x0[i]), float64(x0[i+half]), float64(cos[i]), float64(sin[i])
			near(t, "lower half", half, i, x[i], a*c-b*s, 1e-6, 1)
			near(t, "upper half", half, i, x[i+half], b*c+a*s, 1e-6, 1)
		}
		k.RopeGrad(x, cos, sin)
		check()
		for i := range x {
			near(t, "turned there and back", half, i, x[i], float64(x0[i]), 1e-6, 1)
		}
	})
}

func TestElementwise(t *testing.T) {
	eachLength(t, func(t *testing.T, k *Kernels, rng *rand.Rand, n int) {
		x, y0 := normal(rng, n), normal(rng, n)
		const a = 0.37
		y, check := fenced(t, y0)
		k.Add(y, x)
		for i := range y {
			near(t, "Add", n, i, y[i], float64(y0[i])+float64(x[i]), 1e-7, 0)
		}
		copy(y, y0)
		k.AddScaled(y, a, x)
		for i := range y {
			near(t, "AddScaled", n, i, y[i], float64(y0[i])+float64(float32(a))*float64(x[i]), 1e-6, 1)
		}
		copy(y, y0)
		k.Scale(y, a)
		for i := range y {
			near(t, "Scale", n, i, y[i], float64(float32(a))*float64(y0[i]), 1e-7, 0)
		}
		copy(y, y0)
		k.SoftmaxGrad(y, x, a)
		for i := range y {
			near(t, "SoftmaxGrad", n, i, y[i], float64(x[i])*(float64(y0[i])-float64(float32(a))), 1e-6, 1)
		}
		check()
	})
}

// TestLongRows: a whole tensor in one call is cut into pieces, which must join without a seam.
func TestLongRows(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		n := 2*pieceSize + 13
		ones, y := make([]float32, n), make([]float32, n)
		for i := range ones {
			ones[i] = 1
		}
		k.Add(y, ones)
		k.AddScaled(y, 2, ones)
		k.Scale(y, 3)
		for i, v := range y {
			if v != 9 {
				t.Fatalf("value %d of %d is %g, want 9", i, n, v)
			}
		}
	}, 1)
}
