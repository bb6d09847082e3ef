package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAttention: DotRows, WeightedSum and OuterAdd over rows that lie apart, the last of which ends the slice.
func TestAttention(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, d := range []int{1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 80, 128, 200} {
			for n := range 11 {
				stride := d + n%3*5
				size := max(0, (n-1)*stride+d)
				q, rows, p := normal(rng, d), normal(rng, size), normal(rng, n)
				testDotRows(t, k, q, rows, stride, n)
				testWeightedSum(t, k, normal(rng, d), p, rows, stride)
				testOuterAdd(t, k, rows, stride, p, q)
			}
		}
	}, 1)
}

func testDotRows(t *testing.T, k *Kernels, q, rows []float32, stride, n int) {
	t.Helper()
	dst, check := fenced(t, make([]float32, n))
	k.DotRows(dst, q, rows, stride, n)
	check()
	for j := range n {
		row := rows[j*stride:][:len(q)]
		want := chain(0, len(q), func(i int) float32 { return q[i] }, func(i int) float32 { return row[i] })
		want.within(t, dst[j], len(q), "score", len(q), n, j)
		sameBits(t, "score and Dot", dst[j:j+1], []float32{k.Dot(q, row)})
	}
}

func testWeightedSum(t *testing.T, k *Kernels, out0, p, rows []float32, stride int) {
	t.Helper()
	out, check := fenced(t, out0)
	k.WeightedSum(out, p, rows, stride, len(p))
	check()
	for i := range out {
		want := chain(out0[i], len(p), func(j int) float32 { return p[j] }, func(j int) float32 { return rows[j*stride+i] })
		want.within(t, out[i], len(p), "weighted sum", len(out), len(p), i)
	}
}

func testOuterAdd(t *testing.T, k *Kernels, rows0 []float32, stride int, p, v []float32) {
	t.Helper()
	rows, check := fenced(t, rows0)
	k.OuterAdd(rows, stride, len(p), p, v)
	check()
	for at := range rows {
		j, i := at/stride, at%stride
		want := reference{float64(rows0[at]), math.Abs(float64(rows0[at]))}
		if i < len(v) {
			want = chain(rows0[at], 1, func(int) float32 { return p[j] }, func(int) float32 { return v[i] })
		}
		want.within(t, rows[at], 1, "outer product", len(v), len(p), j, i)
	}
}

// TestWeightedSumContinues: rows spread over several calls give the bits of one call.
func TestWeightedSumContinues(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(17, 18))
		const n = 9
		for _, d := range []int{5, 16, 64, 100} {
			out, p, rows := normal(rng, d), normal(rng, n), normal(rng, n*d)
			for cut := range n {
				whole, parts := slices.Clone(out), slices.Clone(out)
				k.WeightedSum(whole, p, rows, d, n)
				k.WeightedSum(parts, p, rows, d, cut)
				k.WeightedSum(parts, p[cut:], rows[cut*d:], d, n-cut)
				sameBits(t, "weighted sum in two calls", whole, parts)
			}
		}
	}, 1)
}
