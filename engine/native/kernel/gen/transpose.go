package main

import "fmt"

// turn writes the transposition of 8×8 blocks. A register takes four words of row i and the same four of row i+4, loaded as two
// halves; then two rounds of shuffles within the halves make it a column of eight.
func (a *asm) transpose8() {
	a.transposeBlocks("transposeAVX2", "transposeAVX2: dst[8j+i][r] = src[r][8j+i] for r, i < 8 and j < blocks.", 0)
	a.transposeBlocks("transposeSwappedAVX2", "transposeSwappedAVX2: dst[8j+i^1][r] = src[r^1][8j+i], the same with the rows of each pair swapped before and after.", 1)
}

// transposeBlocks takes row i^swap of a block where it means row i.
func (a *asm) transposeBlocks(name, doc string, swap int) {
	a.function(name, doc, "DI dst, SI src, R8 and R9 bytes from one row of them to the next, R11 blocks left; BX src four rows further, "+
		"CX bytes of three rows; Y0 to Y7 rows, then columns, Y8 to Y11 in between", false, "dst", "src", "ldd", "lds", "blocks")
	a.load("dst", "DI", "src", "SI", "ldd", "R8", "lds", "R9", "blocks", "R11")
	a.op("SHLQ $2, R8")
	a.op("SHLQ $2, R9")
	a.loop("R11", func() {
		a.op("LEAQ (SI)(R9*4), BX")
		a.op("LEAQ (R9)(R9*2), CX")
		row := []string{"", "(R9*1)", "(R9*2)", "(CX*1)"}
		for i := range 8 {
			a.op("VMOVUPS %d(SI)%s, X%d", i/4*16, row[i%4^swap], i)
		}
		for i := range 8 {
			a.op("VINSERTF128 $1, %d(BX)%s, Y%d, Y%d", i/4*16, row[i%4^swap], i, i)
		}
		for half := range 2 {
			a.transposeHalves(4 * half)
		}
		a.op("LEAQ (R8)(R8*2), CX")
		row = []string{"", "(R8*1)", "(R8*2)", "(CX*1)"}
		for i := range 8 {
			if i == 4 {
				a.op("LEAQ (DI)(R8*4), DI")
			}
			a.op("VMOVUPS Y%d, (DI)%s", i, row[i%4^swap])
		}
		a.op("LEAQ (DI)(R8*4), DI")
		a.op("ADDQ $32, SI")
	})
	a.ret()
}

// ask prefetches lines of memory into the second-level cache.
func (a *asm) prefetchLines() {
	a.function("prefetchAVX2", "prefetchAVX2: prefetches lines of 64 bytes.", "SI p, CX lines left", false, "p", "lines")
	a.load("p", "SI", "lines", "CX")
	a.loop("CX", func() {
		a.op("PREFETCHT1 (SI)")
		a.op("ADDQ $64, SI")
	})
	a.op("RET")
}

// transposeHalves transposes the 4×4 blocks in the halves of registers first, ..., first+3.
func (a *asm) transposeHalves(first int) {
	y := func(i int) string { return fmt.Sprintf("Y%d", first+i) }
	a.op("VUNPCKLPS %s, %s, Y8", y(1), y(0))
	a.op("VUNPCKHPS %s, %s, Y9", y(1), y(0))
	a.op("VUNPCKLPS %s, %s, Y10", y(3), y(2))
	a.op("VUNPCKHPS %s, %s, Y11", y(3), y(2))
	a.op("VUNPCKLPD Y10, Y8, %s", y(0))
	a.op("VUNPCKHPD Y10, Y8, %s", y(1))
	a.op("VUNPCKLPD Y11, Y9, %s", y(2))
	a.op("VUNPCKHPD Y11, Y9, %s", y(3))
}

// transpose16 writes the transposition of 16×16 words: words within quarters of a register first, then the quarters.
func (a *asm) transpose16() {
	a.transposeBlocks16("transpose16AVX512", "transpose16AVX512: dst[j·ldd+16o+i] = src[256j+16i+o] for i, o < 16 and j < blocks.", 0)
	a.transposeBlocks16("transposeSwapped16AVX512", "transposeSwapped16AVX512: the same with the rows of each pair swapped before and after.", 1)
}

// transposeBlocks16 takes row i^swap of a block where it means row i.
func (a *asm) transposeBlocks16(name, doc string, swap int) {
	a.function(name, doc, "DI dst, SI src, R8 bytes from one block of dst to the next, R11 blocks left; Z0 to Z15 rows, then columns, Z16 to Z31 in between",
		false, "dst", "src", "ldd", "blocks")
	a.load("dst", "DI", "src", "SI", "ldd", "R8", "blocks", "R11")
	a.op("SHLQ $2, R8")
	a.loop("R11", func() {
		for i := range 16 {
			a.op("VMOVUPS %d(SI), Z%d", 64*(i^swap), i)
		}
		a.transposeWords()
		for i := range 16 {
			a.op("VMOVUPS Z%d, %d(DI)", i, 64*(i^swap))
		}
		a.op("ADDQ $1024, SI")
		a.op("ADDQ R8, DI")
	})
	a.ret()
}

// transposeWords transposes the words of Z0, ..., Z15. It uses Z16 to Z31.
func (a *asm) transposeWords() {
	for i := 0; i < 16; i += 2 {
		a.op("VUNPCKLPS Z%d, Z%d, Z%d", i+1, i, 16+i)
		a.op("VUNPCKHPS Z%d, Z%d, Z%d", i+1, i, 17+i)
	}
	for i := 0; i < 16; i += 4 { // register i+c: column c of the quarters of rows i, ..., i+3
		a.op("VUNPCKLPD Z%d, Z%d, Z%d", 18+i, 16+i, i)
		a.op("VUNPCKHPD Z%d, Z%d, Z%d", 18+i, 16+i, i+1)
		a.op("VUNPCKLPD Z%d, Z%d, Z%d", 19+i, 17+i, i+2)
		a.op("VUNPCKHPD Z%d, Z%d, Z%d", 19+i, 17+i, i+3)
	}
	a.transposeQuarters(4)
}

// transposeQuarters takes the 4×4 quarters (128 bits) of Z(4r+c), r = 0..3, as a matrix for each c < n and transposes it.
func (a *asm) transposeQuarters(n int) {
	for c := range n {
		a.op("VSHUFF32X4 $0x44, Z%d, Z%d, Z%d", 4+c, c, 16+c)
		a.op("VSHUFF32X4 $0xee, Z%d, Z%d, Z%d", 4+c, c, 20+c)
		a.op("VSHUFF32X4 $0x44, Z%d, Z%d, Z%d", 12+c, 8+c, 24+c)
		a.op("VSHUFF32X4 $0xee, Z%d, Z%d, Z%d", 12+c, 8+c, 28+c)
	}
	for c := range n {
		a.op("VSHUFF32X4 $0x88, Z%d, Z%d, Z%d", 24+c, 16+c, c)
		a.op("VSHUFF32X4 $0xdd, Z%d, Z%d, Z%d", 24+c, 16+c, 4+c)
		a.op("VSHUFF32X4 $0x88, Z%d, Z%d, Z%d", 28+c, 20+c, 8+c)
		a.op("VSHUFF32X4 $0xdd, Z%d, Z%d, Z%d", 28+c, 20+c, 12+c)
	}
}

// transposePairs writes the transposition of 16×16 bfloat16: within 64 bits first, 2 inputs of 2 outputs, then those as units.
func (a *asm) transposePairs() {
	a.function("transposePairsAVX512", "transposePairsAVX512: pairs of outputs dst[j·ldd+16p+i] from pairs of inputs src[128j+16p+o], p < 8, i, o < 16 and j < blocks.",
		"DI dst, SI src, R8 bytes from one block of dst to the next, R11 blocks left; Z31 the order of swapMiddle; Z16 to Z23 pairs of inputs, "+
			"Z0, Z1, Z4, Z5, Z8, Z9, Z12, Z13 units of 64 bits, then pairs of outputs, Z16, Z17, Z20, Z21, Z24, Z25, Z28, Z29 in between",
		false, "dst", "src", "ldd", "blocks")
	a.load("dst", "DI", "src", "SI", "ldd", "R8", "blocks", "R11")
	a.op("SHLQ $2, R8")
	a.op("VBROADCASTI32X4 swapMiddle<>(SB), Z31")
	a.loop("R11", func() {
		for j := range 4 {
			for c := range 2 {
				a.op("VMOVDQU32 %d(SI), Z%d", 64*(2*j+c), 16+2*j+c)
				a.op("VPSHUFB Z31, Z%d, Z%d", 16+2*j+c, 16+2*j+c)
			}
		}
		for j := range 4 {
			a.op("VUNPCKLPD Z%d, Z%d, Z%d", 17+2*j, 16+2*j, 4*j)
			a.op("VUNPCKHPD Z%d, Z%d, Z%d", 17+2*j, 16+2*j, 4*j+1)
		}
		a.transposeQuarters(2)
		for q := range 4 {
			for c := range 2 {
				a.op("VMOVDQU32 Z%d, %d(DI)", 4*q+c, 64*(2*q+c))
			}
		}
		a.op("ADDQ $512, SI")
		a.op("ADDQ R8, DI")
	})
	a.ret()
}
