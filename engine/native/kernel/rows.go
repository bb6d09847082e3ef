package kernel

import "math"

// The functions of this file work on one row (or one head) on the calling goroutine; the caller spreads rows with Run. Slices
// of one call have the length of the first, or more.

// RMSNorm computes y = x·inv·w with inv = 1/sqrt(mean(x²)+eps), and returns inv for RMSNormGrad. y may be x.
func (k *Kernels) RMSNorm(y, x, w []float32, eps float32) (inv float32) {
	n := len(y)
	x, w = x[:n], w[:n]
	inv = 1 / float32(math.Sqrt(float64(k.set.dot(x, x)/float32(n)+eps)))
	k.set.normalize(y, x, w, inv)
	return inv
}

// RMSNormGrad adds to dx the gradient of RMSNorm's input x, given that of its output and the inv that it returned:
// dx += inv·(dy·w) - x·inv³·mean(dy·w·x).
func (k *Kernels) RMSNormGrad(dx, dy, x, w []float32, inv float32) {
	n := len(dx)
	dy, x, w = dy[:n], x[:n], w[:n]
	mean := k.set.dot3(dy, w, x) / float32(n)
	k.set.normGrad(dx, dy, x, w, inv, mean*inv*inv*inv)
}

// SwiGLU computes y = gate·sigmoid(gate)·up. y may be gate or up.
func (k *Kernels) SwiGLU(y, gate, up []float32) { k.set.swiglu(y, gate[:len(y)], up[:len(y)]) }

// SwiGLUGrad turns gate and up, the inputs of SwiGLU, into their gradients, given that of the output in y; y becomes the output.
func (k *Kernels) SwiGLUGrad(gate, up, y []float32) {
	n := len(gate)
	k.set.swigluGrad(gate, up[:n], y[:n])
}

// Rope rotates one head x [d] in place: the pair (x[i], x[i+d/2]) by the angle whose cosine and sine are cos[i] and sin[i],
// i < d/2.
func (k *Kernels) Rope(x, cos, sin []float32) {
	half := len(x) / 2
	k.set.rotate(x[:half], x[half:2*half], cos[:half], sin[:half])
}

// RopeGrad turns the gradient of a rotated head into that of the head, in place: the inverse rotation.
func (k *Kernels) RopeGrad(x, cos, sin []float32) {
	half := len(x) / 2
	k.set.rotateBack(x[:half], x[half:2*half], cos[:half], sin[:half])
}

// Exp computes dst = e^x with a relative error below 1.2e-7 (denormal results: one unit in the last place). dst may be x.
func (k *Kernels) Exp(dst, x []float32) {
	inPieces(len(dst), func(lo, hi int) { k.set.exp(dst[lo:hi], x[lo:hi]) })
}

// Add computes y += x.
func (k *Kernels) Add(y, x []float32) {
	inPieces(len(y), func(lo, hi int) { k.set.add(y[lo:hi], x[lo:hi]) })
}

// AddScaled computes y += a·x.
func (k *Kernels) AddScaled(y []float32, a float32, x []float32) {
	inPieces(len(y), func(lo, hi int) { k.set.addScaled(y[lo:hi], a, x[lo:hi]) })
}

// Scale computes x *= a.
func (k *Kernels) Scale(x []float32, a float32) {
	inPieces(len(x), func(lo, hi int) { k.set.scale(x[lo:hi], a) })
}

// Dot returns a·b over len(a).
func (k *Kernels) Dot(a, b []float32) float32 { return k.set.dot(a, b[:len(a)]) }

func mustHaveRows(rows []float32, stride, n, length int) {
	if n > 0 {
		mustHave("block of rows", rows, (n-1)*stride+length)
	}
}

// pieceSize keeps calls on whole tensors short: assembly cannot be preempted, and the collector waits for it.
const pieceSize = 1 << 15

// inPieces calls f with consecutive ranges that cover n elements.
func inPieces(n int, f func(lo, hi int)) {
	for lo := 0; lo < n; lo += pieceSize {
		f(lo, min(lo+pieceSize, n))
	}
}
