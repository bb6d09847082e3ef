package kernel

// Every function below gets slices that the callers in rows.go have cut to one length.

var setAVX2 = set{
	multiply: multiplyBlockAVX2, outer: outerBlockAVX2, pack: packAVX2, transpose: transposeBlocksAVX2, prefetch: prefetchWordsAVX2,
	low: lowAVX2, peak: peakLoopAVX2, read: readLoopAVX2,

	multiplyBF16: multiplyStoredBlockAVX2,
	roundBF16:    func(x []float32) { roundInPlaceAVX2(at(x), len(x)) },
	putBF16:      putPanelsAVX2,

	dot:     func(a, b []float32) float32 { return dotAVX2(at(a), at(b), len(a)) },
	dot3:    func(a, b, c []float32) float32 { return dot3AVX2(at(a), at(b), at(c), len(a)) },
	maximum: func(x []float32) float32 { return maximumAVX2(at(x), len(x)) },
	expSum:  func(dst, x []float32, max float32) float32 { return expSumAVX2(at(dst), at(x), len(x), max) },
	sumExp:  func(x []float32, max float32) float32 { return sumExpAVX2(at(x), len(x), max) },

	transposeRows: transposeRowsAVX2,
	softmaxGrad:   func(dp, p []float32, mean float32) { softmaxGradAVX2(at(dp), at(p), len(dp), mean) },

	exp:       func(dst, x []float32) { expAVX2(at(dst), at(x), len(dst)) },
	expScaled: func(x []float32, norm, scale float32) { expScaledAVX2(at(x), len(x), norm, scale) },
	add:       func(y, x []float32) { addAVX2(at(y), at(x), len(y)) },
	addScaled: func(y []float32, a float32, x []float32) { addScaledAVX2(at(y), at(x), len(y), a) },
	scale:     func(x []float32, a float32) { scaleAVX2(at(x), len(x), a) },

	normalize: func(y, x, w []float32, inv float32) { normalizeAVX2(at(y), at(x), at(w), len(y), inv) },
	normGrad: func(dx, dy, x, w []float32, inv, c float32) {
		normGradAVX2(at(dx), at(dy), at(x), at(w), len(dx), inv, c)
	},
	swiglu: func(y, gate, up []float32) { swigluAVX2(at(y), at(gate), at(up), len(y)) },
	swigluGrad: func(gate, up, y []float32) {
		swigluGradAVX2(at(gate), at(up), at(y), len(gate))
	},
	rotate:     func(lo, hi, cos, sin []float32) { rotateAVX2(at(lo), at(hi), at(cos), at(sin), len(lo)) },
	rotateBack: func(lo, hi, cos, sin []float32) { rotateBackAVX2(at(lo), at(hi), at(cos), at(sin), len(lo)) },
	adamw: func(p, m, v, g []float32, s adamStep) {
		adamwAVX2(at(p), at(m), at(v), at(g), len(p), &s)
	},
}

// transposeRowsAVX2 transposes blocks of 8 rows × 8 words, and what is left word by word.
func transposeRowsAVX2(panel, rows []float32, stride, n, width int) {
	blocks := width / 8
	if n < panelWidth || blocks == 0 {
		genericTransposeRows(panel, rows, stride, n, width)
		return
	}
	transposeAVX2(&panel[0], &rows[0], panelWidth, stride, blocks)
	transposeAVX2(&panel[8], &rows[8*stride], panelWidth, stride, blocks)
	if done := blocks * 8; done < width {
		genericTransposeRows(panel[done*panelWidth:], rows[done:], stride, n, width-done)
	}
}
