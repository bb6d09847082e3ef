package kernel

import "math"

var generic = set{
	multiply: genericMultiply, outer: genericOuter, pack: genericPack, transpose: genericTranspose,
	low: genericLow, peak: genericPeak, read: genericRead, multiplyBF16: genericMultiplyBF16,
	dot: genericDot, dot3: genericDot3, transposeRows: genericTransposeRows, softmaxGrad: genericSoftmaxGrad,
	maximum: genericMaximum, expSum: genericExpSum, sumExp: genericSumExp, exp: genericExp, expScaled: genericExpScaled,
	add: genericAdd, addScaled: genericAddScaled, scale: genericScale,
	normalize: genericNormalize, normGrad: genericNormGrad, swiglu: genericSwiGLU, swigluGrad: genericSwiGLUGrad,
	rotate: genericRotate, rotateBack: genericRotateBack, adamw: genericAdamW,
}

// lanes are the partial sums of a reduction: element i is added to lane i mod 16.
type lanes [16]float32

// sum adds the lanes: i and i+8 first, then neighbours, neighbouring pairs, and the two halves.
func (l *lanes) sum() float32 {
	var t [8]float32
	for i := range t {
		t[i] = l[i] + l[i+8]
	}
	return ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]))
}

func genericDot(a, b []float32) float32 {
	var l lanes
	for i, v := range a {
		l[i%16] = mulAdd(v, b[i], l[i%16])
	}
	return l.sum()
}

func genericDot3(a, b, c []float32) float32 {
	var l lanes
	for i, v := range a {
		l[i%16] = mulAdd(float32(v*b[i]), c[i], l[i%16])
	}
	return l.sum()
}

func genericTransposeRows(panel, rows []float32, stride, n, width int) {
	for r := range n {
		for w, v := range rows[r*stride:][:width] {
			panel[w*panelWidth+r] = v
		}
	}
}

func genericSoftmaxGrad(dp, p []float32, mean float32) {
	for i, d := range dp {
		dp[i] = p[i] * (d - mean)
	}
}

func genericMaximum(x []float32) float32 {
	largest := x[0]
	for _, v := range x {
		if v > largest {
			largest = v
		}
	}
	return largest
}

func genericAdd(y, x []float32) {
	for i, v := range x {
		y[i] += v
	}
}

func genericAddScaled(y []float32, a float32, x []float32) {
	for i, v := range x {
		y[i] = mulAdd(a, v, y[i])
	}
}

func genericScale(x []float32, a float32) {
	for i := range x {
		x[i] *= a
	}
}

func genericNormalize(y, x, w []float32, inv float32) {
	for i, v := range x {
		y[i] = float32(v*inv) * w[i]
	}
}

func genericNormGrad(dx, dy, x, w []float32, inv, c float32) {
	for i := range dx {
		dx[i] = mulAdd(float32(dy[i]*w[i]), inv, mulAdd(-c, x[i], dx[i]))
	}
}

func genericRotate(lo, hi, cos, sin []float32) {
	for i, a := range lo {
		b := hi[i]
		lo[i] = float32(a*cos[i]) - float32(b*sin[i])
		hi[i] = float32(b*cos[i]) + float32(a*sin[i])
	}
}

func genericRotateBack(lo, hi, cos, sin []float32) {
	for i, a := range lo {
		b := hi[i]
		lo[i] = float32(a*cos[i]) + float32(b*sin[i])
		hi[i] = float32(b*cos[i]) - float32(a*sin[i])
	}
}

func genericAdamW(p, m, v, g []float32, s adamStep) {
	for i := range p {
		scaled := g[i] * s.gradScale
		m[i] = mulAdd(s.rest1, scaled, float32(s.beta1*m[i]))
		v[i] = mulAdd(float32(s.rest2*scaled), scaled, float32(s.beta2*v[i]))
		root := float32(math.Sqrt(float64(v[i])))
		p[i] = float32(p[i]*s.decay) - float32(s.step*m[i])/(float32(root*s.root)+s.eps)
	}
}
