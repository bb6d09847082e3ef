package kernel

import "math"

// Softmax replaces x by e^x / Σ e^x. An empty x stays empty; a NaN, or nothing but -Inf, makes all of x NaN.
func (k *Kernels) Softmax(x []float32) {
	if len(x) == 0 {
		return
	}
	sum := k.set.expSum(x, x, k.set.maximum(x))
	k.set.scale(x, 1/sum)
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
