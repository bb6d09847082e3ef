package kernel

const (
	// The most rows of one call.
	storedRowsAVX2   = 6
	storedRowsAVX512 = 12
	// storedAhead is how many bytes ahead, at least, the keys and values of the same text are prefetched: memory takes so long to
	// answer that what a panel's product lasts is not enough.
	storedAhead = 8 << 10
	// longText is how many values the keys of a long text have, and its values: few rows go along four panels of those at a time.
	longText = 16 << 10
)

func multiplyStoredBlockAVX2(b block, words []uint16) {
	b.checkStored(words)
	b.sweepStored(multiplyStoredAVX2, storedRowsAVX2, 1, b.panels, words)
}

// multiplyStoredBlockAVX512 leaves the last of an odd number of panels to AVX2, whose bits are the same.
func multiplyStoredBlockAVX512(b block, words []uint16) {
	b.checkStored(words)
	pairs := b.panels &^ 1
	if b.rows <= storedRowsAVX512/2 && b.panels == 4 && b.panels*b.ldb >= longText {
		b.sweepStored(multiplyStored4AVX512, storedRowsAVX512/2, 4, b.panels, words)
		return
	}
	b.sweepStored(multiplyStored2AVX512, storedRowsAVX512, 2, pairs, words)
	if pairs < b.panels && b.rows > 0 {
		b.c, b.panels = b.c[pairs*panelWidth:], 1
		b.sweepStored(multiplyStoredAVX2, storedRowsAVX2, 1, 1, words[pairs*b.ldb:])
	}
}

func putPanelsAVX2(to []uint16, stride int, x []float32) {
	if panels := len(x) / panelWidth; panels > 0 {
		_ = to[:(panels-1)*stride+panelWidth]
		putStoredAVX2(&to[0], &x[0], stride, panels)
	}
}

// aheadOfStored is how far ahead, in bytes, so many panels at a time are prefetched. On Intel's processors what is near comes faster, but of a short
// text the next panels matter more, and those of what is read after it.
func (b *block) aheadOfStored(panels int) int {
	if madeByIntel && b.panels*b.ldb >= longText {
		return nearAhead / max(1, panels/2)
	}
	return max(storedAhead, 2*panels*b.ldb)
}

// sweepStored goes over the panels, some at once, and down the rows, cut evenly into pieces of at most so many.
func (b *block) sweepStored(f func(c, a *float32, b *uint16, ldc, lda, ldb, depth, rows, accumulate, ahead int), most, step, panels int, words []uint16) {
	if b.rows == 0 {
		return
	}
	size, ahead := ceil(b.rows, ceil(b.rows, most)), b.aheadOfStored(step)
	for p := 0; p < panels; p += step {
		var from *uint16
		if b.depth > 0 {
			from = &words[p*b.ldb]
		}
		for r := 0; r < b.rows; r += size {
			f(&b.c[r*b.ldc+p*panelWidth], first(b.a[r*b.lda:]), from, b.ldc, b.lda, b.ldb, b.depth, min(size, b.rows-r), word(b.accumulate), ahead)
		}
	}
}
