package kernel

// The functions of the generated assembly. Distances (ld...) are in words. All lengths may be zero unless said otherwise; nothing
// outside the given shapes is read or written.

//go:noescape
func multiplyAVX2(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiplyHalfAVX2(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiply1x4AVX2(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiply2x2AVX2(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiply3x2AVX2(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiplyWidenedAVX2(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiplyWidened1x4AVX2(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiplyWidened2x2AVX2(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiplyWidened3x2AVX2(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func outerAVX2(c, a, b *float32, ldc, lda, ldb, depth, rows int)

//go:noescape
func transposeAVX2(dst, src *float32, ldd, lds, blocks int)

//go:noescape
func prefetchAVX2(p *float32, lines int)

//go:noescape
func transposeSwappedAVX2(dst, src *float32, ldd, lds, blocks int)

//go:noescape
func multiplyAVX512(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiply2AVX512(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

//go:noescape
func multiply2PacedAVX512(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, flush int, paced *pacedPrefetch)

//go:noescape
func multiplyShallowAVX512(c, a, b *float32, ldc, lda, ldb, depth, rows, pairs, ahead int)

//go:noescape
func outerAVX512(c, a, b *float32, ldc, lda, ldb, depth, rows int)

//go:noescape
func outer2AVX512(c, a, b *float32, ldc, lda, ldb, depth, rows int)

//go:noescape
func transpose16AVX512(dst, src *float32, ldd, blocks int)

//go:noescape
func transposeSwapped16AVX512(dst, src *float32, ldd, blocks int)

//go:noescape
func multiplyPairsAVX512(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip int)

//go:noescape
func multiply2PairsAVX512(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip int)

//go:noescape
func transposePairsAVX512(dst, src *float32, ldd, blocks int)

//go:noescape
func roundPairsAVX512(dst, x *float32, n int)

//go:noescape
func roundAVX2(dst, x *float32, n int)

//go:noescape
func addProductsAVX2(c, x, steps *float32, n int)

//go:noescape
func spreadAVX2(dst *float32, pairs *uint32, rows int)

//go:noescape
func roundRowPairsAVX512(dst, even, odd *float32, n int)

//go:noescape
func outerPairsAVX512(c, a, b *float32, ldc, lda, ldb, depth, rows int)

//go:noescape
func outer2PairsAVX512(c, a, b *float32, ldc, lda, ldb, depth, rows int)

//go:noescape
func int8PairsAVX512(dst *float32, codes *byte, n int)

//go:noescape
func int8FloatsAVX2(dst *float32, codes *byte, blocks int)

//go:noescape
func multiplyInt8x1AVX2(c, a *float32, b *byte, ldc, lda, ldb, depth, rows, ahead int)

//go:noescape
func multiplyInt8x2AVX2(c, a *float32, b *byte, ldc, lda, ldb, depth, rows, ahead int)

//go:noescape
func multiplyInt8AVX512(c, a *float32, b *byte, ldc, lda, ldb, depth, rows int)

//go:noescape
func nf4PairsAVX512(dst *float32, codes *uint32, scale *float32, rows int)

//go:noescape
func nf4FloatsAVX2(dst *float32, codes *uint32, scale *float32, rows int)

//go:noescape
func multiplyTiles1x1AMX(c, a, b *float32, ldc, lda, ldb, steps, groups, accumulate, ahead, apart, skip, lines, beside int, shape *tileShape)

//go:noescape
func multiplyTiles1x2AMX(c, a, b *float32, ldc, lda, ldb, steps, groups, accumulate, ahead, apart, skip, lines, beside int, shape *tileShape)

//go:noescape
func multiplyTiles2x1AMX(c, a, b *float32, ldc, lda, ldb, steps, groups, accumulate, ahead, apart, skip, lines, beside int, shape *tileShape)

//go:noescape
func multiplyTiles2x2AMX(c, a, b *float32, ldc, lda, ldb, steps, groups, accumulate, ahead, apart, skip, lines, beside int, shape *tileShape)

//go:noescape
func multiplyRowsx1AMX(c, a, b *float32, ldc, lda, ldb, steps, groups, accumulate, ahead, apart, skip, lines, beside int, shape *tileShape)

//go:noescape
func multiplyRowsx2AMX(c, a, b *float32, ldc, lda, ldb, steps, groups, accumulate, ahead, apart, skip, lines, beside int, shape *tileShape)

//go:noescape
func peakTilesAMX(n int, shape *tileShape)

func peakAVX2(n int)
func peakAVX512(n int)
func peakPairsAVX512(n int)

//go:noescape
func readAVX2(p *byte, n int)

// pause tells the processor that this is a loop that waits.
func pause()

//go:noescape
func dotAVX2(a, b *float32, n int) float32

//go:noescape
func dot3AVX2(a, b, c *float32, n int) float32

//go:noescape
func maximumAVX2(x *float32, n int) float32

//go:noescape
func addAVX2(y, x *float32, n int)

//go:noescape
func addScaledAVX2(y, x *float32, n int, a float32)

//go:noescape
func scaleAVX2(x *float32, n int, a float32)

//go:noescape
func normalizeAVX2(y, x, w *float32, n int, inv float32)

//go:noescape
func normGradAVX2(dx, dy, x, w *float32, n int, inv, c float32)

//go:noescape
func rotateAVX2(lo, hi, cos, sin *float32, n int)

//go:noescape
func rotateBackAVX2(lo, hi, cos, sin *float32, n int)

//go:noescape
func adamwAVX2(p, m, v, grad *float32, n int, s *adamStep)

//go:noescape
func expAVX2(dst, x *float32, n int)

//go:noescape
func expScaledAVX2(x *float32, n int, norm, scale float32)

//go:noescape
func expSumAVX2(dst, x *float32, n int, max float32) float32

//go:noescape
func sumExpAVX2(x *float32, n int, max float32) float32

//go:noescape
func swigluAVX2(y, gate, up *float32, n int)

//go:noescape
func swigluGradAVX2(gate, up, y *float32, n int)

//go:noescape
func softmaxGradAVX2(dp, p *float32, n int, mean float32)

//go:noescape
func expAVX512(dst, x *float32, n int)

//go:noescape
func expScaledAVX512(x *float32, n int, norm, scale float32)

//go:noescape
func expSumAVX512(dst, x *float32, n int, max float32) float32

//go:noescape
func sumExpAVX512(x *float32, n int, max float32) float32

//go:noescape
func swigluAVX512(y, gate, up *float32, n int)

//go:noescape
func swigluGradAVX512(gate, up, y *float32, n int)
