package kernel

// Attention is made of small products on the calling goroutine, between a block of queries and keys that lie in panels:
//
//	scores  = queries · keysᵀ      MulPanels, the keys transposed (TransposeRows)
//	weights = e^(scores - max)     SoftmaxSum
//	output  = weights · values     MulPanels, the values in panels as they are
//
// and backward the same two ways round, with OuterPanels for the gradients of keys and values. Every element is one chain, as
// in the products of whole matrices: one query alone gets the bits that it gets in a block.

// PanelWidth is the number of columns of a panel.
const PanelWidth = panelWidth

// MulPanels computes c[rows][16·panels] (+)= a[rows][depth]·b. Rows of c and a are ldc and lda words apart; b has, for each
// panel, depth rows of 16 words, and panels are ldb words apart.
func (k *Kernels) MulPanels(c []float32, ldc int, a []float32, lda, rows, depth int, b []float32, ldb, panels int, accumulate bool) {
	k.set.multiply(block{c: c, a: a, b: b, ldc: ldc, lda: lda, ldb: ldb, depth: depth, rows: rows, panels: panels, accumulate: accumulate})
}

// OuterPanels computes c[rows][16·panels] += aᵀ·b, a[depth][rows] and b[depth][16·panels], whose rows are ldc, lda and ldb words
// apart. Each element is one chain over the depth that continues its value.
func (k *Kernels) OuterPanels(c []float32, ldc int, a []float32, lda, rows, depth int, b []float32, ldb, panels int) {
	k.set.outer(outerBlock{c: c, a: a, b: b, ldc: ldc, lda: lda, ldb: ldb, depth: depth, rows: rows, panels: panels})
}

// TransposeRows writes n ≤ 16 rows of width words, stride words apart, into the columns 0, ..., n-1 of a panel: word w of row r goes to
// panel[16w+r]. A panel that begins r words later is the same panel from column r on.
func (k *Kernels) TransposeRows(panel, rows []float32, stride, n, width int) {
	mustHaveRows(rows, stride, n, width)
	mustHaveRows(panel, panelWidth, width, n)
	k.set.transposeRows(panel, rows, stride, n, width)
}

// SoftmaxSum replaces x, which is not empty, by e^(x-max) and returns the sum: softmax without the division. A NaN, or nothing
// but -Inf, makes the sum NaN.
func (k *Kernels) SoftmaxSum(x []float32) float32 { return k.set.expSum(x, x, k.set.maximum(x)) }

// SoftmaxGrad takes dp, the gradient of softmax's output p, to that of its input: dp = p·(dp - mean), where mean is Σ p·dp.
func (k *Kernels) SoftmaxGrad(dp, p []float32, mean float32) {
	k.set.softmaxGrad(dp, p[:len(dp)], mean)
}

// Probabilities replaces x by scale·e^(x-norm): a softmax whose log-sum-exp is known.
func (k *Kernels) Probabilities(x []float32, norm, scale float32) {
	inPieces(len(x), func(lo, hi int) { k.set.expScaled(x[lo:hi], norm, scale) })
}
