package kernel

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
