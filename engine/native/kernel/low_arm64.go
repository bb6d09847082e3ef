package kernel

// lowNEON are the products of low precision: those of float32, with the denormal numbers as zero.
var lowNEON = lowSet{
	perPair: 2, multiply: multiplyBlockNEON, round: roundRowNEON, addScaled: addProducts, spread: spreadRowsNEON, int8: int8RowsNEON, nf4: nf4RowsNEON,
	transpose: transposeLowNEON, peak: peakLoopNEON,
}

func roundRowNEON(dst, x []float32) {
	n := len(x) &^ 1
	mustHave("rounded row", dst, even(len(x)))
	roundNEON(at(dst), at(x), n)
	if n < len(x) {
		genericRound(dst[n:], x[n:])
	}
}

func addProducts(c, x, steps []float32) {
	mustHave("row", x, len(c))
	mustHave("steps", steps, len(c))
	addProductsNEON(at(c), at(x), at(steps), len(c))
}

func spreadRowsNEON(dst []float32, pairs []uint32) {
	mustHave("widened pairs", dst, 2*len(pairs))
	if len(pairs) > 0 {
		spreadNEON(&dst[0], &pairs[0], len(pairs)/panelWidth)
	}
}

func transposeLowNEON(dst, src []float32, ldd, blocks int) {
	checkTranspose(dst, src, ldd, blocks)
	const size = 4
	for j := range blocks {
		for r := 0; r < panelWidth; r += size {
			transposeSwappedNEON(&dst[j*ldd+r], &src[(j*panelWidth+r)*panelWidth], panelWidth, panelWidth, panelWidth/size)
		}
	}
}

func int8RowsNEON(dst []float32, codes []byte, n int) {
	if blocks := n / 2; blocks > 0 {
		mustHave("widened codes", dst, 2*n*panelWidth)
		int8FloatsNEON(&dst[0], &codes[:blocks*int8Block][0], blocks)
		dst, codes = dst[blocks*int8Block:], codes[blocks*int8Block:]
	}
	if n%2 != 0 {
		genericInt8(dst, codes, 1)
	}
}

func nf4RowsNEON(dst []float32, codes []uint32, scale []float32) {
	mustHave("widened codes", dst, len(codes)*nf4Word)
	mustHave("scales", scale, panelWidth)
	nf4FloatsNEON(&dst[0], &codes[0], &scale[0], len(codes)/panelWidth)
}
