package kernel

// The functions of the generated assembly, as asm_amd64.go has them for that processor. Those of products return the number of rows
// that are left, where flush is set and an element became denormal.

//go:noescape
func multiply1x4NEON(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, flush int) (left int)

//go:noescape
func multiply2x2NEON(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, flush int) (left int)

//go:noescape
func multiply3x2NEON(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, flush int) (left int)

//go:noescape
func multiplyNEON(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, flush int) (left int)

//go:noescape
func outerNEON(c, a, b *float32, ldc, lda, ldb, depth, rows int)

//go:noescape
func transposeNEON(dst, src *float32, ldd, lds, blocks int)

//go:noescape
func transposeSwappedNEON(dst, src *float32, ldd, lds, blocks int)

//go:noescape
func roundNEON(dst, x *float32, n int)

//go:noescape
func addProductsNEON(c, x, steps *float32, n int)

//go:noescape
func spreadNEON(dst *float32, pairs *uint32, rows int)

//go:noescape
func int8FloatsNEON(dst *float32, codes *byte, blocks int)

//go:noescape
func nf4FloatsNEON(dst *float32, codes *uint32, scale *float32, rows int)

func peakNEON(n int)

//go:noescape
func readNEON(p *byte, n int)

//go:noescape
func dotNEON(a, b *float32, n int) float32

//go:noescape
func dot3NEON(a, b, c *float32, n int) float32

//go:noescape
func maximumNEON(x *float32, n int) float32

//go:noescape
func addNEON(y, x *float32, n int)

//go:noescape
func addScaledNEON(y, x *float32, n int, a float32)

//go:noescape
func scaleNEON(x *float32, n int, a float32)

//go:noescape
func normalizeNEON(y, x, w *float32, n int, inv float32)

//go:noescape
func normGradNEON(dx, dy, x, w *float32, n int, inv, c float32)

//go:noescape
func rotateNEON(lo, hi, cos, sin *float32, n int)

//go:noescape
func rotateBackNEON(lo, hi, cos, sin *float32, n int)

//go:noescape
func adamwNEON(p, m, v, grad *float32, n int, s *adamStep)

//go:noescape
func expNEON(dst, x *float32, n int)

//go:noescape
func expScaledNEON(x *float32, n int, norm, scale float32)

//go:noescape
func expSumNEON(dst, x *float32, n int, max float32) float32

//go:noescape
func sumExpNEON(x *float32, n int, max float32) float32

//go:noescape
func swigluNEON(y, gate, up *float32, n int)

//go:noescape
func swigluGradNEON(gate, up, y *float32, n int)

//go:noescape
func softmaxGradNEON(dp, p *float32, n int, mean float32)

// pause tells the processor that this is a loop that waits.
func pause()
