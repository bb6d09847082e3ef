package kernel

import (
	"unsafe"

	"parley/model/weights/quant"
)

// bf16Panels holds bfloat16 weights as pairs: word [i/2][16] of a panel has input i in its lower half and i+1 in its upper one,
// zero where that is beyond the last.
type bf16Panels struct {
	in    int
	words []uint32 // [panels][ceil(In/2)][16]
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
					*word = uint32(quant.ToBF16(v))
				} else {
					*word |= uint32(quant.ToBF16(v)) << 16
				}
			}
		}
	})
}

func (m *bf16Panels) row(dst []float32, out int) {
	panel, lane := m.panel(out/panelWidth), out%panelWidth
	for i := 0; i < len(dst); i += 2 {
		even, odd := fromPair(panel[i/2*panelWidth+lane])
		if dst[i] = even; i+1 < len(dst) {
			dst[i+1] = odd
		}
	}
}

func (m *bf16Panels) load(set *lowSet, dst []float32, p, first, n int) {
	words := m.panel(p)[first*panelWidth:][:n*panelWidth]
	if set.perPair == 1 {
		copy(dst, asFloats(words))
		return
	}
	set.spread(dst, words)
}

func (m *bf16Panels) direct(set *lowSet, p int) []float32 {
	if set.perPair == 2 {
		return nil
	}
	return m.operands(p)
}

// operands are the words from panel p on.
func (m *bf16Panels) operands(p int) []float32 {
	return asFloats(m.words[p*ceil(m.in, 2)*panelWidth:])
}

func (m *bf16Panels) steps(_, _ int) []float32 { return nil }

func (m *bf16Panels) bytes() int { return 4 * len(m.words) }

// asFloats are the words as the operands of a product, whose slices are of float32 whatever the words mean.
func asFloats(words []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}
