package kernel

import "math"

// storedPairRows is the most rows of multiplyStoredPairsAVX512.
const storedPairRows = 8

var storedPairsAVX512 = storedPairs{multiply: multiplyStoredPairs, roundLHS: roundLHSPairs, transpose: transposeStoredPairs, put: putStoredPairs}

// multiplyStoredPairs takes few rows along all panels in one call, and more as a product of pairs.
func multiplyStoredPairs(b block) {
	if b.rows > storedPairRows {
		multiplyPairsBlock(b)
		return
	}
	if b.rows == 0 || b.panels == 0 {
		return
	}
	b.check()
	multiplyStoredPairsAVX512(&b.c[0], first(b.a), first(b.b), b.ldc, b.lda, b.ldb, b.depth, b.rows, word(b.accumulate), b.panels)
}

func roundLHSPairs(dst, x []float32, odd bool) {
	if odd && len(x) > 0 {
		dst[0], dst, x = math.Float32frombits(uint32(upperHalf(roundBF16(x[0])))), dst[1:], x[1:]
	}
	mustHave("left words", dst, ceil(len(x), 2))
	roundLHSPairsAVX512(first(dst), first(x), len(x))
}

// transposeWords is how many words of a row are transposed at a time.
const transposeWords = 32

func transposeStoredPairs(panel []uint16, column int, rows []float32, stride, n, width int) {
	var words [panelWidth * transposeWords]float32
	to := wordsOf(panel)
	for from := 0; from < width; from += 2 * transposeWords {
		some := min(transposeWords, (width-from)/2)
		for r := range n {
			roundLHSPairsAVX512(&words[r*transposeWords], &rows[r*stride+from], 2*some)
		}
		transposeRowsAVX2(to[from/2*panelWidth+column:], words[:], transposeWords, n, some)
	}
}

func putStoredPairs(to []uint16, stride int, x []float32, second bool) {
	if len(x) == 0 {
		return
	}
	_ = to[ceil(len(x), panelWidth)*stride-stride+2*panelWidth-1]
	putPairsAVX512(&to[0], &x[0], stride/2, len(x), word(second))
}
