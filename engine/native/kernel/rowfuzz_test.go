package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A rowFunction makes something of a row x and of y, which is as long. It may overwrite both. Where a value is a sum whose parts may
// cancel, terms is how large the parts are together: what rounding a sum in another order may change is a share of that, and not of
// the sum.
type rowFunction struct {
	name  string
	of    func(k *Kernels, x, y []float32) []float32
	terms func(x, y []float32) float64
}

// on computes the function on copies of x and y.
func (f rowFunction) on(k *Kernels, x, y []float32) []float32 {
	return f.of(k, slices.Clone(x), slices.Clone(y))
}

// fencedOn does so between guards, which it must leave alone.
func (f rowFunction) fencedOn(t testing.TB, k *Kernels, x, y []float32) []float32 {
	t.Helper()
	x, checkX := fenced(t, x)
	y, checkY := fenced(t, y)
	result := f.of(k, x, y)
	checkX()
	checkY()
	return result
}

// nearPlain fails unless got, of x and y, is what plain Go computes, where that is finite, but for 1e-5 of it and 1e-6 of the terms.
func (f rowFunction) nearPlain(t failer, got, plain, x, y []float32) {
	t.Helper()
	var cancelled float64
	if f.terms != nil {
		cancelled = 1e-6 * f.terms(x, y)
	}
	for i, v := range plain {
		size := math.Abs(float64(v))
		if d := math.Abs(float64(got[i]) - float64(v)); size <= math.MaxFloat32 && !(d <= 1e-5*(1+size)+cancelled) {
			t.Fatalf("%s: value %d of %d is %g, plain Go has %g", f.name, i, len(plain), got[i], v)
		}
	}
}

// sizes sums the absolute values of the products of numbers at one place of all factors.
func sizes(factors ...[]float32) (sum float64) {
	for i := range factors[0] {
		product := 1.0
		for _, f := range factors {
			product *= math.Abs(float64(f[i]))
		}
		sum += product
	}
	return sum
}

// largest returns the greatest absolute value of a row.
func largest(x []float32) (size float64) {
	for _, v := range x {
		size = max(size, math.Abs(float64(v)))
	}
	return size
}

// rotated is how large the two products are that a rotation subtracts.
func rotated(x, y []float32) float64 { return 2 * largest(x) * largest(y) }

// arithmetics are the functions of a row that are made of multiply-adds and roots.
var arithmetics = []rowFunction{
	{name: "RMSNorm", of: func(k *Kernels, x, y []float32) []float32 {
		inv := k.RMSNorm(y, x, y, 1e-5)
		return append(y, inv)
	}},
	{name: "RMSNormGrad", of: func(k *Kernels, x, y []float32) []float32 {
		dx := slices.Clone(y)
		k.RMSNormGrad(dx, y, x, y, 0.7)
		return dx
	}, terms: func(x, y []float32) float64 {
		return largest(y)*largest(y) + largest(x)*sizes(y, y, x)/float64(len(x))
	}},
	{name: "Rope", of: func(k *Kernels, x, y []float32) []float32 {
		k.Rope(x, y[:len(y)/2], y[len(y)/2:])
		return x
	}, terms: rotated},
	{name: "RopeGrad", of: func(k *Kernels, x, y []float32) []float32 {
		k.RopeGrad(x, y[:len(y)/2], y[len(y)/2:])
		return x
	}, terms: rotated},
	{name: "Add", of: func(k *Kernels, x, y []float32) []float32 {
		k.Add(y, x)
		return y
	}},
	{name: "AddScaled", of: func(k *Kernels, x, y []float32) []float32 {
		k.AddScaled(y, 0.37, x)
		return y
	}},
	{name: "Scale", of: func(k *Kernels, x, _ []float32) []float32 {
		k.Scale(x, -1.7)
		return x
	}},
	{name: "SoftmaxGrad", of: func(k *Kernels, x, y []float32) []float32 {
		k.SoftmaxGrad(y, x, 0.3)
		return y
	}},
	{name: "Dot", of: func(k *Kernels, x, y []float32) []float32 {
		return []float32{k.Dot(x, y), k.Dot(y, y)}
	}, terms: func(x, y []float32) float64 { return max(sizes(x, y), sizes(y, y)) }},
	{name: "AdamW", of: func(k *Kernels, x, y []float32) []float32 {
		m, v := slices.Clone(y), make([]float32, len(y))
		for i, moment := range y {
			v[i] = moment * moment
		}
		k.AdamW(x, m, v, y, AdamStep{LR: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: 0.1, GradScale: 0.5, Correction1: 0.19, Correction2: 0.002})
		return slices.Concat(x, m, v)
	}},
}

// FuzzRows: any row of any length has the same bits on all fused sets, whatever is in it, is close to what plain Go computes where it
// is made of ordinary numbers, and nothing beside it is written.
func FuzzRows(f *testing.F) {
	plain := open(f, "generic", 1)
	var fused []*Kernels
	for _, name := range fusedSets() {
		fused = append(fused, open(f, name, 1))
	}
	f.Add(uint64(1), uint16(0), uint8(1), false)
	f.Add(uint64(2), uint16(15), uint8(0), true)
	f.Add(uint64(3), uint16(16), uint8(2), false)
	f.Add(uint64(4), uint16(68), uint8(1), true)
	f.Add(uint64(5), uint16(1023), uint8(3), false)
	f.Add(uint64(4107), uint16(1023), uint8(3), false) // x·y cancels: terms of 40,000 come to -0.147
	f.Fuzz(func(t *testing.T, seed uint64, more uint16, spread uint8, extreme bool) {
		n, rng := 1+int(more%SumBlock), rand.New(rand.NewPCG(seed, 3))
		x, y := normal(rng, n), normal(rng, n)
		plain.Scale(x, []float32{0.01, 1, 10, 60}[spread%4])
		if extreme {
			for range 1 + n/4 {
				x[rng.IntN(n)] = extremes[rng.IntN(len(extremes))]
			}
		}
		for _, fn := range slices.Concat(exponentials, arithmetics) {
			var first []float32
			for _, k := range fused {
				got := fn.fencedOn(t, k, x, y)
				if first == nil {
					first = slices.Clone(got)
				}
				sameOrNaN(t, fn.name, got, first)
			}
			if !extreme && first != nil {
				fn.nearPlain(t, first, fn.fencedOn(t, plain, x, y), x, y)
			}
		}
	})
}
