package kernel

import "fmt"

// panelWidth is the number of outputs of one panel: two AVX2 vectors or one AVX-512 vector.
const panelWidth = 16

// packWork is the number of weights that one thread packs at a time.
const packWork = 1 << 16

// A Matrix is a weight matrix W[Out][In] in the layout that the products read: panels of 16 outputs, in each the words
// [in][16], the outputs of the last panel padded with zeros. Panels follow each other, so a product with few rows reads the
// weights as one linear stream.
type Matrix struct {
	Out, In int
	panels  []float32 // [ceil(Out/16)][In][16]
}

// Pack returns the matrix of w [out, in], row-major as checkpoints have it. w is not kept.
func (k *Kernels) Pack(out, in int, w []float32) *Matrix {
	if out < 0 || in < 0 {
		panic(fmt.Sprintf("kernel: a matrix of shape [%d, %d]", out, in))
	}
	m := &Matrix{Out: out, In: in, panels: make([]float32, panelsOf(out)*panelWidth*in)}
	k.Repack(m, w)
	return m
}

// Repack replaces the values of m by w [m.Out, m.In], row-major, in place.
func (k *Kernels) Repack(m *Matrix, w []float32) {
	mustHave("packed matrix", w, m.Out*m.In)
	panels := panelsOf(m.Out)
	perUnit := max(1, packWork/(panelWidth*max(1, m.In)))
	k.Run(ceil(panels, perUnit), func(i int) {
		for p := i * perUnit; p < min(panels, (i+1)*perUnit); p++ {
			first := p * panelWidth
			k.set.pack(m.panel(p), w[first*m.In:], m.In, min(panelWidth, m.Out-first))
		}
	})
}

// panel returns panel p, [In][16].
func (m *Matrix) panel(p int) []float32 {
	size := m.In * panelWidth
	return m.panels[p*size : (p+1)*size]
}

func panelsOf(n int) int { return ceil(n, panelWidth) }

// mustHave panics where a slice is shorter than its shape: assembly would read beyond it.
func mustHave(what string, s []float32, n int) {
	if len(s) < n {
		panic(fmt.Sprintf("kernel: %s has %d values, its shape needs %d", what, len(s), n))
	}
}
