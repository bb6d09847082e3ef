package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A trial is the operands of one call, with results that the call continues.
type trial struct {
	rows, out, in int
	x, dy, w      []float32
	y, dx, dw     []float32
	accumulate    bool
}

func newProduct(seed uint64, rows, out, in int, accumulate bool) trial {
	rng := rand.New(rand.NewPCG(seed, 1))
	return trial{
		rows: rows, out: out, in: in, accumulate: accumulate,
		x: normal(rng, rows*in), dy: normal(rng, rows*out), w: normal(rng, out*in),
		y: normal(rng, rows*out), dx: normal(rng, rows*in), dw: normal(rng, out*in),
	}
}

// run computes all three products with fresh results: y, dx, dw.
func (p trial) run(k *Kernels) [3][]float32 {
	y, dx, dw := slices.Clone(p.y), slices.Clone(p.dx), slices.Clone(p.dw)
	m := k.Pack(p.out, p.in, p.w)
	k.Mul(y, p.x, p.rows, m, p.accumulate)
	k.MulT(dx, p.dy, p.rows, m, p.accumulate)
	k.MulGrad(dw, p.dy, p.x, p.rows, p.out, p.in)
	return [3][]float32{y, dx, dw}
}

// runCut computes the same in consecutive pieces of rows.
func (p trial) runCut(k *Kernels, cuts []int) [3][]float32 {
	y, dx, dw := slices.Clone(p.y), slices.Clone(p.dx), slices.Clone(p.dw)
	m := k.Pack(p.out, p.in, p.w)
	lo := 0
	for _, hi := range append(cuts, p.rows) {
		x, dy := p.x[lo*p.in:hi*p.in], p.dy[lo*p.out:hi*p.out]
		k.Mul(y[lo*p.out:hi*p.out], x, hi-lo, m, p.accumulate)
		k.MulT(dx[lo*p.in:hi*p.in], dy, hi-lo, m, p.accumulate)
		k.MulGrad(dw, dy, x, hi-lo, p.out, p.in)
		lo = hi
	}
	return [3][]float32{y, dx, dw}
}

// spotCheck compares some elements of the three products with float64.
func (p trial) spotCheck(t *testing.T, got [3][]float32) {
	t.Helper()
	const checked = 200
	if p.rows == 0 || p.out == 0 || p.in == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(5, uint64(p.rows)))
	for range checked {
		r, o, i := rng.IntN(p.rows), rng.IntN(p.out), rng.IntN(p.in)
		x := func(r, i int) float32 { return p.x[r*p.in+i] }
		dy := func(r, o int) float32 { return p.dy[r*p.out+o] }
		w := func(o, i int) float32 { return p.w[o*p.in+i] }
		y := chain(startOf(p.y[r*p.out+o], p.accumulate), p.in, func(i int) float32 { return x(r, i) }, func(i int) float32 { return w(o, i) })
		y.within(t, got[0][r*p.out+o], p.in, "y", r, o)
		dx := chain(startOf(p.dx[r*p.in+i], p.accumulate), p.out, func(o int) float32 { return dy(r, o) }, func(o int) float32 { return w(o, i) })
		dx.within(t, got[1][r*p.in+i], p.out, "dx", r, i)
		dw := chain(p.dw[o*p.in+i], p.rows, func(r int) float32 { return dy(r, o) }, func(r int) float32 { return x(r, i) })
		dw.within(t, got[2][o*p.in+i], p.rows, "dw", o, i)
	}
}

func sameProducts(t failer, what string, a, b [3][]float32) {
	t.Helper()
	for i, name := range []string{"y", "dx", "dw"} {
		sameBits(t, what+", "+name, a[i], b[i])
	}
}

// everyRow are the cuts that leave one row in each piece.
func everyRow(rows int) []int {
	var cuts []int
	for i := 1; i < rows; i++ {
		cuts = append(cuts, i)
	}
	return cuts
}

func TestRowsDoNotDependOnBatch(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		for _, s := range [][3]int{{14, 33, 17}, {130, 64, 100}, {97, 8, 129}, {40, 600, 16}, {25, 16, 1100}, {6, 260, 160}} {
			p := newProduct(2, s[0], s[1], s[2], true)
			sameProducts(t, "row by row", p.run(k), p.runCut(k, everyRow(p.rows)))
		}
	}, 1, 2)
}

func TestProductsDoNotDependOnThreads(t *testing.T) {
	for _, name := range testSets() {
		one := open(t, name, 1)
		for _, threads := range []int{2, 4} {
			many := open(t, name, threads)
			for _, s := range [][3]int{{130, 129, 100}, {600, 40, 100}, {3, 400, 300}, {512, 8, 128}, {512, 128, 8}, {1, 1030, 300}} {
				p := newProduct(3, s[0], s[1], s[2], false)
				sameProducts(t, name, p.run(one), p.run(many))
			}
		}
	}
}

// fusedSets are the sets of the numeric kind that fuses multiply-adds.
func fusedSets() []string { return Available()[1:] }

func TestFusedSetsAgree(t *testing.T) {
	var want [][3][]float32
	for _, name := range fusedSets() {
		k := open(t, name, 2)
		i := 0
		shapes(func(rows, out, in int) {
			got := newProduct(uint64(i), rows, out, in, i%2 == 0).run(k)
			if i == len(want) {
				want = append(want, got)
			}
			sameProducts(t, name, want[i], got)
			i++
		})
	}
}

// TestAnyCut: any shape, cut anywhere, on any set and number of threads.
func TestAnyCut(t *testing.T) {
	for _, name := range testSets() {
		for _, threads := range []int{1, 3} {
			k := open(t, name, threads)
			rapid.Check(t, func(t *rapid.T) {
				rows := rapid.IntRange(1, 120).Draw(t, "rows")
				p := newProduct(rapid.Uint64().Draw(t, "seed"), rows,
					rapid.IntRange(1, 150).Draw(t, "out"), rapid.IntRange(1, 150).Draw(t, "in"), rapid.Bool().Draw(t, "accumulate"))
				cuts := rapid.SliceOfN(rapid.IntRange(0, rows), 0, 5).Draw(t, "cuts")
				slices.Sort(cuts)
				sameProducts(t, name, p.run(k), p.runCut(k, cuts))
			})
		}
	}
}

// TestNaNStaysInItsRow: a NaN in a row of x or of W reaches that row or column of y and nothing else.
func TestNaNStaysInItsRow(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		for _, s := range [][3]int{{7, 33, 20}, {13, 16, 8}, {3, 100, 9}} {
			p := newProduct(4, s[0], s[1], s[2], false)
			clean := p.run(k)
			row, column := p.rows/2, p.out-1
			p.x[row*p.in] = nan
			p.w[column*p.in] = nan
			got := p.run(k)[0]
			for at, v := range got {
				if touched := at/p.out == row || at%p.out == column; touched != (v != v) {
					t.Fatalf("%v: y[%d, %d] is %g", s, at/p.out, at%p.out, v)
				} else if !touched && v != clean[0][at] {
					t.Fatalf("%v: y[%d, %d] changed", s, at/p.out, at%p.out)
				}
			}
		}
	}, 1)
}

// TestRowFunctionsDoNotDependOnAlignment: the same values at any address.
func TestRowFunctionsDoNotDependOnAlignment(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(11, 12))
		for _, n := range []int{5, 33, 100} {
			a, b := normal(rng, n), normal(rng, n)
			want, wantInPlace := rowResults(k, a, b), slices.Concat(a, b, b)
			k.SwiGLUGrad(wantInPlace[:n], wantInPlace[n:2*n], wantInPlace[2*n:])
			for shift := 1; shift < 16; shift++ {
				as := append(make([]float32, shift), a...)[shift:]
				bs := append(make([]float32, 2*shift), b...)[2*shift:]
				cs := append(make([]float32, 3*shift), b...)[3*shift:]
				sameBits(t, "shifted", rowResults(k, as, bs), want)
				k.SwiGLUGrad(as, bs, cs)
				sameBits(t, "shifted, in place", slices.Concat(as, bs, cs), wantInPlace)
			}
		}
	}, 1)
}

// rowResults strings together what the functions of one row make of a and b.
func rowResults(k *Kernels, a, b []float32) []float32 {
	n := len(a)
	y := make([]float32, 8*n)
	part := func(i int) []float32 { return y[i*n : (i+1)*n] }
	inv := k.RMSNorm(part(0), a, b, 1e-6)
	k.RMSNormGrad(part(1), b, a, b, inv)
	k.SwiGLU(part(2), a, b)
	copy(part(3), a)
	copy(part(4), b)
	k.SwiGLUGrad(part(3), part(4), slices.Clone(b))
	copy(part(5), a)
	sum := k.SoftmaxSum(part(5))
	copy(part(6), b)
	k.SoftmaxGrad(part(6), a, 0.3)
	copy(part(7), a)
	k.Probabilities(part(7), 0.4, 3)
	return append(y, sum, inv, k.Dot(a, b), k.LogSumExp(a))
}

func TestFusedRowFunctionsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, n := range rowLengths[1:] {
		a, b := normal(rng, n), normal(rng, n)
		var want []float32
		for _, name := range fusedSets() {
			got := rowResults(open(t, name, 1), a, b)
			if want == nil {
				want = got
			}
			sameBits(t, name, got, want)
		}
	}
}

func FuzzProducts(f *testing.F) {
	f.Add(uint64(1), uint16(1), uint16(1), uint16(1), true)
	f.Add(uint64(2), uint16(12), uint16(32), uint16(129), false)
	f.Add(uint64(3), uint16(97), uint16(8), uint16(600), true)
	f.Add(uint64(4), uint16(5), uint16(0), uint16(3), false)
	f.Add(uint64(5), uint16(5), uint16(3), uint16(0), true)
	f.Add(uint64(6), uint16(0), uint16(3), uint16(4), true)
	f.Fuzz(func(t *testing.T, seed uint64, rows, out, in uint16, accumulate bool) {
		p := newProduct(seed, int(rows%140), int(out%700), int(in%700), accumulate)
		var want [3][]float32
		for i, name := range testSets() {
			one, two := open(t, name, 1), open(t, name, 2)
			got := p.run(one)
			sameProducts(t, name, got, p.runCut(two, everyRow(p.rows)))
			if i < 2 { // plain Go, and the first of those that fuse
				p.spotCheck(t, got)
				want = got
			}
			sameProducts(t, name, got, want)
			one.Close()
			two.Close()
		}
	})
}
