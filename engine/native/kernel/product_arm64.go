package kernel

// A neonTileFunc computes rows of one or several panels of a product, and returns how many it left.
type neonTileFunc func(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, flush int) (left int)

// wideNEON are the tiles of several panels, by their rows.
var wideNEON = [...]neonTileFunc{1: multiply1x4NEON, 2: multiply2x2NEON, 3: multiply3x2NEON}

func multiplyBlockNEON(b block) {
	if b.rows == 0 {
		return
	}
	b.check()
	p := 0
	if step := panelsOfTile(b.rows); step > 1 {
		for ; p+step <= b.panels; p += step {
			b.callNEON(wideNEON[b.rows], p, step)
		}
	}
	for ; p < b.panels; p++ {
		b.callNEON(multiplyNEON, p, 1)
	}
}

// callNEON runs f on panels of b from p on. What f leaves has an element at the edge of the denormal numbers, which NEON would
// flush before it rounds; the plain way does after.
func (b *block) callNEON(f neonTileFunc, p, panels int) {
	left := f(&b.c[p*panelWidth], first(b.a), first(b.b[p*b.ldb:]), b.ldc, b.lda, b.ldb, b.depth, b.rows, word(b.accumulate), word(b.flush))
	if left == 0 {
		return
	}
	rest, done := *b, b.rows-left
	rest.c, rest.a, rest.b = b.c[done*b.ldc+p*panelWidth:], b.a[done*b.lda:], b.b[p*b.ldb:]
	rest.rows, rest.panels = left, panels
	genericLowMultiply(rest)
}

func outerBlockNEON(b outerBlock) {
	b.check()
	for p := range b.panels {
		b.call(outerNEON, p)
	}
}

func packNEON(panel, w []float32, in, rows int) {
	if rows < panelWidth {
		genericPack(panel, w, in, rows)
		return
	}
	turnRowsNEON(panel, w[:panelWidth*in], in, panelWidth, in)
}

func turnBlocksNEON(dst, src []float32, ldd, blocks int) {
	checkTurn(dst, src, ldd, blocks)
	for j := range blocks {
		turnRowsNEON(dst[j*ldd:], src[j*panelWidth*panelWidth:], panelWidth, panelWidth, panelWidth)
	}
}
