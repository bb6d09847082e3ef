package kernel

import "math"

// SoftmaxSum replaces x, which is not empty, by e^(x-max) and returns the sum: softmax without the division. A NaN, or nothing
// but -Inf, makes the sum NaN.
func (k *Kernels) SoftmaxSum(x []float32) float32 { return k.set.expSum(x, x, k.set.maximum(x)) }

// SoftmaxGrad takes dp, the gradient of softmax's output p, to that of its input: dp = p·(dp - mean), where mean is Σ p·dp.
func (k *Kernels) SoftmaxGrad(dp, p []float32, mean float32) {
	k.set.softmaxGrad(dp, p[:len(dp)], mean)
}

// LogSumExp returns log Σ e^x: -Inf for an empty x or nothing but -Inf, NaN where x has a NaN.
func (k *Kernels) LogSumExp(x []float32) float32 {
	largest := float32(math.Inf(-1))
	if len(x) > 0 {
		largest = k.set.maximum(x)
	}
	if math.IsInf(float64(largest), 0) {
		return extremeOrNaN(x, largest) // largest - largest would be NaN
	}
	return largest + float32(math.Log(float64(k.set.sumExp(x, largest))))
}

// extremeOrNaN returns largest unless x has a NaN, which a maximum may overlook.
func extremeOrNaN(x []float32, largest float32) float32 {
	for _, v := range x {
		if v != v {
			return v
		}
	}
	return largest
}
