package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// guard is written around results: a kernel must leave it alone.
const guard = float32(-7.25e33)

// testRows and testSizes are around the edges of tiles, panels and blocks.
var (
	testRows  = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 31, 33, 64, 130}
	testSizes = []int{1, 3, 8, 15, 16, 17, 31, 32, 33, 64, 100, 129}
)

// testSets are the sets of this processor, and one of the tests.
func testSets() []string {
	return slices.DeleteFunc(Available(), func(name string) bool { return !tested(name) })
}

// tested says which sets are: those of this processor; TestLongTwins has what stands in for those of others.
var tested = func(name string) bool { return name != "plaintiles" && name != "othermaker" }

// eachSet runs test with every set of this processor on the given numbers of threads.
func eachSet(t *testing.T, test func(t *testing.T, k *Kernels), threads ...int) {
	for _, name := range testSets() {
		for _, n := range threads {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) { test(t, open(t, name, n)) })
		}
	}
}

func open(t testing.TB, name string, threads int) *Kernels {
	t.Helper()
	k, err := New(name, threads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// normal returns n values of a standard normal distribution.
func normal(rng *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(rng.NormFloat64())
	}
	return s
}

// fenced returns a copy of s in a slice of exactly its capacity between guards, and a check that those are untouched.
func fenced(t testing.TB, s []float32) (inside []float32, check func()) {
	t.Helper()
	const margin = 40
	all := make([]float32, len(s)+2*margin)
	for i := range all {
		all[i] = guard
	}
	inside = all[margin : margin+len(s) : margin+len(s)]
	copy(inside, s)
	return inside, func() {
		t.Helper()
		for i, v := range all {
			if (i < margin || i >= margin+len(s)) && v != guard {
				t.Fatalf("wrote outside the result, at index %d of %d", i-margin, len(s))
			}
		}
	}
}

// failer is what *testing.T and *rapid.T have in common here.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameBits fails unless a and b agree bit for bit.
func sameBits(t failer, what string, a, b []float32) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%s: %d and %d values", what, len(a), len(b))
	}
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			t.Fatalf("%s: value %d is %x and %x", what, i, a[i], b[i])
		}
	}
}

// A reference product in float64: each element with the sum of magnitudes that bounds its rounding error.
type reference struct{ value, magnitude float64 }

// within fails unless got is as close to the reference as a chain of depth float32 multiply-adds must be.
func (r reference) within(t testing.TB, got float32, depth int, what string, at ...any) {
	t.Helper()
	bound := float64(depth+2) * r.magnitude * 0x1p-24
	if d := math.Abs(float64(got) - r.value); !(d <= bound) {
		t.Fatalf("%s %v: got %g, want %g: off by %g, bound %g", what, at, got, r.value, d, bound)
	}
}

// chain is start + Σ a(k)·b(k).
func chain(start float32, depth int, a, b func(k int) float32) reference {
	r := reference{float64(start), math.Abs(float64(start))}
	for k := range depth {
		p := float64(a(k)) * float64(b(k))
		r.value += p
		r.magnitude += math.Abs(p)
	}
	return r
}

// shapes calls f with all rows × out × in where every pair of sizes occurs near the given row count, not their full cube.
func shapes(f func(rows, out, in int)) {
	for i, rows := range testRows {
		for j, out := range testSizes {
			f(rows, out, testSizes[(i+j)%len(testSizes)])
			f(rows, out, testSizes[(5*i+7*j+3)%len(testSizes)])
		}
	}
}

func TestMul(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(1, 2))
		shapes(func(rows, out, in int) {
			x, w, y0 := normal(rng, rows*in), normal(rng, out*in), normal(rng, rows*out)
			m := k.Pack(out, in, w)
			for _, accumulate := range []bool{false, true} {
				y, check := fenced(t, y0)
				k.Mul(y, x, rows, m, accumulate)
				check()
				for r := range rows {
					for o := range out {
						want := chain(startOf(y0[r*out+o], accumulate), in,
							func(i int) float32 { return x[r*in+i] }, func(i int) float32 { return w[o*in+i] })
						want.within(t, y[r*out+o], in, "y", rows, out, in, accumulate, r, o)
					}
				}
			}
		})
	}, 1)
}

func TestMulT(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(3, 4))
		shapes(func(rows, out, in int) {
			dy, w, dx0 := normal(rng, rows*out), normal(rng, out*in), normal(rng, rows*in)
			m := k.Pack(out, in, w)
			for _, accumulate := range []bool{false, true} {
				dx, check := fenced(t, dx0)
				k.MulT(dx, dy, rows, m, accumulate)
				check()
				for r := range rows {
					for i := range in {
						want := chain(startOf(dx0[r*in+i], accumulate), out,
							func(o int) float32 { return dy[r*out+o] }, func(o int) float32 { return w[o*in+i] })
						want.within(t, dx[r*in+i], out, "dx", rows, out, in, accumulate, r, i)
					}
				}
			}
		})
	}, 1)
}

// TestMulTDepthBlocked: in ranges of the outputs MulT gives the bits that it gives at once, in every format.
func TestMulTDepthBlocked(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		const rows, out, in = depthBlockedRows + 1, depthBlockedOutputs + 40, 33
		rng := rand.New(rand.NewPCG(17, 1))
		dy, w, dx0 := normal(rng, rows*out), normal(rng, out*in), normal(rng, rows*in)
		for _, f := range formats {
			m := k.PackAs(f, out, in, w)
			for _, accumulate := range []bool{false, true} {
				atOnce, deep := slices.Clone(dx0), slices.Clone(dx0)
				k.MulTColumns(atOnce, dy, rows, m, 0, out, accumulate)
				k.MulT(deep, dy, rows, m, accumulate)
				sameBits(t, f.String(), deep, atOnce)
			}
		}
	}, 2)
}

func TestMulGrad(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(5, 6))
		shapes(func(rows, out, in int) {
			dy, x, dw0 := normal(rng, rows*out), normal(rng, rows*in), normal(rng, out*in)
			dw, check := fenced(t, dw0)
			k.MulGrad(dw, dy, x, rows, out, in)
			check()
			for o := range out {
				for i := range in {
					want := chain(dw0[o*in+i], rows,
						func(r int) float32 { return dy[r*out+o] }, func(r int) float32 { return x[r*in+i] })
					want.within(t, dw[o*in+i], rows, "dw", rows, out, in, o, i)
				}
			}
		})
	}, 1)
}

func startOf(y float32, accumulate bool) float32 {
	if accumulate {
		return y
	}
	return 0
}
