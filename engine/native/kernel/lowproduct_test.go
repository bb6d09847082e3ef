package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/engine"
)

// factors are the rounded weights that a product of low precision has, and the steps of the outputs.
func factors(f engine.Format, out, in int, w []float32) (values, steps []float32) {
	values, steps = valuesOf(f, out, in, w), slices.Repeat([]float32{1}, out)
	for o := range out {
		row := values[o*in:][:in]
		if f == engine.Int8 {
			largest := float32(0)
			for _, v := range w[o*in:][:in] {
				largest = max(largest, v, -v)
			}
			steps[o] = largest / 127
			for i := range row {
				row[i] /= steps[o]
			}
		}
		for i, v := range row {
			row[i] = roundBF16(v)
		}
	}
	return values, steps
}

// A formatProduct is a product with weights of some format, and its results in float64.
type formatProduct struct {
	trial
	format   engine.Format
	values   []float32
	steps    []float32
	roundAll func(float32) float32
}

func newFormatProduct(seed uint64, f engine.Format, rows, out, in int, accumulate bool) formatProduct {
	p := formatProduct{trial: newProduct(seed, rows, out, in, accumulate), format: f, roundAll: roundBF16}
	if f == engine.F32 {
		p.roundAll = func(v float32) float32 { return v }
		p.values, p.steps = p.w, slices.Repeat([]float32{1}, out)
	} else {
		p.values, p.steps = factors(f, out, in, p.w)
	}
	return p
}

func (p formatProduct) wantY(r, o int) reference {
	want := chain(startOf(p.y[r*p.out+o], p.accumulate)/p.steps[o], p.in,
		func(i int) float32 { return p.roundAll(p.x[r*p.in+i]) }, func(i int) float32 { return p.values[o*p.in+i] })
	return want.times(float64(p.steps[o]))
}

func (p formatProduct) wantDx(r, i int) reference {
	return chain(startOf(p.dx[r*p.in+i], p.accumulate), p.out,
		func(o int) float32 { return p.roundAll(p.dy[r*p.out+o] * p.steps[o]) }, func(o int) float32 { return p.values[o*p.in+i] })
}

func (r reference) times(a float64) reference { return reference{r.value * a, r.magnitude * a} }

// TestFormats: products of any format and shape are those of the rounded operands.
func TestFormats(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		n := uint64(0)
		shapes(func(rows, out, in int) {
			n++
			f := formats[n%4]
			p := newFormatProduct(n, f, rows, out, in, n%8 < 4)
			m := k.PackAs(f, out, in, p.w)
			y, checkY := fenced(t, p.y)
			dx, checkDx := fenced(t, p.dx)
			k.Mul(y, p.x, rows, m, p.accumulate)
			k.MulT(dx, p.dy, rows, m, p.accumulate)
			checkY()
			checkDx()
			for r := range rows {
				for o := range out {
					p.wantY(r, o).within(t, y[r*out+o], in+2, "y", f, rows, out, in, p.accumulate, r, o)
				}
				for i := range in {
					p.wantDx(r, i).within(t, dx[r*in+i], out, "dx", f, rows, out, in, p.accumulate, r, i)
				}
			}
		})
	}, 1)
}

// TestColumns: a product in ranges of outputs, and several that share x, have the bits of whole ones.
func TestColumns(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		for _, f := range formats {
			for _, s := range [][3]int{{1, 40, 33}, {5, 100, 64}, {33, 64, 130}, {130, 33, 17}} {
				rows, out, in := s[0], s[1], s[2]
				p := newFormatProduct(7, f, rows, out, in, false)
				m, other := k.PackAs(f, out, in, p.w), k.PackAs(f, 24, in, normal(rand.New(rand.NewPCG(1, 1)), 24*in))
				what := fmt.Sprint(f, s)
				whole := p.multiply(k, m)
				sameParts(t, what, whole, p.multiplyInColumns(k, m, 32))
				ys := [][]float32{slices.Clone(p.y), make([]float32, rows*24)}
				k.MulAll(ys, p.x, rows, []*Matrix{m, other}, false)
				sameBits(t, what+" together", ys[0], whole[0])
				k.Mul(ys[0][:0:0], nil, 0, m, false)
				alone := make([]float32, rows*24)
				k.Mul(alone, p.x, rows, other, false)
				sameBits(t, what+" together", ys[1], alone)
			}
		}
	}, 1, 2)
}

// multiply returns y and dx.
func (p formatProduct) multiply(k *Kernels, m *Matrix) [2][]float32 {
	y, dx := slices.Clone(p.y), slices.Clone(p.dx)
	k.Mul(y, p.x, p.rows, m, p.accumulate)
	k.MulT(dx, p.dy, p.rows, m, p.accumulate)
	return [2][]float32{y, dx}
}

// multiplyInColumns computes the same in ranges of width outputs.
func (p formatProduct) multiplyInColumns(k *Kernels, m *Matrix, width int) [2][]float32 {
	y, dx := slices.Clone(p.y), slices.Clone(p.dx)
	for from := 0; from < p.out; from += width {
		n := min(p.out, from+width) - from
		part, dy := make([]float32, p.rows*n), make([]float32, p.rows*n)
		k.MulColumns(part, p.x, p.rows, m, from, from+n)
		copyRows(y[from:], p.out, part, n, p.rows, n)
		copyRows(dy, n, p.dy[from:], p.out, p.rows, n)
		k.MulTColumns(dx, dy, p.rows, m, from, from+n, p.accumulate || from > 0)
	}
	return [2][]float32{y, dx}
}

func sameParts(t failer, what string, a, b [2][]float32) {
	t.Helper()
	sameBits(t, what+", y", a[0], b[0])
	sameBits(t, what+", dx", a[1], b[1])
}
