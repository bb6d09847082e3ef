package kernel

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// turn is what the assembly does with a walk in one turn of a tile's loop: it says which line is asked for, if any.
func (w *walk) turn() (line uintptr, asked bool) {
	w.sum += w.rate
	if asked = w.sum>>32 > 0; asked {
		w.sum &= 1<<32 - 1
		line = w.at
		if w.at += cacheLine; w.at >= w.end {
			w.at += w.gap
			w.end += w.stride
		}
	}
	return line, asked
}

// TestTilesAskEvenly compares tiles that ask evenly with the ones that do not, and with what their walks should have done.
func TestTilesAskEvenly(t *testing.T) {
	if _, ok := sets()["avx512"]; !ok {
		t.Log("this processor lacks AVX-512: nothing to compare")
		return
	}
	rapid.Check(t, func(t *rapid.T) {
		rows, depth := rapid.IntRange(1, 50).Draw(t, "rows"), rapid.IntRange(0, 70).Draw(t, "depth")
		lda, ldc := depth+rapid.IntRange(0, 3).Draw(t, "lda"), 2*panelWidth+rapid.IntRange(0, 3).Draw(t, "ldc")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := block{a: normal(rng, rows*lda+1), b: normal(rng, 2*(depth+1)*panelWidth), c: normal(rng, rows*ldc+2*panelWidth)}
		b.lda, b.ldc, b.ldb, b.depth, b.rows, b.panels, b.accumulate = lda, ldc, (depth+1)*panelWidth, depth, rows, 2, rapid.Bool().Draw(t, "accumulate")
		plain := b
		plain.c = append([]float32(nil), b.c...)
		plain.two(false, 0)

		next := make([]float32, 4096)
		b.asks = &asks{distance: uintptr(4 * ldc)}
		for _, w := range []*walk{&b.asks.rows, &b.asks.panels} {
			*w = walkRows(next, rapid.IntRange(0, 8).Draw(t, "lines"), rapid.IntRange(1, 200).Draw(t, "words"), 512, rapid.IntRange(0, 60).Draw(t, "turns"))
		}
		want := *b.asks
		tiles := (rows + tileRows - 1) / tileRows
		for range tiles * (depth / 4) {
			want.rows.turn()
			want.panels.turn()
		}
		b.two(false, 0)
		sameBits(t, "results", b.c, plain.c)
		if b.asks.rows != want.rows || b.asks.panels != want.panels {
			t.Fatalf("asked up to %+v, want %+v", b.asks, want)
		}
	})
}

// TestAsksOfAProduct checks that what follows each group of panels is asked for while it is computed: all of it, and little else.
func TestAsksOfAProduct(t *testing.T) {
	k := open(t, "generic", 1)
	const rows, in, out = 100, 64, 20 * panelWidth
	w := k.Pack(out, in, make([]float32, out*in))
	x := make([]float32, rows*in)
	p := k.newProduct(x, in, rows, in)
	defer p.free()
	p.evenly = true
	p.parts = append(p.parts, part{c: make([]float32, rows*out), width: out, panels: w.panels})
	p.grid = newGrid(k, rows, panelsOf(out), in)

	s := &scratch{after: unit{0, rows, 8, 8}}
	g := group{&p.parts[0], unit{0, rows, 0, 8}, 0, in}
	var a asks
	p.askFor(&a, g, s)
	left, panels := map[uintptr]bool{}, map[uintptr]bool{}
	size := p.rowsAtOnce(g.part, rows)
	for row := 0; row < rows; row += size {
		p.askForRows(&a, g, row, s)
		for range turnsOf(min(size, rows-row), g.unit.panels, in) {
			takeTurn(left, &a.rows)
			takeTurn(panels, &a.panels)
		}
	}
	asked(t, "rows", left, x)
	asked(t, "panels", panels, w.panels[8*in*panelWidth:16*in*panelWidth])
}

// takeTurn does a turn of w, and keeps the line that it asks for.
func takeTurn(lines map[uintptr]bool, w *walk) {
	if line, ok := w.turn(); ok {
		lines[line] = true
	}
}

// asked fails unless the lines are those of words.
func asked(t *testing.T, what string, lines map[uintptr]bool, words []float32) {
	t.Helper()
	missing := 0
	for at := 0; at < len(words); at += cacheLine / 4 {
		if !lines[uintptr(unsafe.Pointer(&words[at]))] {
			missing++
		}
	}
	want := len(words) / (cacheLine / 4)
	if missing > want/50 || len(lines) > want+want/20 {
		t.Errorf("%s: of %d lines %d are not asked for, %d lines are", what, want, missing, len(lines))
	}
}
