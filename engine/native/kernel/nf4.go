package kernel

import (
	"math/bits"

	"parley/model/weights/quant"
)

// nf4Panels holds the indices of [quant.NF4], and the absmax of each block as the second quantisation leaves it. Blocks of 64
// run on over the ends of rows, so a row that is no whole number of blocks begins within one.
type nf4Panels struct {
	out, in int
	codes   []uint32  // [panels][ceil(In/8)][16]: 8 inputs in a word, the first in the lowest bits
	scale   []float32 // [panels][nf4Scales(In)][16]: the blocks that a row touches

	done    int       // values coded
	pending []float32 // values after them: the beginning of a block
	absmax  []float32 // of the blocks coded, until all are there
}

const (
	nf4Word  = 8       // inputs in a word of codes
	nf4Piece = 1 << 14 // values that one thread codes at a time
)

// nf4Scales is the most blocks that a row of in values touches.
func nf4Scales(in int) int {
	if in%quant.NF4Block == 0 {
		return in / quant.NF4Block
	}
	return (in+quant.NF4Block-2)/quant.NF4Block + 1
}

func nf4Bytes(padded, in int) int { return 4 * padded * (ceil(in, nf4Word) + nf4Scales(in)) }

func newNF4Panels(out, in int, mem []byte) *nf4Panels {
	scales := 4 * panelsOf(out) * panelWidth * nf4Scales(in)
	return &nf4Panels{out: out, in: in, codes: as[uint32](mem[scales:]), scale: as[float32](mem[:scales])}
}

// word is where the word of an input of an output is.
func (m *nf4Panels) word(out, i int) int {
	return (out/panelWidth*ceil(m.in, nf4Word)+i/nf4Word)*panelWidth + out%panelWidth
}

// scaleAt is where the scale of an input of an output is.
func (m *nf4Panels) scaleAt(out, i int) int {
	block := (out*m.in+i)/quant.NF4Block - out*m.in/quant.NF4Block
	return (out/panelWidth*nf4Scales(m.in)+block)*panelWidth + out%panelWidth
}

// even says whether rows are whole numbers of blocks.
func (m *nf4Panels) even() bool { return m.in%quant.NF4Block == 0 }

func (m *nf4Panels) pack(k *Kernels, from int, w []float32) {
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
	absmax := make([]float32, ceil(whole, quant.NF4Block))
	piece := whole // pieces of uneven rows share words
	if m.even() {
		piece = nf4Piece
	}
	k.Run(ceil(whole, max(piece, 1)), func(i int) {
		lo, hi := i*piece, min(whole, (i+1)*piece)
		m.encode(absmax[lo/quant.NF4Block:], m.done+lo, w[lo:hi])
	})
	m.done += whole
	m.pending = append([]float32(nil), w[whole:]...)
	m.absmax = append(m.absmax, absmax...)
	if last {
		m.finish()
	}
}

// encode sets the codes of the values w from position at on, and their absmaxs.
func (m *nf4Panels) encode(absmax []float32, at int, w []float32) {
	q := quant.QuantizeNF4(w, false)
	copy(absmax, q.Scale.Plain)
	for i := 0; i < len(w); {
		out, in := (at+i)/m.in, (at+i)%m.in
		for end := min(len(w), i+m.in-in); i < end; i, in = i+1, in+1 {
			index := q.Packed[i/2] >> (4 * (1 - i%2)) & 15
			m.codes[m.word(out, in)] |= uint32(index) << (in % nf4Word * 4)
		}
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
	return nf4Value(m.codes[m.word(out, i)], i, m.scale[m.scaleAt(out, i)])
}

// nf4Value is the value of input i in its word.
func nf4Value(word uint32, i int, scale float32) float32 {
	return quant.NF4Level(byte(bits.RotateLeft32(word, -(i%nf4Word*4)))) * scale
}

func (m *nf4Panels) row(dst []float32, out int) {
	for i := range dst {
		dst[i] = m.value(out, i)
	}
}

// load takes the inputs of one block of 64 at a time, which have the same scales.
func (m *nf4Panels) load(set *lowSet, dst []float32, p, first, n int) {
	const pairs = quant.NF4Block / 2
	if !m.even() {
		m.loadUneven(set, dst, p, first, n)
		return
	}
	for n > 0 {
		take := min(n, pairs-first%pairs)
		scale := m.scale[(p*nf4Scales(m.in)+first/pairs)*panelWidth:][:panelWidth]
		set.nf4(dst, m.codes[m.word(p*panelWidth, 2*first):][:2*take/nf4Word*panelWidth], scale)
		dst, first, n = dst[take*set.perPair*panelWidth:], first+take, n-take
	}
}

// loadUneven takes value by value.
func (m *nf4Panels) loadUneven(set *lowSet, dst []float32, p, first, n int) {
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

func (m *nf4Panels) bytes() int { return 4 * (len(m.codes) + len(m.scale)) }

// genericNF4 widens rows of words of 16 outputs, the odd elements first.
func genericNF4(dst []float32, codes []uint32, scale []float32) {
	for at, word := range codes {
		lane := at % panelWidth
		for i := range nf4Word {
			dst[at/panelWidth*nf4Word*panelWidth+(i^1)*panelWidth+lane] = roundBF16(nf4Value(word, i, scale[lane]))
		}
	}
}
