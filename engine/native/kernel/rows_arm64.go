package kernel

// Every function below gets slices that the callers in rows.go have cut to one length.

var setNEON = set{
	multiply: multiplyBlockNEON, outer: outerBlockNEON, pack: packNEON, transpose: transposeBlocksNEON,
	low: lowNEON, peak: peakLoopNEON, read: readLoopNEON,

	multiplyBF16: multiplyStoredBlockNEON,
	roundBF16:    func(x []float32) { roundInPlaceNEON(at(x), len(x)) },
	putBF16:      putPanelsNEON,

	dot:     func(a, b []float32) float32 { return dotNEON(at(a), at(b), len(a)) },
	dot3:    func(a, b, c []float32) float32 { return dot3NEON(at(a), at(b), at(c), len(a)) },
	maximum: func(x []float32) float32 { return maximumNEON(at(x), len(x)) },
	expSum:  func(dst, x []float32, max float32) float32 { return expSumNEON(at(dst), at(x), len(x), max) },
	sumExp:  func(x []float32, max float32) float32 { return sumExpNEON(at(x), len(x), max) },

	transposeRows: transposeRowsNEON,
	softmaxGrad:   func(dp, p []float32, mean float32) { softmaxGradNEON(at(dp), at(p), len(dp), mean) },

	exp:       func(dst, x []float32) { expNEON(at(dst), at(x), len(dst)) },
	expScaled: func(x []float32, norm, scale float32) { expScaledNEON(at(x), len(x), norm, scale) },
	add:       func(y, x []float32) { addNEON(at(y), at(x), len(y)) },
	addScaled: func(y []float32, a float32, x []float32) { addScaledNEON(at(y), at(x), len(y), a) },
	scale:     func(x []float32, a float32) { scaleNEON(at(x), len(x), a) },

	normalize: func(y, x, w []float32, inv float32) { normalizeNEON(at(y), at(x), at(w), len(y), inv) },
	normGrad: func(dx, dy, x, w []float32, inv, c float32) {
		normGradNEON(at(dx), at(dy), at(x), at(w), len(dx), inv, c)
	},
	swiglu: func(y, gate, up []float32) { swigluNEON(at(y), at(gate), at(up), len(y)) },
	swigluGrad: func(gate, up, y []float32) {
		swigluGradNEON(at(gate), at(up), at(y), len(gate))
	},
	rotate:     func(lo, hi, cos, sin []float32) { rotateNEON(at(lo), at(hi), at(cos), at(sin), len(lo)) },
	rotateBack: func(lo, hi, cos, sin []float32) { rotateBackNEON(at(lo), at(hi), at(cos), at(sin), len(lo)) },
	adamw: func(p, m, v, g []float32, s adamStep) {
		adamwNEON(at(p), at(m), at(v), at(g), len(p), &s)
	},
}

// transposeRowsNEON transposes blocks of 4 rows × 4 words, and what is left word by word.
func transposeRowsNEON(panel, rows []float32, stride, n, width int) {
	const size = 4
	blocks := width / size
	if n < panelWidth || blocks == 0 {
		genericTransposeRows(panel, rows, stride, n, width)
		return
	}
	for r := 0; r < panelWidth; r += size {
		transposeNEON(&panel[r], &rows[r*stride], panelWidth, stride, blocks)
	}
	done := blocks * size
	genericTransposeRows(panel[done*panelWidth:], rows[done:], stride, n, width-done)
}
