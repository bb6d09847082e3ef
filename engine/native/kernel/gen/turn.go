package main

import "fmt"

// turn writes the transposition of 8×8 blocks. A register takes four words of row i and the same four of row i+4, loaded as two
// halves; then two rounds of shuffles within the halves make it a column of eight.
func (a *asm) turn() {
	a.function("turnAVX2", "turnAVX2: dst[8j+i][r] = src[r][8j+i] for r, i < 8 and j < blocks.", false, "dst", "src", "ldd", "lds", "blocks")
	a.load("dst", "DI", "src", "SI", "ldd", "R8", "lds", "R9", "blocks", "R11")
	a.op("SHLQ $2, R8")
	a.op("SHLQ $2, R9")
	a.loop("R11", func() {
		a.op("LEAQ (SI)(R9*4), BX")
		a.op("LEAQ (R9)(R9*2), CX")
		row := []string{"", "(R9*1)", "(R9*2)", "(CX*1)"}
		for i := range 8 {
			a.op("VMOVUPS %d(SI)%s, X%d", i/4*16, row[i%4], i)
		}
		for i := range 8 {
			a.op("VINSERTF128 $1, %d(BX)%s, Y%d, Y%d", i/4*16, row[i%4], i, i)
		}
		for half := range 2 {
			a.turnHalves(4 * half)
		}
		a.op("LEAQ (R8)(R8*2), CX")
		row = []string{"", "(R8*1)", "(R8*2)", "(CX*1)"}
		for i := range 8 {
			if i == 4 {
				a.op("LEAQ (DI)(R8*4), DI")
			}
			a.op("VMOVUPS Y%d, (DI)%s", i, row[i%4])
		}
		a.op("LEAQ (DI)(R8*4), DI")
		a.op("ADDQ $32, SI")
	})
	a.ret()
}

// turnHalves transposes the 4×4 blocks in the halves of registers first, ..., first+3.
func (a *asm) turnHalves(first int) {
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
