package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A storedCase is a product of a few rows with rows at, ..., at+depth-1 of panels in bfloat16, the last of which has some columns only.
type storedCase struct {
	rows, at, depth, columns int
	left, right              []float32 // [rows][depth], [at+depth][columns]
}

func newStoredCase(seed uint64, rows, at, depth, columns int) storedCase {
	rng := rand.New(rand.NewPCG(seed, 31))
	c := storedCase{rows, at, depth, columns, normal(rng, rows*depth), normal(rng, (at+depth)*columns)}
	if seed%4 == 0 { // sums that are denormal, and values that are
		for _, x := range [][]float32{c.left, c.right} {
			for i := range x {
				x[i] = float32(math.Ldexp(float64(x[i]), -60-rng.IntN(80)))
			}
		}
	}
	return c
}

func (c storedCase) panels() int { return ceil(c.columns, panelWidth) }

// garbage is room for so many rows in panels of bfloat16 that holds no numbers.
func garbage(rows, panels int) (s Stored, stride int) {
	rows = ceil(rows, 16) * 16
	s = StoredIn(make([]float32, rows*panels*panelWidth/2), true)
	for i := range s.BF16 {
		s.BF16[i] = 0x7fc1
	}
	return s, rows * panelWidth
}

// operand returns the left operand, rows lda words apart.
func (c storedCase) operand(k *Kernels, lda int) []float32 {
	a := make([]float32, c.rows*lda)
	for r := range c.rows {
		row := a[r*lda:][:c.depth:c.depth]
		copy(row, c.left[r*c.depth:])
		k.RoundLHS(row, row, c.at)
	}
	return a
}

// values computes the product over rows that [Kernels.PutRow] stored, in two parts that meet at row cut, added to ones.
func (c storedCase) values(t *testing.T, k *Kernels, cut int) []float32 {
	s, stride := garbage(c.at+c.depth, c.panels())
	order := rand.New(rand.NewPCG(uint64(cut), 3)).Perm(c.at + c.depth)
	for _, r := range order {
		k.PutRow(s, stride, r, c.right[r*c.columns:][:c.columns])
	}
	k.EndRows(s, stride, c.at+c.depth, c.columns)
	first, second := c, c
	first.depth, second.at, second.depth = cut, c.at+cut, c.depth-cut
	first.left, second.left = columnsOf(c.left, c.depth, 0, cut), columnsOf(c.left, c.depth, cut, c.depth)
	width := c.panels() * panelWidth
	out, check := fenced(t, ones(c.rows*width))
	for _, part := range []storedCase{first, second} {
		k.MulStored(out, width, part.operand(k, part.depth+3), part.depth+3, c.rows, part.at, part.depth, s, stride, c.panels(), true)
	}
	check()
	return columnsOf(out, width, 0, c.columns)
}

// keys computes the product with columns that [Kernels.TransposeStored] stored, each panel's in two parts: the case's right operand transposed.
func (c storedCase) keys(t *testing.T, k *Kernels) []float32 {
	depth := c.at + c.depth
	s, _ := garbage(depth, c.panels())
	turned := make([]float32, c.columns*depth)
	for r := range depth {
		for j := range c.columns {
			turned[j*depth+r] = c.right[r*c.columns+j]
		}
	}
	for j := 0; j < c.columns; j += panelWidth {
		n := min(panelWidth, c.columns-j)
		for _, part := range [][2]int{{0, n / 3}, {n / 3, n}} {
			k.TransposeStored(s.From(j*depth), part[0], turned[(j+part[0])*depth:], depth, part[1]-part[0], depth)
		}
	}
	width := c.panels() * panelWidth
	out, check := fenced(t, ones(c.rows*width))
	k.MulStored(out, width, c.operand(k, depth), depth, c.rows, c.at, c.depth, s, depth*panelWidth, c.panels(), false)
	check()
	return columnsOf(out, width, 0, c.columns)
}

// plain computes it one multiply-add after the other.
func (c storedCase) plain(start float32) []float32 {
	var out []float32
	for r := range c.rows {
		for j := range c.columns {
			sum := start
			for d := range c.depth {
				sum = lowMulAdd(roundBF16(c.left[r*c.depth+d]), roundBF16(c.right[(c.at+d)*c.columns+j]), sum)
			}
			out = append(out, sum)
		}
	}
	return out
}

// columnsOf copies columns from, ..., to-1 of rows of so many.
func columnsOf(x []float32, width, from, to int) []float32 {
	var out []float32
	for r := 0; r < len(x); r += max(width, 1) {
		out = append(out, x[r+from:r+to]...)
	}
	return out
}

func (c storedCase) check(t *testing.T, k *Kernels, cut int) {
	t.Helper()
	sameBits(t, "product with values", c.values(t, k, cut), c.plain(1))
	if (c.at+c.depth)%2 == 0 {
		sameBits(t, "product with keys", c.keys(t, k), c.plain(0))
	}
}

// TestMulStored: products with what is stored in bfloat16 are chains over the rounded values in their order, wherever they begin and are
// cut, with the same bits on every set; nothing is touched beside them, and nothing counts that was there before.
func TestMulStored(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		for i, rows := range []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 30} {
			for j, depth := range []int{1, 2, 7, 16, 33, 64} {
				for at := range 3 {
					c := newStoredCase(uint64(100*i+10*j+at), rows, at, depth, 1+(7*i+50*j+at)%130)
					c.check(t, k, (i+j)%(depth+1))
				}
			}
			for at := range 2 { // a text so long that four panels may go together
				newStoredCase(uint64(2000+2*i+at), rows, at, 259-at, 49+5*(i%4)).check(t, k, 20*i)
			}
		}
	}, 1)
}

func FuzzStored(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(1), uint16(5), uint8(2), uint8(2))
	f.Add(uint64(4), uint8(8), uint8(0), uint16(1), uint8(100), uint8(0))
	f.Add(uint64(3), uint8(13), uint8(5), uint16(64), uint8(33), uint8(64))
	f.Add(uint64(5), uint8(2), uint8(1), uint16(270), uint8(60), uint8(100)) // four panels that may go together
	f.Fuzz(func(t *testing.T, seed uint64, rows, at uint8, depth uint16, columns, cut uint8) {
		c := newStoredCase(seed, 1+int(rows%40), int(at%8), 1+int(depth%300), 1+int(columns%140))
		for _, name := range testSets() {
			k := open(t, name, 1)
			c.check(t, k, int(cut)%(c.depth+1))
			k.Close()
		}
	})
}

// Panels in float32 are multiplied as ever.
func TestMulStoredFloats(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(9, 9))
		const depth, panels, rows, room = 13, 3, 5, 16
		s := StoredIn(make([]float32, room*panels*panelWidth), false)
		values := normal(rng, room*40)
		for r := range room {
			k.PutRow(s, room*panelWidth, r, values[r*40:][:40])
		}
		a := normal(rng, rows*depth)
		got, want := make([]float32, rows*panels*panelWidth), make([]float32, rows*panels*panelWidth)
		k.MulStored(got, panels*panelWidth, a, depth, rows, 2, depth, s, room*panelWidth, panels, false)
		panel := make([]float32, panels*depth*panelWidth)
		for r := range depth {
			for j, v := range values[(2+r)*40:][:40] {
				panel[j/panelWidth*depth*panelWidth+r*panelWidth+j%panelWidth] = v
			}
		}
		k.MulPanels(want, panels*panelWidth, a, depth, rows, depth, panel, depth*panelWidth, panels, false)
		sameBits(t, "product", got, want)
	}, 1)
}

// Rows and columns that are copied to other places, the first of a pair to that of the second too, are the same as if they had been stored there.
func TestCopyStored(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rapid.Check(t, func(rt *rapid.T) {
			from, at := rapid.IntRange(0, 20).Draw(rt, "from"), rapid.IntRange(0, 20).Draw(rt, "at")
			n, bf16 := rapid.IntRange(0, 20).Draw(rt, "n"), rapid.Bool().Draw(rt, "bf16")
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
			x := normal(rng, (1+from+n)*panelWidth)
			row := func(r int) []float32 { return x[r*panelWidth:][:panelWidth] }
			rows := func() Stored { return StoredIn(make([]float32, 48*panelWidth), bf16) }
			source, want, got := rows(), rows(), rows()
			for r := range from + n {
				k.PutRow(source, 0, r, row(r))
			}
			for r := range at {
				k.PutRow(want, 0, r, row(0))
				k.PutRow(got, 0, r, row(0))
			}
			for r := range n {
				k.PutRow(want, 0, at+r, row(from+r))
			}
			k.CopyRows(got, at, source, from, n)
			sameStored(rt, "rows", got, want)

			width := 2 * rapid.IntRange(1, 40).Draw(rt, "pairs")
			from, at = from%panelWidth, at%panelWidth
			n = min(n, panelWidth-from, panelWidth-at)
			x = normal(rng, panelWidth*width)
			columns := func() Stored { return StoredIn(make([]float32, width*panelWidth), bf16) }
			source, want, got = columns(), columns(), columns()
			k.TransposeStored(source, 0, x, width, panelWidth, width)
			k.TransposeStored(want, at, x[from*width:], width, n, width)
			k.CopyColumns(got, at, source, from, n, width)
			sameStored(rt, "columns", got, want)
		})
	}, 1)
}

func sameStored(t *rapid.T, what string, a, b Stored) {
	t.Helper()
	if !slices.Equal(a.F32, b.F32) || !slices.Equal(a.BF16, b.BF16) {
		t.Fatalf("%s: %v, want %v", what, a, b)
	}
}

// RoundBF16 is the rounding of products of low precision, for every kind of number.
func TestRoundBF16(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(5, 6))
		for n := range 70 {
			x := make([]float32, n)
			for i := range x {
				x[i] = math.Float32frombits(rng.Uint32())
			}
			if n > 8 {
				copy(x, []float32{0, float32(math.Inf(1)), float32(math.NaN()), math.MaxFloat32, 1e-45, -1e-40, 1.00390625, 1.01171875})
			}
			got, check := fenced(t, x)
			k.RoundBF16(got)
			check()
			for i, v := range x {
				want := roundBF16(v)
				if math.Float32bits(got[i]) != math.Float32bits(want) && !(want != want && got[i] != got[i]) {
					t.Fatalf("%g is rounded to %g, want %g", v, got[i], want)
				}
			}
		}
	}, 1)
}
