package kernel

// lowAVX2 are the products of low precision of processors that have no instruction for pairs of bfloat16.
var lowAVX2 = lowSet{
	perPair: 2, multiply: multiplyBlockAVX2, widens: true, prefetchesCodes: true, round: roundRowAVX2, addScaled: addProducts, spread: spreadRowsAVX2, int8: int8RowsAVX2, int8Few: multiplyInt8BlockAVX2, nf4: nf4RowsAVX2,
	transpose: transposeLowAVX2, peak: peakLoopAVX2,
}

func lowAVX512() lowSet {
	s := lowAVX2
	s.multiply, s.widens, s.prefetchesCodes, s.transpose, s.peak = multiplyBlockAVX512, false, false, transposeLowAVX512, peakLoopAVX512
	return s
}

// lowBF16 are those of processors that have one. Their operands are the pairs themselves.
var lowBF16 = lowSet{
	perPair: 1, multiply: multiplyPairsBlock, round: roundRowPairs, outer: outerPairsBlock, roundRows: roundRowsPairs, addScaled: addProducts, int8: int8RowsPairs, nf4: nf4RowsPairs, int8Few: multiplyInt8Block,
	transpose: transposePairsBlocks, peak: peakLoopPairs,
}

func roundRowAVX2(dst, x []float32) {
	n := len(x) &^ 1
	mustHave("rounded row", dst, even(len(x)))
	roundAVX2(first(dst), first(x), n)
	if n < len(x) {
		genericRound(dst[n:], x[n:])
	}
}

func addProducts(c, x, steps []float32) {
	mustHave("row", x, len(c))
	mustHave("steps", steps, len(c))
	addProductsAVX2(first(c), first(x), first(steps), len(c))
}

func spreadRowsAVX2(dst []float32, pairs []uint32) {
	mustHave("widened pairs", dst, 2*len(pairs))
	if len(pairs) > 0 {
		spreadAVX2(&dst[0], &pairs[0], len(pairs)/panelWidth)
	}
}

func transposeLowAVX2(dst, src []float32, ldd, blocks int) {
	checkTranspose(dst, src, ldd, blocks)
	for j := range blocks {
		to, from := dst[j*ldd:], src[j*panelWidth*panelWidth:]
		transposeSwappedAVX2(&to[0], &from[0], panelWidth, panelWidth, 2)
		transposeSwappedAVX2(&to[8], &from[8*panelWidth], panelWidth, panelWidth, 2)
	}
}

func transposeLowAVX512(dst, src []float32, ldd, blocks int) {
	checkTranspose(dst, src, ldd, blocks)
	transposeSwapped16AVX512(&dst[0], &src[0], ldd, blocks)
}

func multiplyPairsBlock(b block) {
	if b.rows == 0 {
		return
	}
	b.check()
	for p := b.inPairs(true); p < b.panels; p++ {
		b.callPairs(multiplyPairsAVX512, p, 1)
	}
}

// callPairs runs f on n panels of b from p on.
func (b *block) callPairs(f func(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip int), p, n int) {
	ahead, apart, skip := b.ahead(p, n)
	if b.slowToPrefetch() {
		ahead = 0
	}
	f(&b.c[p*panelWidth], first(b.a), first(b.b[p*b.ldb:]), b.ldc, b.lda, b.ldb, b.depth, b.rows, word(b.accumulate), ahead, apart, skip)
}

func roundRowPairs(dst, x []float32) {
	mustHave("rounded row", dst, ceil(len(x), 2))
	roundPairsAVX512(first(dst), first(x), len(x))
}

func roundRowsPairs(dst, even, odd []float32) {
	mustHave("rounded rows", dst, len(even))
	mustHave("odd row", odd, len(even))
	roundRowPairsAVX512(first(dst), first(even), first(odd), len(even))
}

func transposePairsBlocks(dst, src []float32, ldd, blocks int) {
	const size = panelWidth * panelWidth / 2
	mustHave("turned block", dst, (blocks-1)*ldd+size)
	mustHave("block", src, blocks*size)
	transposePairsAVX512(&dst[0], &src[0], ldd, blocks)
}

func int8RowsAVX2(dst []float32, codes []byte, n int) {
	if blocks := n / 2; blocks > 0 {
		mustHave("widened codes", dst, 2*n*panelWidth)
		int8FloatsAVX2(&dst[0], &codes[:blocks*int8Block][0], blocks)
		dst, codes = dst[blocks*int8Block:], codes[blocks*int8Block:]
	}
	if n%2 != 0 {
		genericInt8(dst, codes, 1)
	}
}

func int8RowsPairs(dst []float32, codes []byte, n int) {
	if n == 0 {
		return
	}
	mustHave("widened codes", dst, n*panelWidth)
	int8PairsAVX512(&dst[0], &codes[:ceil(n, 2)*int8Block][0], n)
}

// int8Rows is the most rows that multiplyInt8AVX512 takes.
const int8Rows = 8

// multiplyInt8Block takes two panels at a time.
func multiplyInt8Block(b block, codes []byte, apart int) {
	b.sweepInt8(codes, apart, int8Rows, 2, func(c, a *float32, codes *byte, ldc, lda, ldb, depth, rows, _ int) {
		multiplyInt8AVX512(c, a, codes, ldc, lda, ldb, depth, rows)
	})
}

const (
	// The most rows that multiplyInt8x1AVX2 and multiplyInt8x2AVX2 take.
	int8Rows1 = 4
	int8Rows2 = 2
	// int8Ahead is how far ahead codes are prefetched, in bytes.
	int8Ahead = 4 << 10
)

// multiplyInt8BlockAVX2 takes two panels at a time where one row or two have too few chains to hide the latency of a multiply-add.
func multiplyInt8BlockAVX2(b block, codes []byte, apart int) {
	if b.rows <= int8Rows2 {
		b.sweepInt8(codes, apart, int8Rows2, 2, multiplyInt8x2AVX2)
		return
	}
	b.sweepInt8(codes, apart, int8Rows1, 1, multiplyInt8x1AVX2)
}

// sweepInt8 goes over the panels of codes, one or two at a time, and down the rows, cut evenly into pieces of at most so many. Beside the last of
// an odd number of panels goes the same once more.
func (b *block) sweepInt8(codes []byte, apart, most, step int, f func(c, a *float32, codes *byte, ldc, lda, ldb, depth, rows, ahead int)) {
	if b.rows == 0 || b.depth == 0 {
		clear(b.c)
		return
	}
	mustHave("product block", b.c, (b.rows-1)*b.ldc+ceil(b.panels, step)*step*panelWidth)
	mustHave("left block", b.a, (b.rows-1)*b.lda+b.depth)
	_ = codes[b.panels*apart-1]
	rows := ceil(b.rows, ceil(b.rows, most))
	for p := 0; p < b.panels; p += step {
		second := apart
		if p+1 == b.panels {
			second = 0
		}
		for r := 0; r < b.rows; r += rows {
			f(&b.c[r*b.ldc+p*panelWidth], &b.a[r*b.lda], &codes[p*apart], b.ldc, b.lda, second, b.depth, min(rows, b.rows-r), int8Ahead)
		}
	}
}

func nf4RowsAVX2(dst []float32, codes []uint32, scale []float32) {
	mustHave("widened codes", dst, len(codes)*nf4Word)
	mustHave("scales", scale, panelWidth)
	nf4FloatsAVX2(&dst[0], &codes[0], &scale[0], len(codes)/panelWidth)
}

func nf4RowsPairs(dst []float32, codes []uint32, scale []float32) {
	mustHave("widened codes", dst, len(codes)*nf4Word/2)
	mustHave("scales", scale, panelWidth)
	nf4PairsAVX512(&dst[0], &codes[0], &scale[0], len(codes)/panelWidth)
}
