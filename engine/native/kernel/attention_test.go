package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTransposeRows: any number of rows up to a panel, of any width, lying apart; other columns stay as they are.
func TestTransposeRows(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, width := range []int{1, 7, 8, 9, 15, 16, 17, 24, 64, 65, 80} {
			for n := 1; n <= panelWidth; n++ {
				stride := width + n%3*5
				rows, before := normal(rng, (n-1)*stride+width), normal(rng, width*panelWidth)
				panel, check := fenced(t, before)
				k.TransposeRows(panel, rows, stride, n, width)
				check()
				for at, v := range panel {
					w, r := at/panelWidth, at%panelWidth
					want := before[at]
					if r < n {
						want = rows[r*stride+w]
					}
					if v != want {
						t.Fatalf("width %d, %d rows: word %d of row %d is %g, want %g", width, n, w, r, v, want)
					}
				}
			}
		}
	}, 1)
}

// An attentionCase is a block of queries over keys and values in panels, and the sizes of both.
type attentionCase struct {
	rows, keys, d, wide    int
	q, turned, values, dov []float32
}

func drawAttention(t *rapid.T) attentionCase {
	a := attentionCase{
		rows: rapid.IntRange(1, 50).Draw(t, "rows"), keys: rapid.IntRange(1, 80).Draw(t, "keys"),
		d: rapid.IntRange(1, 70).Draw(t, "d"),
	}
	a.wide = panelsOf(a.d) * panelWidth
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	a.q, a.dov = normal(rng, a.rows*a.wide), normal(rng, a.rows*a.wide)
	a.turned, a.values = normal(rng, panelsOf(a.keys)*panelWidth*a.d), normal(rng, a.wide*a.keys)
	return a
}

// run computes scores, weights, the weighted sum and a gradient of the keys, for the given rows at a time.
func (a attentionCase) run(k *Kernels, step int) (scores, out, grad []float32) {
	width := panelsOf(a.keys) * panelWidth
	scores, out, grad = make([]float32, a.rows*width), make([]float32, a.rows*a.wide), make([]float32, a.keys*a.wide)
	for r := 0; r < a.rows; r += step {
		n := min(step, a.rows-r)
		s, o := scores[r*width:], out[r*a.wide:]
		k.MulPanels(s, width, a.q[r*a.wide:], a.wide, n, a.d, a.turned, a.d*panelWidth, panelsOf(a.keys), false)
		for i := range n {
			k.SoftmaxSum(s[i*width:][:a.keys])
		}
		k.MulPanels(o, a.wide, s, width, n, a.keys, a.values, a.keys*panelWidth, a.wide/panelWidth, true)
		k.OuterPanels(grad, a.wide, s, width, a.keys, n, a.dov[r*a.wide:], a.wide, a.wide/panelWidth)
	}
	return scores, out, grad
}

// TestAttentionBlocks: queries one at a time give the bits of a block, and both are right.
func TestAttentionBlocks(t *testing.T) {
	for _, name := range testSets() {
		k := open(t, name, 1)
		rapid.Check(t, func(rt *rapid.T) {
			a := drawAttention(rt)
			scores, out, grad := a.run(k, a.rows)
			_, out1, grad1 := a.run(k, rapid.IntRange(1, 5).Draw(rt, "step"))
			sameBits(rt, name+": weighted sum", out1, out)
			sameBits(rt, name+": gradient", grad1, grad)
			a.check(t, scores, out, grad)
		})
	}
}

func (a attentionCase) check(t *testing.T, weights, out, grad []float32) {
	t.Helper()
	width := panelsOf(a.keys) * panelWidth
	for at, v := range out {
		r, i := at/a.wide, at%a.wide
		want := chain(0, a.keys, func(j int) float32 { return weights[r*width+j] },
			func(j int) float32 { return a.values[i/panelWidth*a.keys*panelWidth+j*panelWidth+i%panelWidth] })
		want.within(t, v, a.keys, "weighted sum", a.rows, a.keys, a.d, at)
	}
	for at, v := range grad {
		j, i := at/a.wide, at%a.wide
		want := chain(0, a.rows, func(r int) float32 { return weights[r*width+j] }, func(r int) float32 { return a.dov[r*a.wide+i] })
		want.within(t, v, a.rows, "gradient", a.rows, a.keys, a.d, at)
	}
}

// TestMulPanelsContinues: keys spread over several calls give the bits of one call.
func TestMulPanelsContinues(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(17, 18))
		const n, rows = 9, 3
		p, values, out := normal(rng, rows*n), normal(rng, n*panelWidth), normal(rng, rows*panelWidth)
		for cut := range n {
			whole, parts := slices.Clone(out), slices.Clone(out)
			k.MulPanels(whole, panelWidth, p, n, rows, n, values, 0, 1, true)
			k.MulPanels(parts, panelWidth, p, n, rows, cut, values, 0, 1, true)
			k.MulPanels(parts, panelWidth, p[cut:], n, rows, n-cut, values[cut*panelWidth:], 0, 1, true)
			sameBits(t, "weighted sum in two calls", whole, parts)
		}
	}, 1)
}
