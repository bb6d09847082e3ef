package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/engine"
)

// chainSets are the sets whose products of low precision are one chain, generic first; those of tiles have bits of their own.
func chainSets(t *testing.T) []string {
	return slices.DeleteFunc(testSets(), func(name string) bool { return open(t, name, 1).Kind() == "tiles" })
}

// TestLowSetsAgree: every set gives the bits of the plain one, for weights of every low format.
func TestLowSetsAgree(t *testing.T) {
	plain := open(t, "generic", 2)
	for _, f := range formats[1:] {
		n := uint64(0)
		shapes(func(rows, out, in int) {
			n++
			if rows > 40 && n%5 != 0 {
				return
			}
			p := newFormatProduct(n, f, rows, out, in, n%2 == 0)
			want := p.multiply(plain, plain.PackAs(f, out, in, p.w))
			for _, name := range chainSets(t)[1:] {
				k := open(t, name, 2)
				sameParts(t, fmt.Sprint(name, f, rows, out, in), p.multiply(k, k.PackAs(f, out, in, p.w)), want)
				k.Close()
			}
		})
	}
}

// wild returns n values over a range of exponents, with zeros, denormal values and both signs.
func wild(rng *rand.Rand, n, low, high int) []float32 {
	x := make([]float32, n)
	for i := range x {
		exponent := uint32(low + rng.IntN(high-low+1))
		if rng.IntN(16) == 0 {
			exponent = 0
		}
		x[i] = math.Float32frombits(rng.Uint32()&^(255<<23) | exponent<<23)
		if rng.IntN(32) == 0 {
			x[i] = float32(math.Copysign(0, float64(x[i])))
		}
	}
	return x
}

// TestLowSetsAgreeOnDenormals: so they do where sums, products or operands are denormal or nearly so, and where they overflow.
func TestLowSetsAgreeOnDenormals(t *testing.T) {
	for _, c := range []struct{ low, high, weightLow, weightHigh int }{
		{0, 254, 0, 254}, {1, 40, 90, 130}, {50, 80, 45, 70}, {1, 3, 124, 130}, {60, 70, 55, 66}, {180, 254, 180, 254},
	} {
		for _, s := range [][3]int{{1, 33, 40}, {5, 48, 17}, {14, 64, 64}} {
			rows, out, in := s[0], s[1], s[2]
			rng := rand.New(rand.NewPCG(uint64(c.low), uint64(rows)))
			x, w := wild(rng, rows*in, c.low, c.high), wild(rng, out*in, c.weightLow, c.weightHigh)
			dy, y0 := wild(rng, rows*out, c.low, c.high), wild(rng, rows*out, 0, 30)
			for _, f := range formats[1:] {
				var want [2][]float32
				for i, name := range chainSets(t) {
					k := open(t, name, 1)
					m := k.PackAs(f, out, in, w)
					got := [2][]float32{append([]float32(nil), y0...), make([]float32, rows*in)}
					k.Mul(got[0], x, rows, m, true)
					k.MulT(got[1], dy, rows, m, false)
					if i == 0 {
						want = got
					}
					sameNumbers(t, fmt.Sprint(name, f, c, s), got[0], want[0])
					sameNumbers(t, fmt.Sprint(name, f, c, s), got[1], want[1])
				}
			}
		}
	}
}

// TestNF4WithAnyScale: values are those of plain Go whatever the scales are.
func TestNF4WithAnyScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	codes := make([]uint32, 3*panelWidth)
	for i := range codes {
		codes[i] = rng.Uint32()
	}
	for n := range 200 {
		scale := wild(rng, panelWidth, 0, 255)
		scale[n%panelWidth] = []float32{float32(math.NaN()), math.Float32frombits(0x7fffffff), math.Float32frombits(0xffffffff), float32(math.Inf(1)), 0x1.ffp-127, 0x1.fffffcp-127, 0x1p-126, 0x1.fffffep127}[n%8]
		want := make([]float32, len(codes)*nf4Word)
		genericNF4(want, codes, scale)
		eachSet(t, func(t *testing.T, k *Kernels) {
			got := make([]float32, len(want))
			for _, low := range []*lowSet{k.set.lowOf(1), k.set.lowOf(lowFewRows + 1)} {
				if low.nf4(got, codes, scale); low.perPair == 1 {
					genericSpread(got, asWords(got[:len(got)/2]))
				}
				sameNumbers(t, fmt.Sprint(k.Name(), scale), got, want)
			}
		}, 1)
	}
}

// asWords copies operand words that are pairs.
func asWords(words []float32) []uint32 {
	pairs := make([]uint32, len(words))
	for i, w := range words {
		pairs[i] = math.Float32bits(w)
	}
	return pairs
}

// TestLowSetsRoundBeforeTheyFlush: a sum that rounding makes the smallest normal number stays, though its exact value is denormal.
func TestLowSetsRoundBeforeTheyFlush(t *testing.T) {
	const smallest, in, out = 0x1p-126, 5, 70
	eachSet(t, func(t *testing.T, k *Kernels) {
		for rows := 1; rows < 15; rows++ {
			y, x, w := make([]float32, rows*out), make([]float32, rows*in), make([]float32, out*in)
			for o := range out {
				w[o*in+1] = float32(1-o%3) * 0x1p-76
			}
			for r := range rows {
				x[r*in+1] = float32(1-r%3) * 0x1p-76
			}
			for at := range y {
				y[at] = smallest
			}
			k.Mul(y, x, rows, k.PackAs(engine.BF16, out, in, w), true)
			for at, v := range y {
				if v != smallest {
					t.Fatalf("%d rows: element %d is %g, want %g", rows, at, v, smallest)
				}
			}
		}
	}, 1)
}

// sameNumbers is sameBits but that any NaN is as good as another.
func sameNumbers(t *testing.T, what string, a, b []float32) {
	t.Helper()
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) && (a[i] == a[i] || b[i] == b[i]) {
			t.Fatalf("%s: value %d is %g (%x) and %g (%x)", what, i, a[i], math.Float32bits(a[i]), b[i], math.Float32bits(b[i]))
		}
	}
}
