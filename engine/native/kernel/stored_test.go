package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rounded returns n random values that bfloat16 holds, and the same stored.
func rounded(k *Kernels, rng *rand.Rand, n int) ([]float32, Stored) {
	x := normal(rng, n)
	k.RoundBF16(x)
	s := Stored{BF16: make([]uint16, n)}
	s.Put(x)
	return x, s
}

// Products with panels of bfloat16 have the bits of products with the same values in float32, and nothing beyond is touched.
func TestMulStored(t *testing.T) {
	for _, name := range testSets() {
		k := open(t, name, 1)
		rapid.Check(t, func(rt *rapid.T) {
			rows, depth, panels := rapid.IntRange(1, 40).Draw(rt, "rows"), rapid.IntRange(0, 70).Draw(rt, "depth"), rapid.IntRange(1, 7).Draw(rt, "panels")
			more, accumulate := rapid.IntRange(0, 20).Draw(rt, "more"), rapid.Bool().Draw(rt, "accumulate")
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
			ldc, lda, ldb := panels*panelWidth+more, depth+more, depth*panelWidth+more
			a := normal(rng, (rows-1)*lda+depth)
			wide, stored := rounded(k, rng, (panels-1)*ldb+depth*panelWidth)
			before := normal(rng, (rows-1)*ldc+panels*panelWidth)
			got, check := fenced(t, before)
			want, _ := fenced(t, before)
			k.MulStored(got, ldc, a, lda, rows, depth, stored, ldb, panels, accumulate)
			k.MulStored(want, ldc, a, lda, rows, depth, Stored{F32: wide}, ldb, panels, accumulate)
			check()
			sameBits(rt, name, got, want)
		})
	}
}

// RoundBF16 is the rounding of products of low precision, for every kind of number.
func TestRoundBF16(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(5, 6))
		for n := range 70 {
			x := make([]float32, n)
			for i := range x {
				x[i] = math.Float32frombits(rng.Uint32())
			}
			if n > 8 {
				copy(x, []float32{0, float32(math.Inf(1)), float32(math.NaN()), math.MaxFloat32, 1e-45, -1e-40, 1.00390625, 1.01171875})
			}
			got, check := fenced(t, x)
			k.RoundBF16(got)
			check()
			for i, v := range x {
				want := roundBF16(v)
				if math.Float32bits(got[i]) != math.Float32bits(want) && !(want != want && got[i] != got[i]) {
					t.Fatalf("%g is rounded to %g, want %g", v, got[i], want)
				}
			}
		}
	}, 1)
}

// Rows go into the columns of panels of either kind, and nowhere else.
func TestTurnStored(t *testing.T) {
	k := open(t, "", 1)
	rng := rand.New(rand.NewPCG(7, 8))
	for _, width := range []int{1, 16, 33} {
		for _, n := range []int{1, 5, panelWidth} {
			t.Run(fmt.Sprintf("%d rows of %d", n, width), func(t *testing.T) {
				const stride = 40
				rows, _ := rounded(k, rng, (n-1)*stride+width)
				want, stored := rounded(k, rng, width*panelWidth)
				k.TurnRows(want, rows, stride, n, width)
				k.TurnStored(stored, rows, stride, n, width)
				after := Stored{BF16: make([]uint16, len(want))}
				after.Put(want)
				for i, v := range after.BF16 {
					if stored.BF16[i] != v {
						t.Fatalf("word %d is %x, want %x", i, stored.BF16[i], v)
					}
				}
			})
		}
	}
}

// A row in panels is where its words are looked for, with zeros up to whole panels, and nothing else is touched.
func TestPutPanels(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rapid.Check(t, func(rt *rapid.T) {
			n, more := rapid.IntRange(1, 150).Draw(rt, "n"), rapid.IntRange(0, 40).Draw(rt, "more")
			panels, stride := ceil(n, panelWidth), panelWidth+more
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
			x, _ := rounded(k, rng, n)
			fill, size := uint16(0x7fc1), (panels-1)*stride+panelWidth
			low, wide := slices.Repeat([]uint16{fill}, size+9), slices.Repeat([]float32{7}, size+9)
			k.PutPanels(Stored{BF16: low[:size:size]}, stride, x)
			k.PutPanels(Stored{F32: wide[:size:size]}, stride, x)
			for at := range low {
				panel, word := at/stride, at%stride
				wantLow, wantWide := fill, float32(7)
				if i := panel*panelWidth + word; panel < panels && word < panelWidth {
					wantWide = 0
					if i < n {
						wantWide = x[i]
					}
					wantLow = upperHalf(wantWide)
				}
				if low[at] != wantLow || wide[at] != wantWide {
					rt.Fatalf("%d values, stride %d: word %d is %x and %v, want %x and %v", n, stride, at, low[at], wide[at], wantLow, wantWide)
				}
			}
		})
	})
}
