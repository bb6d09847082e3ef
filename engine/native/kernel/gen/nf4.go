package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"parley/model/weights/quant"
)

// Indices of nf4 weights come in words of 32 bits: 8 inputs of one output, the first in the lowest bits. Rows of 16 words are
// those of a panel's outputs, which have a scale each.

// nf4Tables writes the levels, and the order that interleaves two rows of 16 halves of words.
func (a *asm) nf4Tables() {
	var order []byte
	for i := range byte(16) {
		order = append(order, i, 0, i+16, 0)
	}
	a.bytes("nf4Levels", nf4Levels()...)
	a.bytes("interleave", order...)
}

// nf4Levels are the bytes of the levels as float32.
func nf4Levels() []byte {
	var levels []byte
	for i := range byte(16) {
		levels = binary.LittleEndian.AppendUint32(levels, math.Float32bits(quant.NF4Level(i)))
	}
	return levels
}

// nf4Pairs rounds two rows of values into one register, where they have to be interleaved.
func (a *asm) nf4Pairs() {
	a.function("nf4PairsAVX512", "nf4PairsAVX512: 4·rows pairs of 16 outputs from rows of words.",
		"DI dst, SI codes, DX scale, R9 rows left; Z8 a row of codes, Z0 to Z7 the values of its inputs, then pairs in the even ones; "+
			"Z29 scales, Z30 the order that interleaves rows, Z31 levels",
		false, "dst", "codes", "scale", "rows")
	a.load("dst", "DI", "codes", "SI", "scale", "DX", "rows", "R9")
	a.op("VMOVUPS nf4Levels<>(SB), Z31")
	a.op("VMOVDQU16 interleave<>(SB), Z30")
	a.op("VMOVUPS (DX), Z29")
	a.loop("R9", func() {
		a.op("VMOVDQU32 (SI), Z8")
		a.op("PREFETCHT1 2048(SI)")
		for j := range 8 {
			a.op("VPSRLD $%d, Z8, Z%d", 4*j, j)
			a.op("VPERMPS Z31, Z%d, Z%d", j, j)
			a.op("VMULPS Z29, Z%d, Z%d", j, j)
		}
		for j := 0; j < 8; j += 2 {
			even, odd := fmt.Sprintf("Z%d", j), fmt.Sprintf("Z%d", j+1)
			a.toBF16(even, odd, even)
			a.op("VPERMW %s, Z30, %s", even, even)
			a.op("VMOVDQU32 %s, %d(DI)", even, 32*j)
		}
		a.op("ADDQ $64, SI")
		a.op("ADDQ $256, DI")
	})
	a.ret()
}

// nf4Floats looks up levels in two tables of eight; the highest bit of an index chooses. Where products that are denormal are zero, and NaNs of
// scales have no bits that rounding could carry out of, the rest of it is three additions and masks.
func (a *asm) nf4Floats() {
	a.function("nf4FloatsAVX2", "nf4FloatsAVX2: 8·rows rows of 16 outputs from rows of words, rounded to bfloat16, those of each pair swapped.",
		"DI dst, SI codes, DX scale, R9 rows left; Y8 half a row of codes; Y0 to Y2 the value of one input, its rounding and which table it is from, "+
			"Y3 to Y5 those of the next; at first Y0 which scales are NaN, Y1 what takes their place; Y9 upper, Y10 lowest, Y11 justBelowHalf, Y12 and Y13 scales, Y14 and Y15 levels",
		false, "dst", "codes", "scale", "rows")
	a.load("dst", "DI", "codes", "SI", "scale", "DX", "rows", "R9")
	a.op("VMOVUPS nf4Levels<>(SB), Y15")
	a.op("VMOVUPS nf4Levels<>+32(SB), Y14")
	a.op("VMOVUPS justBelowHalf<>(SB), Y11")
	a.op("VMOVUPS lowest<>(SB), Y10")
	a.op("VMOVUPS upper<>(SB), Y9")
	a.op("VMOVUPS notANumber<>(SB), Y1")
	scales := []string{"Y12", "Y13"}
	for half, scale := range scales {
		a.op("VMOVUPS %d(DX), %s", 32*half, scale)
		a.op("VCMPPS $3, %s, %[1]s, Y0", scale)
		a.op("VBLENDVPS Y0, Y1, %s, %[1]s", scale)
	}
	a.op("LDMXCSR floatModes<>+4(SB)")
	a.loop("R9", func() {
		for half, scale := range scales {
			a.op("VMOVDQU %d(SI), Y8", 32*half)
			for j := range 8 {
				level, other, chosen := fmt.Sprintf("Y%d", j%2*3), fmt.Sprintf("Y%d", j%2*3+1), fmt.Sprintf("Y%d", j%2*3+2)
				a.op("VPERMPS Y15, Y8, %s", level)
				a.op("VPERMPS Y14, Y8, %s", other)
				a.op("VPSLLD $28, Y8, %s", chosen)
				a.op("VBLENDVPS %s, %s, %s, %[3]s", chosen, other, level)
				a.op("VMULPS %s, %s, %[2]s", scale, level)
				a.op("VPSRLD $16, %s, %s", level, other)
				a.op("VPAND Y10, %s, %[1]s", other)
				a.op("VPADDD Y11, %s, %s", level, level)
				a.op("VPADDD %s, %s, %[2]s", other, level)
				a.op("VPAND Y9, %s, %[1]s", level)
				a.op("VMOVUPS %s, %d(DI)", level, 64*(j^1)+32*half)
				if j < 7 {
					a.op("VPSRLD $4, Y8, Y8")
				}
			}
		}
		a.op("PREFETCHT1 2048(SI)")
		a.op("ADDQ $64, SI")
		a.op("ADDQ $512, DI")
	})
	a.op("LDMXCSR floatModes<>(SB)")
	a.ret()
}
