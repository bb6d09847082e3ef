package kernel

import (
	"math"

	"parley/weights/half"
)

// bf16Panels holds bfloat16 weights as pairs: word [i/2][16] of a panel has input i in its lower half and i+1 in its upper one,
// zero where that is beyond the last.
type bf16Panels struct {
	in    int
	words []uint32 // [panels][ceil(In/2)][16]
}

func newBF16Panels(out, in int) *bf16Panels {
	return &bf16Panels{in, make([]uint32, panelsOf(out)*panelWidth*ceil(in, 2))}
}

func (m *bf16Panels) panel(p int) []uint32 {
	size := ceil(m.in, 2) * panelWidth
	return m.words[p*size : (p+1)*size]
}

func (m *bf16Panels) pack(k *Kernels, from int, w []float32) {
	k.eachPanel(m.in, len(w)/max(1, m.in), func(p, first, n int) {
		panel := m.panel(from/panelWidth + p)
		for lane := range n {
			row := w[(first+lane)*m.in:][:m.in]
			for i, v := range row {
				word := &panel[i/2*panelWidth+lane]
				if i%2 == 0 {
					*word = uint32(half.ToBF16(v))
				} else {
					*word |= uint32(half.ToBF16(v)) << 16
				}
			}
		}
	})
}

func (m *bf16Panels) row(dst []float32, out int) {
	panel, lane := m.panel(out/panelWidth), out%panelWidth
	for i := range dst {
		dst[i] = fromPair(panel[i/2*panelWidth+lane], i)
	}
}

func (m *bf16Panels) widen(dst []float32, p, first, n int) {
	panel := m.panel(p)
	for i := range n {
		for lane, word := range panel[(first+i)/2*panelWidth:][:panelWidth] {
			dst[i*panelWidth+lane] = fromPair(word, first+i)
		}
	}
}

func (m *bf16Panels) steps(int) []float32 { return nil }

func (m *bf16Panels) bytes() int { return 4 * len(m.words) }

// fromPair is the value of input i in its word.
func fromPair(word uint32, i int) float32 {
	if i%2 == 0 {
		return math.Float32frombits(word << 16)
	}
	return math.Float32frombits(word &^ 0xffff)
}

// roundBF16 rounds v to bfloat16 as the processor's conversion does: ties to even, denormal values to zero.
func roundBF16(v float32) float32 { return half.FromBF16(half.ToBF16(flush(v))) }

// flush makes a denormal value a zero of its sign.
func flush(v float32) float32 {
	if b := math.Float32bits(v); b&0x7f800000 == 0 {
		return math.Float32frombits(b & (1 << 31))
	}
	return v
}
