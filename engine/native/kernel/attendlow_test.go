package kernel

import (
	"math/rand/v2"
	"testing"
)

// A pairCase is two products of the way back of attention: [rows, depth]·[depth, 16·panels], and the outer product of [depth, rows]
// and [depth, 16·panels], in float32 before they are rounded.
type pairCase struct {
	rows, depth, panels int
	left, right, above  []float32 // [rows][depth], [depth][16·panels], [depth][rows]
}

func newPairCase(seed uint64, rows, depth, panels int) pairCase {
	rng := rand.New(rand.NewPCG(seed, 21))
	return pairCase{rows, depth, panels, normal(rng, rows*depth), normal(rng, depth*panels*panelWidth), normal(rng, depth*rows)}
}

// run computes both, added to a start of ones.
func (c pairCase) run(t *testing.T, k *Kernels) (mul, outer []float32) {
	words, pair, width := k.PairWords(c.depth), k.PairWords(2), c.panels*panelWidth
	left, right, above := make([]float32, c.rows*words), make([]float32, words*width), make([]float32, words*c.rows)
	for r := range c.rows {
		k.RoundPairs(left[r*words:], c.left[r*c.depth:][:c.depth])
	}
	for d := 0; d < c.depth; d += 2 {
		k.RoundRowPairs(right[d/2*pair*width:], width, c.rowOf(c.right, d, width), c.rowOf(c.right, d+1, width))
		k.RoundRowPairs(above[d/2*pair*c.rows:], c.rows, c.rowOf(c.above, d, c.rows), c.rowOf(c.above, d+1, c.rows))
	}
	panels := make([]float32, len(right))
	for p := range c.panels {
		copyRows(panels[p*words*panelWidth:], panelWidth, right[p*panelWidth:], width, words, panelWidth)
	}
	mul, checkMul := fenced(t, ones(c.rows*width))
	outer, checkOuter := fenced(t, ones(c.rows*width))
	k.MulPairs(mul, width, left, words, c.rows, words, panels, words*panelWidth, c.panels, true)
	k.OuterPairs(outer, width, above, c.rows, c.rows, words, right, width, c.panels)
	checkMul()
	checkOuter()
	return mul, outer
}

// rowOf returns row d, or zeros behind the last one.
func (c pairCase) rowOf(x []float32, d, width int) []float32 {
	if d == c.depth {
		return make([]float32, width)
	}
	return x[d*width:][:width]
}

func ones(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

func (c pairCase) check(t *testing.T, mul, outer []float32) {
	width := c.panels * panelWidth
	right := func(j int) func(d int) float32 { return func(d int) float32 { return roundBF16(c.right[d*width+j]) } }
	for at := range mul {
		r, j := at/width, at%width
		chain(1, c.depth, func(d int) float32 { return roundBF16(c.left[r*c.depth+d]) }, right(j)).within(t, mul[at], c.depth, "product", c.rows, c.depth, at)
		chain(1, c.depth, func(d int) float32 { return roundBF16(c.above[d*c.rows+r]) }, right(j)).within(t, outer[at], c.depth, "outer product", c.rows, c.depth, at)
	}
}

// TestPairs: products of pairs are those of the rounded operands, with the same bits on every set.
func TestPairs(t *testing.T) {
	plain := open(t, "generic", 1)
	eachSet(t, func(t *testing.T, k *Kernels) {
		for i, rows := range []int{1, 2, 5, 11, 12, 13, 25, 48} {
			for j, depth := range []int{1, 2, 7, 15, 16, 33, 64} {
				c := newPairCase(uint64(100*i+j), rows, depth, 1+(i+j)%4)
				c.compare(t, plain, k)
			}
		}
	}, 1)
}

func (c pairCase) compare(t *testing.T, plain, k *Kernels) {
	wantMul, wantOuter := c.run(t, plain)
	mul, outer := c.run(t, k)
	c.check(t, mul, outer)
	sameBits(t, "product of pairs", mul, wantMul)
	sameBits(t, "outer product of pairs", outer, wantOuter)
}

func FuzzPairs(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(5), uint8(2))
	f.Add(uint64(2), uint8(0), uint8(1), uint8(1))
	f.Add(uint64(3), uint8(13), uint8(0), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, rows, depth, panels uint8) {
		c := newPairCase(seed, 1+int(rows%60), 1+int(depth%100), 1+int(panels%5))
		plain := open(t, "generic", 1)
		for _, name := range testSets()[1:] {
			k := open(t, name, 1)
			c.compare(t, plain, k)
			k.Close()
		}
		plain.Close()
	})
}
