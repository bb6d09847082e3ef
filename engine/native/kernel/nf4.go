package kernel

import "parley/weights/quant"

// nf4Panels holds the indices of [quant.NF4], and the absmax of each block as the second quantisation leaves it. Blocks of 64
// run on over the ends of rows, so a row that is no whole number of blocks begins within one.
type nf4Panels struct {
	out, in int
	codes   []byte    // [panels][ceil(In/2)][16]: the even input in the lower half
	scale   []float32 // [panels][nf4Scales(In)][16]: the blocks that a row touches

	done    int       // values coded
	pending []float32 // values after them: the beginning of a block
	absmax  []float32 // of the blocks coded, until all are there
}

// nf4Scales is the most blocks that a row of in values touches.
func nf4Scales(in int) int {
	if in%quant.NF4Block == 0 {
		return in / quant.NF4Block
	}
	return (in+quant.NF4Block-2)/quant.NF4Block + 1
}

func newNF4Panels(out, in int, mem []byte) *nf4Panels {
	scales := 4 * panelsOf(out) * panelWidth * nf4Scales(in)
	return &nf4Panels{out: out, in: in, codes: mem[scales:], scale: as[float32](mem[:scales])}
}

// code is where the index of an input of an output is, and by how much it is shifted.
func (m *nf4Panels) code(out, i int) (at, shift int) {
	return (out/panelWidth*ceil(m.in, 2)+i/2)*panelWidth + out%panelWidth, i % 2 * 4
}

// scaleAt is where the scale of an input of an output is.
func (m *nf4Panels) scaleAt(out, i int) int {
	block := (out*m.in+i)/quant.NF4Block - out*m.in/quant.NF4Block
	return (out/panelWidth*nf4Scales(m.in)+block)*panelWidth + out%panelWidth
}

func (m *nf4Panels) pack(_ *Kernels, from int, w []float32) {
	if from*m.in != m.done+len(m.pending) {
		panic("kernel: the rows of an NF4 matrix must come in order")
	}
	last := from*m.in+len(w) == m.out*m.in
	if len(m.pending) > 0 {
		w = append(m.pending, w...)
	}
	whole := len(w) / quant.NF4Block * quant.NF4Block
	if last {
		whole = len(w)
	}
	q := quant.QuantizeNF4(w[:whole], false)
	for i := range whole {
		out, in := (m.done+i)/m.in, (m.done+i)%m.in
		at, shift := m.code(out, in)
		m.codes[at] |= q.Packed[i/2] >> (4 * (1 - i%2)) & 15 << shift
	}
	m.done += whole
	m.pending = append([]float32(nil), w[whole:]...)
	m.absmax = append(m.absmax, q.Scale.Plain...)
	if last {
		m.finish()
	}
}

// finish sets the scales when all rows are there.
func (m *nf4Panels) finish() {
	a := quant.QuantizeAbsmaxs(m.absmax)
	m.absmax, m.pending = nil, nil
	for out := range m.out {
		begin := out * m.in
		for b := begin / quant.NF4Block; b*quant.NF4Block < begin+m.in; b++ {
			m.scale[m.scaleAt(out, max(0, b*quant.NF4Block-begin))] = a.At(b)
		}
	}
}

func (m *nf4Panels) value(out, i int) float32 {
	at, shift := m.code(out, i)
	return quant.NF4Level(m.codes[at]>>shift) * m.scale[m.scaleAt(out, i)]
}

func (m *nf4Panels) row(dst []float32, out int) {
	for i := range dst {
		dst[i] = m.value(out, i)
	}
}

func (m *nf4Panels) load(set *lowSet, dst []float32, p, first, n int) {
	for i := range n {
		at := 2 * (first + i)
		for lane := range panelWidth {
			out, odd := p*panelWidth+lane, float32(0)
			if at+1 < m.in {
				odd = roundBF16(m.value(out, at+1))
			}
			set.store(dst, i, lane, roundBF16(m.value(out, at)), odd)
		}
	}
}

func (m *nf4Panels) direct(*lowSet, int) []float32 { return nil }

func (m *nf4Panels) steps(_, _ int) []float32 { return nil }

func (m *nf4Panels) bytes() int { return len(m.codes) + 4*len(m.scale) }
