package kernel

import "parley/weights/quant"

// int8Panels holds the integers of [quant.Int8] and, for each output, the step that they are multiples of. Integers to 127 are
// exact in bfloat16: a product is that with the integers, times the step.
type int8Panels struct {
	in    int
	codes []int8    // [panels][In][16]
	step  []float32 // [panels][16]
}

func newInt8Panels(out, in int, mem []byte) *int8Panels {
	steps := 4 * panelsOf(out) * panelWidth
	return &int8Panels{in, as[int8](mem[steps:]), as[float32](mem[:steps])}
}

func (m *int8Panels) panel(p int) []int8 {
	size := m.in * panelWidth
	return m.codes[p*size : (p+1)*size]
}

func (m *int8Panels) pack(k *Kernels, from int, w []float32) {
	k.eachPanel(m.in, len(w)/max(1, m.in), func(p, first, n int) {
		p += from / panelWidth
		q := quant.QuantizeInt8(n, m.in, w[first*m.in:][:n*m.in])
		panel := m.panel(p)
		for lane := range n {
			m.step[p*panelWidth+lane] = q.Absmax[lane] / 127
			for i, code := range q.Q[lane*m.in:][:m.in] {
				panel[i*panelWidth+lane] = code
			}
		}
	})
}

func (m *int8Panels) row(dst []float32, out int) {
	panel, lane := m.panel(out/panelWidth), out%panelWidth
	for i := range dst {
		dst[i] = float32(panel[i*panelWidth+lane]) * m.step[out]
	}
}

func (m *int8Panels) load(set *lowSet, dst []float32, p, first, n int) {
	panel := m.panel(p)
	for i := range n {
		even := panel[2*(first+i)*panelWidth:]
		for lane := range panelWidth {
			odd := float32(0)
			if 2*(first+i)+1 < m.in {
				odd = float32(even[panelWidth+lane])
			}
			set.store(dst, i, lane, float32(even[lane]), odd)
		}
	}
}

func (m *int8Panels) direct(*lowSet, int) []float32 { return nil }

func (m *int8Panels) steps(from, to int) []float32 { return m.step[from:to] }

func (m *int8Panels) bytes() int { return len(m.codes) + 4*len(m.step) }
