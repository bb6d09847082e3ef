package kernel

import "parley/model/weights/quant"

// int8Panels holds the integers of [quant.Int8] and, for each output, the step that they are multiples of. Integers to 127 are
// exact in bfloat16: a product is that with the integers, times the step.
//
// A code has its sign in the highest bit and the magnitude below. Blocks of 64 codes are 4 inputs of 16 outputs: quarter q has
// outputs 4q to 4q+3, of each the first two inputs, then of each the other two. So a block becomes two rows of pairs without
// leaving its quarters.
type int8Panels struct {
	in    int
	codes []byte    // [panels][ceil(In/4)][64]
	step  []float32 // [panels][16]
}

// int8Block is the number of codes of a block.
const int8Block = 4 * panelWidth

func newInt8Panels(out, in int, mem []byte) *int8Panels {
	steps := 4 * panelsOf(out) * panelWidth
	return &int8Panels{in, mem[steps:], as[float32](mem[:steps])}
}

func (m *int8Panels) panelBytes() int { return ceil(m.in, 4) * int8Block }

func (m *int8Panels) panel(p int) []byte {
	return m.codes[p*m.panelBytes():][:m.panelBytes()]
}

// int8At is where the code of an input is in its panel.
func int8At(i, lane int) int { return i/4*int8Block + lane/4*16 + i%4/2*8 + lane%4*2 + i%2 }

func (m *int8Panels) pack(k *Kernels, from int, w []float32) {
	k.eachPanel(m.in, len(w)/max(1, m.in), func(p, first, n int) {
		p += from / panelWidth
		q := quant.QuantizeInt8(n, m.in, w[first*m.in:][:n*m.in])
		panel := m.panel(p)
		for lane := range n {
			m.step[p*panelWidth+lane] = q.Absmax[lane] / 127
			for i, v := range q.Q[lane*m.in:][:m.in] {
				panel[int8At(i, lane)] = int8Code(v)
			}
		}
	})
}

func int8Code(v int8) byte {
	if v < 0 {
		return 0x80 | byte(-v)
	}
	return byte(v)
}

func int8Value(code byte) float32 {
	v := float32(code & 0x7f)
	if code&0x80 != 0 {
		return -v
	}
	return v
}

func (m *int8Panels) row(dst []float32, out int) {
	panel, lane := m.panel(out/panelWidth), out%panelWidth
	for i := range dst {
		dst[i] = int8Value(panel[int8At(i, lane)]) * m.step[out]
	}
}

func (m *int8Panels) load(set *lowSet, dst []float32, p, first, n int) {
	set.int8(dst, m.panel(p)[first/2*int8Block:], n)
}

// codesFrom are the codes from a pair of inputs of a panel on, in words.
func (m *int8Panels) codesFrom(panel, pair int) []float32 {
	return as[float32](m.panel(panel)[pair/2*int8Block:])
}

func (m *int8Panels) direct(*lowSet, int) []float32 { return nil }

func (m *int8Panels) steps(from, to int) []float32 { return m.step[from:to] }

func (m *int8Panels) bytes() int { return len(m.codes) + 4*len(m.step) }

// An int8Stream multiplies few rows with the panels from first on.
type int8Stream struct {
	set   *lowSet
	w     *int8Panels
	first int
}

func (t int8Stream) multiply(b block, panel int) {
	t.set.int8Few(b, t.w.codes[(t.first+panel)*t.w.panelBytes():], t.w.panelBytes())
}

// genericInt8 widens n pairs of 16 outputs, the odd elements first.
func genericInt8(dst []float32, codes []byte, n int) {
	for i := range 2 * n {
		for lane := range panelWidth {
			dst[(i^1)*panelWidth+lane] = int8Value(codes[int8At(i, lane)])
		}
	}
}
