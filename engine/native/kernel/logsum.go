package kernel

import "math"

// SumBlock is the number of words whose exponentials are summed together.
const SumBlock = 1024

// A LogSum is log Σ e^x in the making. It takes x block by block, SumBlock words each but for the last, in order: a row of logits
// that is never in memory as a whole has the sum of one that is, to the bit.
type LogSum struct{ largest, sum float32 } // Σ e^(x - largest) so far

// NewLogSum returns the sum over nothing.
func NewLogSum() LogSum { return LogSum{largest: float32(math.Inf(-1))} }

// Largest returns the largest x so far.
func (l *LogSum) Largest() float32 { return l.largest }

// Add takes the next block, of which [Kernels.SumBlock] returned largest and sum.
func (l *LogSum) Add(largest, sum float32) {
	switch {
	case math.IsInf(float64(largest), -1): // nothing to add
	case largest > l.largest:
		l.largest, l.sum = largest, mulAdd(l.sum, exactExp(l.largest-largest), sum)
	case largest == l.largest:
		l.sum += sum
	default:
		l.sum = mulAdd(sum, exactExp(largest-l.largest), l.sum)
	}
}

// Log returns the log of the sum: -Inf for the sum over nothing, NaN where an x was NaN.
func (l *LogSum) Log() float32 {
	if l.sum == 0 {
		return l.largest
	}
	return l.largest + float32(math.Log(float64(l.sum)))
}

// exactExp returns e^x, rounded from float64, the same on every set.
func exactExp(x float32) float32 { return float32(math.Exp(float64(x))) }

// SumBlock returns the largest of at most [SumBlock] values, and Σ e^(x-largest): -Inf and 0 for nothing but -Inf. A NaN makes one
// of them NaN.
func (k *Kernels) SumBlock(x []float32) (largest, sum float32) {
	if len(x) == 0 {
		return float32(math.Inf(-1)), 0
	}
	largest = k.set.maximum(x)
	if !math.IsInf(float64(largest), 0) {
		return largest, k.set.sumExp(x, largest)
	}
	for _, v := range x { // largest - largest would be NaN, and a maximum may overlook one
		switch {
		case v != v:
			return 0, v
		case v == largest && v > 0:
			sum++
		}
	}
	return largest, sum
}

// LogSumExp returns log Σ e^x: -Inf for an empty x or nothing but -Inf, NaN where x has a NaN.
func (k *Kernels) LogSumExp(x []float32) float32 {
	l := NewLogSum()
	for lo := 0; lo < len(x); lo += SumBlock {
		l.Add(k.SumBlock(x[lo:min(lo+SumBlock, len(x))]))
	}
	return l.Log()
}
