package kernel

import (
	"fmt"
	"runtime"

	"parley/engine"
)

// panelWidth is the number of outputs of one panel: two AVX2 vectors or one AVX-512 vector.
const panelWidth = 16

// packWork is the number of weights that one thread packs at a time.
const packWork = 1 << 16

// A Matrix is a weight matrix W[Out][In] in the layout that the products read: panels of 16 outputs, in each the weights in the
// order [In][16], the outputs of the last panel padded with zeros. Panels follow each other, so a product with few rows reads
// the weights as one linear stream.
//
// Products with weights of format f32 are float32 throughout. Those with the other formats are bfloat16 products: both operands are
// rounded to bfloat16 and their products summed in float32, as the package comment says.
type Matrix struct {
	Out, In int
	format  engine.Format
	panels  []float32 // F32: [ceil(Out/16)][In][16]
	low     lowPanels // the other formats
}

// lowPanels are the panels of a format of low precision. Methods may run at the same time for different rows.
type lowPanels interface {
	// pack replaces the rows from, from+1, ... by those of w, [rows][In].
	pack(k *Kernels, from int, w []float32)
	// row writes the values of one row, [In].
	row(dst []float32, out int)
	// load writes the operand words of pairs first, ..., first+n-1 of the inputs of a panel, [n·perPair][16].
	load(set *lowSet, dst []float32, panel, first, n int)
	// direct returns the operand words of the panels from one on where they are in memory, else nil.
	direct(set *lowSet, panel int) []float32
	// steps returns what the sums of outputs from, ..., to-1 are to be multiplied with, or nil where that is 1.
	steps(from, to int) []float32
	bytes() int
}

// Pack returns the float32 matrix of w [out, in], row-major as checkpoints have it. w is not kept.
func (k *Kernels) Pack(out, in int, w []float32) *Matrix { return k.PackAs(engine.F32, out, in, w) }

// PackAs returns the matrix of w [out, in], row-major, rounded or quantised to the format. w is not kept.
func (k *Kernels) PackAs(f engine.Format, out, in int, w []float32) *Matrix {
	m := k.NewMatrix(f, out, in)
	mustHave("packed matrix", w, out*in)
	k.PackRows(m, 0, w[:out*in])
	return m
}

// NewMatrix returns a matrix [out, in] whose rows are to be set by PackRows.
func (k *Kernels) NewMatrix(f engine.Format, out, in int) *Matrix {
	if out < 0 || in < 0 {
		panic(fmt.Sprintf("kernel: a matrix of shape [%d, %d]", out, in))
	}
	m := &Matrix{Out: out, In: in, format: f}
	mem := take(&k.arena, m, MatrixBytes(f, out, in))
	switch f {
	case engine.F32:
		m.panels = as[float32](mem)
	case engine.BF16:
		m.low = &bf16Panels{in, as[uint32](mem)}
	case engine.Int8:
		m.low = newInt8Panels(out, in, mem)
	case engine.NF4:
		m.low = newNF4Panels(out, in, mem)
	}
	return m
}

// PackRows sets the rows from, from+1, ... of m to w [rows, m.In], row-major. from is a multiple of 16, and so is the number of
// rows unless they are the last ones. In NF4 the rows must come in order, once, and values are there when all have come: the
// second quantisation needs them all.
func (k *Kernels) PackRows(m *Matrix, from int, w []float32) {
	defer runtime.KeepAlive(m)
	rows := m.Out - from
	if m.In > 0 {
		rows = len(w) / m.In
	}
	if from%panelWidth != 0 || rows*m.In != len(w) || from+rows > m.Out || rows%panelWidth != 0 && from+rows != m.Out {
		panic(fmt.Sprintf("kernel: %d values for the rows from %d on of a matrix of shape [%d, %d]", len(w), from, m.Out, m.In))
	}
	if m.format != engine.F32 {
		m.low.pack(k, from, w)
		return
	}
	k.eachPanel(m.In, rows, func(p, first, n int) {
		k.set.pack(m.panel(from/panelWidth+p), w[first*m.In:], m.In, n)
	})
}

// Repack replaces the values of m, which is F32, by w [m.Out, m.In], row-major, in place.
func (k *Kernels) Repack(m *Matrix, w []float32) {
	if m.format != engine.F32 {
		panic("kernel: a matrix of format " + m.format.String() + " cannot be trained")
	}
	mustHave("packed matrix", w, m.Out*m.In)
	k.PackRows(m, 0, w[:m.Out*m.In])
}

// eachPanel calls f on the pool for each panel of a matrix of some rows of in values: its number, first row and number of rows.
func (k *Kernels) eachPanel(in, rows int, f func(p, first, n int)) {
	panels := panelsOf(rows)
	perUnit := max(1, packWork/(panelWidth*max(1, in)))
	k.Run(ceil(panels, perUnit), func(i int) {
		for p := i * perUnit; p < min(panels, (i+1)*perUnit); p++ {
			first := p * panelWidth
			f(p, first, min(panelWidth, rows-first))
		}
	})
}

// Format returns how m holds its weights.
func (m *Matrix) Format() engine.Format { return m.format }

// Bytes returns the memory that the weights take.
func (m *Matrix) Bytes() int {
	if m.format == engine.F32 {
		return 4 * len(m.panels)
	}
	return m.low.bytes()
}

// MatrixBytes returns the Bytes of a matrix [out, in].
func MatrixBytes(f engine.Format, out, in int) int {
	padded := panelsOf(out) * panelWidth
	switch f {
	case engine.BF16:
		return padded * 4 * ceil(in, 2)
	case engine.Int8:
		return padded * (4*ceil(in, 4) + 4)
	case engine.NF4:
		return nf4Bytes(padded, in)
	}
	return 4 * padded * in
}

// Row writes row out of m, as float32, to dst [m.In].
func (m *Matrix) Row(dst []float32, out int) {
	defer runtime.KeepAlive(m)
	mustHave("row of a matrix", dst, m.In)
	if out < 0 || out >= m.Out {
		panic(fmt.Sprintf("kernel: row %d of a matrix of shape [%d, %d]", out, m.Out, m.In))
	}
	if m.format != engine.F32 {
		m.low.row(dst[:m.In], out)
		return
	}
	m.Values(dst[:m.In], out, 0)
}

// Values copies elements of m, which is F32, to dst, row after row, from the at-th element of a row on.
func (m *Matrix) Values(dst []float32, out, at int) {
	defer runtime.KeepAlive(m)
	m.visit(len(dst), out, at, func(done int, lane []float32, n int) {
		for i := range n {
			dst[done+i] = lane[i*panelWidth]
		}
	})
}

// SetValues replaces elements of m, which is F32, by src, row after row, from the at-th element of a row on. Different elements may be set at
// the same time.
func (m *Matrix) SetValues(src []float32, out, at int) {
	defer runtime.KeepAlive(m)
	m.visit(len(src), out, at, func(done int, lane []float32, n int) {
		for i := range n {
			lane[i*panelWidth] = src[done+i]
		}
	})
}

// visit calls f for the rows that n elements are in, from the at-th of row out on: how many there were before, and where the next ones lie, each a panel's width
// behind the one before.
func (m *Matrix) visit(n, out, at int, f func(done int, lane []float32, n int)) {
	if m.format != engine.F32 {
		panic("kernel: elements of a matrix of format " + m.format.String())
	}
	if first := out*m.In + at; out < 0 || at < 0 || first+n > m.Out*m.In {
		panic(fmt.Sprintf("kernel: elements %d to %d of a matrix of shape [%d, %d]", first, first+n, m.Out, m.In))
	}
	for done := 0; done < n; {
		row, from := out+(at+done)/m.In, (at+done)%m.In
		part := min(n-done, m.In-from)
		f(done, m.panel(row / panelWidth)[from*panelWidth+row%panelWidth:], part)
		done += part
	}
}

// panel returns panel p, [In][16].
func (m *Matrix) panel(p int) []float32 {
	size := m.In * panelWidth
	return m.panels[p*size : (p+1)*size]
}

// mustHaveOutputs panics unless from, ..., to-1 are outputs in whole panels.
func (m *Matrix) mustHaveOutputs(from, to int) {
	if from < 0 || from > to || to > m.Out || from%panelWidth != 0 || to%panelWidth != 0 && to != m.Out {
		panic(fmt.Sprintf("kernel: outputs %d to %d of a matrix of shape [%d, %d]", from, to, m.Out, m.In))
	}
}

func panelsOf(n int) int { return ceil(n, panelWidth) }

// mustHave panics where a slice is shorter than its shape: assembly would read beyond it.
func mustHave(what string, s []float32, n int) {
	if len(s) < n {
		panic(fmt.Sprintf("kernel: %s has %d values, its shape needs %d", what, len(s), n))
	}
}
