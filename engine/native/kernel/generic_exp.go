package kernel

import "math"

// e^x is 2^n·e^r with n = round(x·log2 e) and r = x - n·ln 2, |r| ≤ ln 2 / 2, ln 2 in two parts of which the first times n is
// exact; e^r = 1 + r + r²·q(r), where q has the least largest relative error that degree 4 allows (3e-9). 2^n is
// multiplied in two halves, so that results that overflow or are denormal come out right.
const (
	expLow  = -104 // below, e^x is 0
	expHigh = 89   // above, e^x is +Inf
	log2E   = 1.4426950408889634
	ln2High = 0.693115234375
	ln2Low  = 3.194618329871446e-05
	expQ0   = 0.4999999403953552
	expQ1   = 0.1666652113199234
	expQ2   = 0.04166838899254799
	expQ3   = 0.008368716575205326
	expQ4   = 0.001381459878757596
)

// expOne is e^x as all sets compute it, here without fused multiply-adds.
func expOne(x float32) float32 {
	if x != x {
		return x
	}
	x = min(max(x, expLow), expHigh)
	n := float32(math.RoundToEven(float64(float32(x * log2E))))
	r := mulAdd(n, -ln2Low, mulAdd(n, -ln2High, x))
	q := mulAdd(expQ4, r, expQ3)
	q = mulAdd(q, r, expQ2)
	q = mulAdd(q, r, expQ1)
	q = mulAdd(q, r, expQ0)
	e := mulAdd(float32(r*r), q, r) + 1
	half := int32(n) >> 1
	return float32(e*powerOf2(half)) * powerOf2(int32(n)-half)
}

// powerOf2 is 2^n for -126 ≤ n ≤ 127.
func powerOf2(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }

func genericExp(dst, x []float32) {
	for i := range dst {
		dst[i] = expOne(x[i])
	}
}

func genericExpScaled(x []float32, norm, scale float32) {
	for i, v := range x {
		x[i] = expOne(v-norm) * scale
	}
}

func genericExpSum(dst, x []float32, max float32) float32 {
	var l lanes
	for i, v := range x {
		dst[i] = expOne(v - max)
		l[i%16] += dst[i]
	}
	return l.sum()
}

func genericSumExp(x []float32, max float32) float32 {
	var l lanes
	for i, v := range x {
		l[i%16] += expOne(v - max)
	}
	return l.sum()
}

// sigmoid is 1/(1+e^-x).
func sigmoid(x float32) float32 { return 1 / (1 + expOne(-x)) }

func genericSwiGLU(y, gate, up []float32) {
	for i := range y {
		y[i] = float32(gate[i]*sigmoid(gate[i])) * up[i]
	}
}

// genericSwiGLUGrad: with s the sigmoid of g, d(g·s)/dg = s·(1 + g·(1-s)).
func genericSwiGLUGrad(gate, up, y []float32) {
	for i, g := range gate {
		s, u, d := sigmoid(g), up[i], y[i]
		slope, gated := s*mulAdd(g, 1-s, 1), float32(g*s)
		gate[i] = float32(d*u) * slope
		up[i] = d * gated
		y[i] = gated * u
	}
}
