package kernel

// Over a base of low precision the gradients of attention are products of pairs of bfloat16, as its products forward and those with the weights
// are. Pairs lie along the depth, and the odd one counts first. The words of an operand are those of [lowSet]: one a pair, or two, which lie
// side by side or in rows of their own. Scores, which are computed again, have an order of their own ([Stored]).

// PairWords is how many words n values take, or how many rows of words n rows.
func (k *Kernels) PairWords(n int) int { return k.set.attention().words(n) }

// RoundPairs writes x as an operand with pairs along x, PairWords(len(x)) words. The last of an odd number has a zero beside it.
func (k *Kernels) RoundPairs(dst, x []float32) { k.set.attention().round(dst[:k.PairWords(len(x))], x) }

// RoundRowPairs writes two rows as an operand with a pair of each two elements above each other: PairWords(2) rows of words, ld
// words apart.
func (k *Kernels) RoundRowPairs(dst []float32, ld int, even, odd []float32) {
	if roundRows := k.set.attention().roundRows; roundRows != nil {
		roundRows(dst, even, odd[:len(even)])
		return
	}
	above, below := dst[:len(even)], dst[ld:][:len(even)]
	copy(above, odd)
	copy(below, even)
	k.RoundBF16(above)
	k.RoundBF16(below)
}

// MulPairs computes c[rows][16·panels] (+)= a[rows][depth]·b as [Kernels.MulPanels] does, for operands of words: depth counts
// them, lda and ldb too.
func (k *Kernels) MulPairs(c []float32, ldc int, a []float32, lda, rows, depth int, b []float32, ldb, panels int, accumulate bool) {
	low := k.set.attention()
	low.multiply(block{c: c, a: a, b: b, ldc: ldc, lda: lda, ldb: ldb, depth: depth, rows: rows, panels: panels, accumulate: accumulate, flush: low.perPair == 2})
}

// OuterPairs computes c[rows][16·panels] += aᵀ·b as [Kernels.OuterPanels] does, for operands of rows of words.
func (k *Kernels) OuterPairs(c []float32, ldc int, a []float32, lda, rows, depth int, b []float32, ldb, panels int) {
	outer := k.set.attention().outer
	if outer == nil {
		outer = k.set.outer
	}
	outer(outerBlock{c: c, a: a, b: b, ldc: ldc, lda: lda, ldb: ldb, depth: depth, rows: rows, panels: panels})
}
