package main

import "fmt"

// neonRows is the most rows of a tile of one panel: 24 vectors of elements, one for each row of a, two for b.
const neonRows = 6

func productNEON() string {
	n := newNEON()
	n.products("multiply", product, "c[rows][16] (+)= a[rows][depth]·b[depth][16], one panel.", "%d rows of %d panels.")
	n.function("outerNEON", "outerNEON: c[rows][16] += aᵀ·b with a[depth][rows] and b[depth][16].", neonTile{n, neonRows, 1, outer}.plan(true), false, tileArgs...)
	n.tileArguments(outer)
	n.sweep(outer, "")
	n.ret()
	n.turn()
	return n.String()
}

// products writes the products of a kind: those of one panel and any number of rows, and those of a few rows of several.
func (n neon) products(name string, k kind, doc, docOfSeveral string) {
	n.multiply(name+"NEON", doc, neonTile{n, neonRows, 1, k}, true, func(flushed string) { n.sweep(k, flushed) })
	for _, w := range []struct{ rows, panels int }{{1, 4}, {2, 2}, {3, 2}} {
		t := neonTile{n, w.rows, w.panels, k}
		n.multiply(fmt.Sprintf("%s%dx%dNEON", name, w.rows, w.panels), fmt.Sprintf(docOfSeveral, w.rows, w.panels), t, false, func(flushed string) {
			t.emit(flushed)
			n.op("MOVD ZR, R7")
		})
	}
}

// tileArguments loads the registers that all tiles share; distances become bytes.
func (n neon) tileArguments(k kind) {
	for i, arg := range tileArgs {
		n.load(arg, fmt.Sprintf("R%d", i))
	}
	wordOfB := 2
	if k == stored {
		wordOfB = 1
	}
	n.op("LSL $2, R3, R3")
	n.op("LSL $2, R4, R4")
	n.op("LSL $%d, R5, R5", wordOfB)
}

// multiply writes a product with the tile t or, where it is swept, with tiles of at most its rows. Where flush is set, denormal numbers count as zero. The processor decides what is denormal before
// it rounds, others after: a number that rounding makes the smallest normal one tells them apart. So a tile in which a result was
// flushed is not stored, and the function returns how many rows are left to a way that is exact.
func (n neon) multiply(name, doc string, t neonTile, swept bool, tiles func(flushed string)) {
	const flushToZero = 1 << 24
	n.function(name, name+": "+doc, t.plan(swept), false, append(tileArgs[:len(tileArgs):len(tileArgs)], "accumulate", "flush", "left")...)
	n.tileArguments(t.kind)
	n.load("accumulate", "R23", "flush", "R24")
	n.ifFlush(func() {
		n.op("MRS FPCR, R25")
		n.op("ORR $%d, R25, R26", flushToZero)
		n.op("MSR R26, FPCR")
		n.op("MSR ZR, FPSR")
	})
	flushed := n.label("flushed")
	tiles(flushed)
	n.place(flushed)
	n.ifFlush(func() { n.op("MSR R25, FPCR") })
	n.op("MOVD R7, %s", n.fp("left"))
	n.ret()
}

func (n neon) ifFlush(then func()) {
	keep := n.label("keep")
	n.op("CBZ R24, %s", keep)
	then()
	n.place(keep)
}

// sweep goes down the rows of c as that of [asm] does.
func (n neon) sweep(k kind, flushed string) {
	next, rest, done := n.label("next"), n.label("rest"), n.label("done")
	of := make([]string, neonRows+1)
	for rows := range of {
		of[rows] = n.label(fmt.Sprintf("rows%dx", rows))
	}
	n.place(next)
	n.op("CMP $%d, R7", 2*neonRows)
	n.op("BGE %s", of[neonRows])
	n.op("MOVD R7, R8")
	n.op("CMP $%d, R7", neonRows)
	n.op("BLE %s", rest)
	n.op("ADD $1, R8")
	n.op("LSR $1, R8")
	n.place(rest)
	for rows := neonRows; rows > 0; rows-- {
		n.op("CMP $%d, R8", rows)
		n.op("BEQ %s", of[rows])
	}
	n.op("B %s", done)
	for rows := neonRows; rows > 0; rows-- {
		n.place(of[rows])
		neonTile{n, rows, 1, k}.emit(flushed)
		n.op("ADD R3, %s, R0", neonWalker(rows-1)) // the walkers are at c
		n.skipLHS(rows, k)
		n.op("SUB $%d, R7", rows)
		n.op("B %s", next)
	}
	n.place(done)
}

// skipLHS moves a past the rows of a tile.
func (n neon) skipLHS(rows int, k kind) {
	if k == outer {
		n.op("ADD $%d, R1", 4*rows)
		return
	}
	n.op("MOVD $%d, R26", rows)
	n.op("MADD R26, R1, R4, R1")
}

// turn writes the transposition of 4×4 blocks: pairs of rows first, then pairs of pairs.
func (n neon) turn() {
	n.transposeBlocks("transposeNEON", "transposeNEON: dst[4j+i][r] = src[r][4j+i] for r, i < 4 and j < blocks.", 0)
	n.transposeBlocks("transposeSwappedNEON", "transposeSwappedNEON: dst[4j+i^1][r] = src[r^1][4j+i], the same with the rows of each pair swapped before and after.", 1)
}

// transposeBlocks takes row i^swap of a block where it means row i.
func (n neon) transposeBlocks(name, doc string, swap int) {
	n.function(name, doc, "R0 dst, R1 src, R2 and R3 bytes from one row of them to the next, R10 blocks left, R11 walks rows of src; V0 to V3 rows, then columns, V4 to V7 in between",
		false, "dst", "src", "ldd", "lds", "blocks")
	n.load("dst", "R0", "src", "R1", "ldd", "R2", "lds", "R3", "blocks", "R10")
	n.op("LSL $2, R2")
	n.op("LSL $2, R3")
	n.loop("R10", func() {
		n.op("MOVD R1, R11")
		for r := range 4 {
			n.loadAt(r^swap, "R11", 0)
			n.op("ADD R3, R11")
		}
		for r := 0; r < 4; r += 2 {
			n.words("VTRN1", 4+r, r, r+1)
			n.words("VTRN2", 5+r, r, r+1)
		}
		for i := range 2 {
			n.op("VTRN1 V%d.D2, V%d.D2, V%d.D2", 6+i, 4+i, i)
			n.op("VTRN2 V%d.D2, V%d.D2, V%d.D2", 6+i, 4+i, 2+i)
		}
		for i := range 4 {
			n.storeAt(i^swap, "R0", 0)
			n.op("ADD R2, R0")
		}
		n.op("ADD $%d, R1", neonWidth)
	})
	n.ret()
}
