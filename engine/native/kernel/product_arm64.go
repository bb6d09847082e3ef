package kernel

// A neonTileFunc computes rows of one or several panels of a product, and returns how many it left.
type neonTileFunc[of float32 | uint16] func(c, a *float32, b *of, ldc, lda, ldb, depth, rows, accumulate, flush int) (left int)

// neonTiles are the tiles of products with panels of float32, or of bfloat16.
type neonTiles[of float32 | uint16] struct {
	one  neonTileFunc[of]
	wide [4]neonTileFunc[of] // of several panels, by their rows
	// plain computes what a tile leaves, which has an element at the edge of the denormal numbers: NEON would flush it before it rounds, the
	// plain way does after.
	plain func(b block, panels []of)
}

var floatsNEON = neonTiles[float32]{
	one:  multiplyNEON,
	wide: [...]neonTileFunc[float32]{1: multiply1x4NEON, 2: multiply2x2NEON, 3: multiply3x2NEON},
	plain: func(b block, panels []float32) {
		b.b = panels
		genericLowMultiply(b)
	},
}

func multiplyBlockNEON(b block) {
	if b.rows == 0 {
		return
	}
	b.check()
	floatsNEON.multiply(&b, b.b)
}

// multiply goes over the panels, several at once where that is worth it.
func (t *neonTiles[of]) multiply(b *block, panels []of) {
	p := 0
	if step := panelsOfTile(b.rows); step > 1 {
		for ; p+step <= b.panels; p += step {
			t.call(t.wide[b.rows], b, panels, p, step)
		}
	}
	for ; p < b.panels; p++ {
		t.call(t.one, b, panels, p, 1)
	}
}

// call runs f on n panels from p on.
func (t *neonTiles[of]) call(f neonTileFunc[of], b *block, panels []of, p, n int) {
	panels = panels[p*b.ldb:]
	left := f(&b.c[p*panelWidth], first(b.a), first(panels), b.ldc, b.lda, b.ldb, b.depth, b.rows, word(b.accumulate), word(b.flush))
	if left == 0 {
		return
	}
	rest, done := *b, b.rows-left
	rest.c, rest.a = b.c[done*b.ldc+p*panelWidth:], b.a[done*b.lda:]
	rest.rows, rest.panels = left, n
	t.plain(rest, panels)
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
	transposeRowsNEON(panel, w[:panelWidth*in], in, panelWidth, in)
}

func transposeBlocksNEON(dst, src []float32, ldd, blocks int) {
	checkTranspose(dst, src, ldd, blocks)
	for j := range blocks {
		transposeRowsNEON(dst[j*ldd:], src[j*panelWidth*panelWidth:], panelWidth, panelWidth, panelWidth)
	}
}

var storedTilesNEON = neonTiles[uint16]{
	one:   multiplyStoredNEON,
	wide:  [...]neonTileFunc[uint16]{1: multiplyStored1x4NEON, 2: multiplyStored2x2NEON, 3: multiplyStored3x2NEON},
	plain: genericMultiplyBF16,
}

func multiplyStoredBlockNEON(b block, words []uint16) {
	if b.rows == 0 {
		return
	}
	b.checkStored(words)
	b.flush = true
	storedTilesNEON.multiply(&b, words)
}

func putPanelsNEON(to []uint16, stride int, x []float32) {
	if panels := len(x) / panelWidth; panels > 0 {
		_ = to[:(panels-1)*stride+panelWidth]
		putStoredNEON(&to[0], &x[0], stride, panels)
	}
}
