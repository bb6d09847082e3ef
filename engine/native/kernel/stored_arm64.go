package kernel

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
