package kernel

import (
	"testing"
	"unsafe"
)

// turn is what the assembly does with a walk in one turn of a tile's loop: it says which line is prefetched, if any.
func (w *lineWalk) turn() (line uintptr, asked bool) {
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

// TestPacedPrefetch checks that what follows each group of panels is prefetched while it is computed: all of it, and little else.
func TestPacedPrefetch(t *testing.T) {
	k := open(t, "generic", 1)
	const rows, in, out = 100, 64, 20 * panelWidth
	w := k.Pack(out, in, make([]float32, out*in))
	x := make([]float32, rows*in)
	p := k.newProduct(x, in, rows, in)
	defer p.free()
	p.paced = true
	p.parts = append(p.parts, part{c: make([]float32, rows*out), width: out, panels: w.panels})
	p.grid = newGrid(k, rows, panelsOf(out), in)

	s := &scratch{after: unit{0, rows, 8, 8}}
	g := panelGroup{&p.parts[0], unit{0, rows, 0, 8}, 0, in}
	var a pacedPrefetch
	p.pacePanels(&a, g, s)
	left, panels := map[uintptr]bool{}, map[uintptr]bool{}
	size := p.rowsAtOnce(g.part, rows)
	for row := 0; row < rows; row += size {
		p.paceRows(&a, g, row, s)
		for range loopTurns(min(size, rows-row), g.unit.panels, in) {
			takeTurn(left, &a.rows)
			takeTurn(panels, &a.panels)
		}
	}
	asked(t, "rows", left, x)
	asked(t, "panels", panels, w.panels[8*in*panelWidth:16*in*panelWidth])
}

// takeTurn does a turn of w, and keeps the line that it prefetches.
func takeTurn(lines map[uintptr]bool, w *lineWalk) {
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
