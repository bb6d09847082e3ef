package kernel

// A set is one implementation of all kernels. Slices are exactly as long as said; the callers in this package check them.
type set struct {
	// multiply computes one block of a product of full panels.
	multiply func(block)
	// paced says whether multiply prefetches at an even pace what is needed next, as block.paced says.
	paced bool
	// outer computes one block of a weight gradient.
	outer func(outerBlock)
	// pack writes one panel [in][16] from rows ≤ 16 rows w[row*in:], [in] each; the missing outputs become zero.
	pack func(panel, w []float32, in, rows int)
	// transpose transposes blocks of 16 × 16 words: dst[j·ldd+16o+i] = src[256j+16i+o] for j < blocks.
	transpose func(dst, src []float32, ldd, blocks int)
	// prefetch prefetches weights that are transposed soon; nil: tiles do, while they multiply.
	prefetch func(words []float32)
	// low are the products of low precision.
	low lowSet
	// lowMany are those of more than lowFewRows rows; nil: low.
	lowMany *lowSet
	// attends are those of attention; nil: low.
	attends *lowSet
	// peak does n steps of float32 multiply-adds in registers and returns the number of operations.
	peak func(n int) int
	// read reads memory, a multiple of 256 bytes.
	read func(mem []byte)

	dot          func(a, b []float32) float32
	dot3         func(a, b, c []float32) float32 // Σ (a·b)·c
	multiplyBF16 func(b block, words []uint16)   // multiply with panels of bfloat16, which take the place of b.b
	pairs        *storedPairs                    // keys and values in pairs of bfloat16; nil: they are stored row by row
	roundBF16    func(x []float32)               // x rounded to bfloat16; nil: one by one
	// putBF16 stores whole panels' widths of x, which bfloat16 holds, stride words apart; nil: one by one.
	putBF16 func(to []uint16, stride int, x []float32)

	transposeRows func(panel, rows []float32, stride, n, width int) // panel[w][r] = row r, word w, for n ≤ 16 rows
	maximum       func(x []float32) float32
	expSum        func(dst, x []float32, max float32) float32 // dst = exp(x-max), returns its sum; dst may be x
	sumExp        func(x []float32, max float32) float32      // the same sum without dst
	softmaxGrad   func(dp, p []float32, mean float32)         // dp = p·(dp - mean)
	exp           func(dst, x []float32)
	expScaled     func(x []float32, norm, scale float32) // x = scale·exp(x-norm)
	add           func(y, x []float32)
	addScaled     func(y []float32, a float32, x []float32)
	scale         func(x []float32, a float32)
	normalize     func(y, x, w []float32, inv float32)         // y = (x·inv)·w
	normGrad      func(dx, dy, x, w []float32, inv, c float32) // dx += inv·(dy·w) - c·x
	swiglu        func(y, gate, up []float32)
	swigluGrad    func(gate, up, y []float32)
	rotate        func(lo, hi, cos, sin []float32) // (lo, hi) = (lo·cos - hi·sin, hi·cos + lo·sin)
	rotateBack    func(lo, hi, cos, sin []float32) // the same with -sin
	adamw         func(p, m, v, g []float32, s adamStep)
}

// lowFewRows is the number of rows up to which reading weights of low precision takes longer than multiplying them in any way.
const lowFewRows = 32

// lowOf are the products of low precision of so many rows.
func (s *set) lowOf(rows int) *lowSet {
	if s.lowMany != nil && rows > lowFewRows {
		return s.lowMany
	}
	return &s.low
}

// attention are the products of low precision in attention.
func (s *set) attention() *lowSet {
	if s.attends != nil {
		return s.attends
	}
	return &s.low
}

// A block is c[rows][16·panels] = (c if accumulate, else 0) + a[rows][depth]·b, where b holds the panels' rows k = 0, ..., depth-1,
// 16 words each.
type block struct {
	c          []float32
	a          []float32
	b          []float32
	ldc        int // words from one row of c to the next
	lda        int // words from one row of a to the next
	ldb        int // words from one panel of b to the next
	depth      int
	rows       int
	panels     int
	accumulate bool
	flush      bool // denormal numbers count as zero
	pairs      bool // words of b are pairs of bfloat16, each for two words of a; ldb counts those of b
	half       bool // of the only panel the first 8 columns are wanted alone
	next       upcoming
	noPrefetch bool            // the rows are near: tiles of AVX2 that others follow need not prefetch those below
	linear     bool            // the panels of b come from memory, which is fastest read from one end to the other
	beyond     int             // bytes of b that are passed over where the panels behind them are prefetched
	queue      *prefetchQueue  // what is needed after the product; may be nil
	streams    prefetchStreams // what is prefetched instead of the panels behind b
	paced      *pacedPrefetch  // what is prefetched at an even pace; nil: the panels behind b and the rows below
}

// upcoming is memory that will be needed after a block: what one panel is made of begins with words, that of the next panel
// apart words further, and between blocks of 16 by 16 weights skip words are passed over. The zero value: the panels behind b.
type upcoming struct {
	words []float32
	apart int
	skip  int
}

// An outerBlock is c[rows][16·panels] += aᵀ·b with a[depth][rows] and b[depth][16·panels].
type outerBlock struct {
	c     []float32
	a     []float32
	b     []float32
	ldc   int // words from one row of each to the next
	lda   int
	ldb   int
	depth int
	rows  int

	panels int
}

// storedPairs are the functions of a set for keys and values in words of pairs, see [Stored].
type storedPairs struct {
	// multiply computes a block whose depth is counted in words.
	multiply func(b block)
	// roundLHS makes x words, the first of each pair in the upper half; odd: x begins with the second of a pair, beside a zero.
	roundLHS func(dst, x []float32, odd bool)
	// transpose writes n rows of width values into columns of a panel.
	transpose func(panel []uint16, column int, rows []float32, stride, n, width int)
	// put stores one row of a pair, the first or the second, in words of panels, stride values apart.
	put func(to []uint16, stride int, x []float32, second bool)
}
