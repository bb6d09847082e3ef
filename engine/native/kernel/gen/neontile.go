package main

import "fmt"

// A neonTile is rows × panels·16 elements of a result, held in registers over the whole depth of a block.
type neonTile struct {
	neon
	rows, panels int
	kind
}

const (
	neonVectors = 32
	neonWidth   = 16 // bytes of a vector
	neonUnroll  = 4  // steps of depth: the words of a vector of a
)

// plan is the register plan of a product with the tile t or, where it is swept, with tiles of at most its rows.
func (t neonTile) plan(swept bool) string {
	last, _ := t.left(t.rows-1, 0)
	lhsWords := t.rows * t.perRow()
	right := "panels of b"
	if t.kind == outer {
		right = "rows of b"
	}
	plan := "R0 c, R1 a, R2 b; R3, R4, R5 bytes between rows of c, rows of a and " + right + "; R6 depth, R7 rows left; "
	if swept {
		plan += "R8 rows of the next tile; "
	}
	if t.kind == outer {
		plan += "rows of c at " + span("R", 9, t.rows) + ", a at R9, b at R19; R15 counts, R26 scratch. "
	} else {
		plan += "rows of a or c at " + span("R", 9, t.rows) + ", panels of b at " + span("R", 19, t.panels) + "; R15 counts; R23 accumulate, R24 flush, R25 FPCR as it was, R26 scratch. "
	}
	plan += span("V", 0, lhsWords) + " c, " + span("V", lhsWords, last+1-lhsWords) + " a, " + span("V", last+1, min(t.perRow(), t.rightVectors())) + " b"
	if swept {
		plan += fewerRows
	}
	return plan
}

func (t neonTile) perRow() int { return t.panels * panelBytes / neonWidth }

func (t neonTile) acc(row, v int) int { return row*t.perRow() + v }

// left is the vector that holds what row r is multiplied with, and where in it, u steps of depth ahead.
func (t neonTile) left(r, u int) (v, lane int) {
	first := t.rows * t.perRow()
	if t.kind == outer {
		return first + r/4, r % 4
	}
	return first + r, u
}

// right is the vector for vector v of b.
func (t neonTile) right(v int) int {
	first, _ := t.left(t.rows-1, 0)
	return first + 1 + v%t.rightVectors()
}

// rightVectors is how many vectors take turns in holding b.
func (t neonTile) rightVectors() int {
	last, _ := t.left(t.rows-1, 0)
	return min(8, (neonVectors-last-1)&^1)
}

func neonWalker(r int) string { return fmt.Sprintf("R%d", 9+r) }
func neonPanel(p int) string  { return fmt.Sprintf("R%d", 19+p) }

// walk points the walkers at rows of what starts at from.
func (t neonTile) walk(from, stride string) {
	t.op("MOVD %s, %s", from, neonWalker(0))
	for r := 1; r < t.rows; r++ {
		t.op("ADD %s, %s, %s", stride, neonWalker(r-1), neonWalker(r))
	}
}

// eachResult calls f for each two vectors of the tile and the memory that belongs to them; the walkers point at c.
func (t neonTile) eachResult(f func(v int, mem string)) {
	for r := range t.rows {
		for v := 0; v < t.perRow(); v += 2 {
			f(t.acc(r, v), fmt.Sprintf("%d(%s)", v*neonWidth, neonWalker(r)))
		}
	}
}

// begin loads the tile, or clears it where nothing is accumulated.
func (t neonTile) begin() {
	clear, ready := t.label("clear"), t.label("ready")
	if t.kind != outer {
		t.op("CBZ R23, %s", clear)
	}
	t.walk("R0", "R3")
	t.eachResult(func(v int, mem string) { t.op("FLDPQ %s, (F%d, F%d)", mem, v, v+1) })
	if t.kind == outer {
		return
	}
	t.op("B %s", ready)
	t.place(clear)
	t.eachResult(func(v int, _ string) { t.zero(v, v+1) })
	t.place(ready)
}

// end stores the tile, unless an element was flushed to zero: then it goes to flushed, with c as it was.
func (t neonTile) end(flushed string) {
	if t.kind != outer {
		keep := t.label("keep")
		t.op("CBZ R24, %s", keep)
		t.op("MRS FPSR, R26")
		t.op("TBNZ $3, R26, %s", flushed)
		t.place(keep)
	}
	t.walk("R0", "R3")
	t.eachResult(func(v int, mem string) { t.op("FSTPQ (F%d, F%d), %s", v, v+1, mem) })
}

// lhsWords loads the words of a for the next steps of depth.
func (t neonTile) lhsWords(steps int) {
	if t.kind == outer {
		t.outerLHS()
		return
	}
	for r := range t.rows {
		v, _ := t.left(r, 0)
		if steps == 1 {
			t.op("FMOVS.P 4(%s), F%d", neonWalker(r), v)
		} else {
			t.op("FMOVQ.P %d(%s), F%d", neonWidth, neonWalker(r), v)
		}
	}
}

// outerLHS loads a word for each row: they lie side by side, and nothing behind them is read.
func (t neonTile) outerLHS() {
	for r := 0; r < t.rows; {
		v, _ := t.left(r, 0)
		switch rest := t.rows - r; {
		case rest >= 4:
			t.op("FMOVQ %d(R9), F%d", 4*r, v)
			r += 4
		case rest == 3:
			t.op("FMOVD %d(R9), F%d", 4*r, v)
			t.op("ADD $%d, R9, R26", 4*r+8)
			t.op("VLD1 (R26), V%d.S[2]", v)
			r += 3
		case rest == 2:
			t.op("FMOVD %d(R9), F%d", 4*r, v)
			r += 2
		default:
			t.op("FMOVS %d(R9), F%d", 4*r, v)
			r++
		}
	}
}

// rowBytes is how many bytes a row of a panel of b takes.
func (t neonTile) rowBytes() int {
	if t.kind == stored {
		return panelBytes / 2
	}
	return panelBytes
}

// rights loads two vectors of words of b, u steps of depth ahead, into b and the vector behind it.
func (t neonTile) rights(b, v, u int) {
	const vectors = panelBytes / neonWidth
	panel, row, words := neonPanel(v/vectors), u*t.rowBytes(), v%vectors*t.rowBytes()/vectors
	if t.kind == stored {
		t.loadAt(b+1, panel, row+words)
		t.widen(b, b+1)
		t.widenUpper(b+1, b+1)
		return
	}
	t.op("FLDPQ %d(%s), (F%d, F%d)", row+words, panel, b, b+1)
}

// step is one multiply-add of every element, u steps of depth ahead.
func (t neonTile) step(u int) {
	for v := 0; v < t.perRow(); v += 2 {
		b := t.right(v)
		t.rights(b, v, u)
		for i := range 2 {
			for r := range t.rows {
				a, lane := t.left(r, u)
				t.mulAddLane(t.acc(r, v+i), b+i, a, lane)
			}
		}
	}
}

// advance moves on in b, and in a where lhsWords does not, by steps of depth.
func (t neonTile) advance(steps int) {
	if t.kind == outer {
		t.op("ADD R4, R9")
		t.op("ADD R5, R19")
		return
	}
	for p := range t.panels {
		t.op("ADD $%d, %s", steps*t.rowBytes(), neonPanel(p))
	}
}

// emit computes one tile. c and a stay where they are.
func (t neonTile) emit(flushed string) {
	t.note("%d rows × %d panels", t.rows, t.panels)
	t.begin()
	if t.kind == outer {
		t.op("MOVD R1, R9")
	} else {
		t.walk("R1", "R4")
	}
	t.op("MOVD R2, %s", neonPanel(0))
	for p := 1; p < t.panels; p++ {
		t.op("ADD R5, %s, %s", neonPanel(p-1), neonPanel(p))
	}
	if t.kind == outer {
		t.op("MOVD R6, R15")
	} else {
		t.op("LSR $2, R6, R15")
		t.steps(neonUnroll)
		t.op("AND $%d, R6, R15", neonUnroll-1)
	}
	t.steps(1)
	t.end(flushed)
}

// steps goes n at a time, R15 times.
func (t neonTile) steps(n int) {
	t.loop("R15", func() {
		t.lhsWords(n)
		for u := range n {
			t.step(u)
		}
		t.advance(n)
	})
}
