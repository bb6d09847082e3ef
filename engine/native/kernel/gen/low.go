package main

import "fmt"

// productBF16 are the products of pairs of bfloat16 and what brings their operands together.
func productBF16() string {
	a := newAsm()
	a.bytes("swapMiddle", 0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15)
	one, two := a.swept(avx512, 12, 1, pairs), a.swept(avx512, 12, 2, pairs)
	a.multiply("multiplyPairsAVX512", "multiplyPairsAVX512: c[rows][16] (+)= a[rows][depth]·b[depth][16] for words that are pairs of bfloat16, one panel.", one)
	a.sweep(one)
	a.multiply("multiply2PairsAVX512", "multiply2PairsAVX512: the same for two panels side by side.", two)
	a.sweep(two)
	a.outer("outerPairsAVX512", a.swept(avx512, 12, 1, outerPairs))
	a.outer("outer2PairsAVX512", a.swept(avx512, 12, 2, outerPairs))
	a.transposePairs()
	a.roundPairs()
	a.roundRowPairs()
	a.int8Tables()
	a.int8Pairs()
	a.multiplyInt8()
	a.nf4Tables()
	a.nf4Pairs()
	return a.String()
}

// bytes writes a table.
func (a *asm) bytes(name string, values ...byte) {
	a.WriteString("\n")
	for i, v := range values {
		fmt.Fprintf(a, "DATA %s<>+%d(SB)/1, $%d\n", name, i, v)
	}
	fmt.Fprintf(a, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", name, len(values))
}

// roundPairs leaves the first of a pair below the second.
func (a *asm) roundPairs() {
	a.rounding("roundPairsAVX512", "roundPairsAVX512: x rounded to bfloat16, in pairs; the last one alone has a zero above it.", func() {})
}

// rounding takes 32 values at a time; the rest is read and written under masks. arrange may change the pairs in Z0.
func (a *asm) rounding(name, doc string, arrange func()) {
	a.function(name, doc, "DI dst, SI x, R9 n, R10 whole registers of pairs left; Z0 and Z1 x, then Z0 pairs; "+
		"K1 and K2 the masks of the last x, K3 of their pairs, AX and CX make them", false, "dst", "x", "n")
	a.load("dst", "DI", "x", "SI", "n", "R9")
	a.op("MOVQ R9, R10")
	a.op("SHRQ $5, R10")
	a.loop("R10", func() {
		a.op("VMOVUPS (SI), Z0")
		a.op("VMOVUPS 64(SI), Z1")
		a.toBF16("Z0", "Z1", "Z0")
		arrange()
		a.op("VMOVDQU32 Z0, (DI)")
		a.op("ADDQ $128, SI")
		a.op("ADDQ $64, DI")
	})
	done := a.label("done")
	a.op("ANDQ $31, R9")
	a.op("JZ %s", done)
	a.note("masks of the first n elements: of 32 to read, of an even number to write")
	a.maskOf("R9", "K1")
	a.op("SHRQ $16, AX")
	a.op("KMOVW AX, K2")
	a.op("INCQ CX")
	a.op("ANDQ $-2, CX")
	a.op("MOVQ $1, AX")
	a.op("SHLQ CX, AX")
	a.op("DECQ AX")
	a.op("KMOVD AX, K3")
	a.op("VMOVUPS.Z (SI), K1, Z0")
	a.op("VMOVUPS.Z 64(SI), K2, Z1")
	a.toBF16("Z0", "Z1", "Z0")
	arrange()
	a.op("VMOVDQU16 Z0, K3, (DI)")
	a.place(done)
	a.ret()
}

// roundRowPairs takes 16 values of each row at a time; the rest is read and written under a mask.
func (a *asm) roundRowPairs() {
	a.function("roundRowPairsAVX512", "roundRowPairsAVX512: two rows rounded to bfloat16, an element of each in a word, that of odd above.",
		"DI dst, SI even, DX odd, R9 n, R10 whole registers left; Z0 and Z1 values of even and odd, then Z0 pairs; K1 the mask of the last, AX and CX make it",
		false, "dst", "even", "odd", "n")
	a.load("dst", "DI", "even", "SI", "odd", "DX", "n", "R9")
	a.op("MOVQ R9, R10")
	a.op("SHRQ $4, R10")
	a.loop("R10", func() {
		a.op("VMOVUPS (SI), Z0")
		a.op("VMOVUPS (DX), Z1")
		a.interleaved()
		a.op("VMOVDQU32 Z0, (DI)")
		for _, r := range []string{"SI", "DX", "DI"} {
			a.op("ADDQ $64, %s", r)
		}
	})
	done := a.label("done")
	a.op("ANDQ $15, R9")
	a.op("JZ %s", done)
	a.maskOf("R9", "K1")
	a.op("VMOVUPS.Z (SI), K1, Z0")
	a.op("VMOVUPS.Z (DX), K1, Z1")
	a.interleaved()
	a.op("VMOVDQU32 Z0, K1, (DI)")
	a.place(done)
	a.ret()
}

// maskOf sets AX and a mask to as many ones as the register says. It uses CX.
func (a *asm) maskOf(n, mask string) {
	a.op("MOVQ %s, CX", n)
	a.op("MOVQ $1, AX")
	a.op("SHLQ CX, AX")
	a.op("DECQ AX")
	a.op("KMOVW AX, %s", mask)
}

// interleaved sets Z0 to the words of which Z0 has the lower halves, as float32, and Z1 the upper ones. It uses Z1.
func (a *asm) interleaved() {
	a.toBF16("Z0", "Z1", "Z0")
	a.op("VEXTRACTI64X4 $1, Z0, Y1")
	a.op("VPMOVZXWD Y0, Z0")
	a.op("VPMOVZXWD Y1, Z1")
	a.op("VPSLLD $16, Z1, Z1")
	a.op("VPORD Z1, Z0, Z0")
}

// lowAVX2 brings together the operands of products of low precision for processors without an instruction for them.
func lowAVX2() string {
	a := newAsm()
	a.tables()
	a.floatModes()
	for _, c := range lowConstants {
		a.words(c.name, c.bits)
	}
	a.round()
	a.roundInPlace()
	a.addProducts()
	a.spreadPairs()
	a.inputTables()
	a.int8Floats()
	a.multiplyInt8Floats()
	a.nf4Tables()
	a.nf4Floats()
	return a.String()
}

var lowConstants = []struct {
	name string
	bits uint32
}{{"upper", 0xffff0000}, {"justBelowHalf", 0x7fff}, {"lowest", 1}, {"exponent", 0x7f800000}, {"quiet", 0x400000}, {"magnitudes", 0x7f7f7f7f}, {"notANumber", 0x7fc00000}}

// words writes a vector of one value.
func (a *asm) words(name string, bits uint32) {
	a.WriteString("\n")
	for lane := range 8 {
		fmt.Fprintf(a, "DATA %s<>+%d(SB)/4, $0x%08x\n", name, 4*lane, bits)
	}
	fmt.Fprintf(a, "GLOBL %s<>(SB), RODATA|NOPTR, $32\n", name)
}

// round writes the values of pairs with the odd one first.
func (a *asm) round() {
	a.write(row{name: "roundAVX2", doc: "x rounded to bfloat16, as float32, the elements of each pair swapped; n is even.", plan: "Y0 x, " + upperHalfPlan, slices: "dst DI, x SI", body: func(v vector) {
		v.load("SI", "Y0")
		v.op("VPERMILPS $0xb1, Y0, Y0")
		v.toUpperHalf()
		v.store("Y1", "DI")
	}})
}

// upperHalfPlan is the part of a register plan that belongs to toUpperHalf.
const upperHalfPlan = "Y1 x rounded, Y2 which are NaN or denormal, Y3 what takes their place"

// toUpperHalf sets Y1 to Y0 rounded to bfloat16. A NaN stays one, a denormal value becomes zero. It uses Y2 and Y3.
func (a *asm) toUpperHalf() {
	a.op("VPSRLD $16, Y0, Y1")
	a.op("VPAND lowest<>(SB), Y1, Y1")
	a.op("VPADDD justBelowHalf<>(SB), Y1, Y1")
	a.op("VPADDD Y1, Y0, Y1")
	a.note("NaN")
	a.op("VCMPPS $3, Y0, Y0, Y2")
	a.op("VPOR quiet<>(SB), Y0, Y3")
	a.op("VBLENDVPS Y2, Y3, Y1, Y1")
	a.op("VPAND upper<>(SB), Y1, Y1")
	a.note("denormal: the sign alone")
	a.op("VPAND exponent<>(SB), Y0, Y2")
	a.op("VPXOR Y3, Y3, Y3")
	a.op("VPCMPEQD Y3, Y2, Y2")
	a.op("VPAND %s, Y0, Y3", constant("sign"))
	a.op("VBLENDVPS Y2, Y3, Y1, Y1")
}

func (a *asm) addProducts() {
	a.write(row{name: "addProductsAVX2", doc: "c += x·steps, the products rounded first.", plan: "Y0 to Y2 elements of c, x and steps", slices: "c DI, x SI, steps DX", body: func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.load("DX", "Y2")
		v.op("VMULPS Y2, Y1, Y1")
		v.op("VADDPS Y1, Y0, Y0")
		v.store("Y0", "DI")
	}})
}

func (a *asm) spreadPairs() {
	a.function("spreadAVX2", "spreadAVX2: rows of 16 pairs as two rows of float32, the odd elements first.",
		"DI dst, SI pairs, R9 rows left; Y7 the mask of odd elements, Y0 and Y1 pairs, then their even elements, Y2 odd ones",
		false, "dst", "pairs", "rows")
	a.load("dst", "DI", "pairs", "SI", "rows", "R9")
	a.op("VMOVDQU upper<>(SB), Y7")
	a.loop("R9", func() {
		for i := range 2 {
			a.op("VMOVDQU %d(SI), Y%d", 32*i, i)
			a.op("VPAND Y7, Y%d, Y2", i)
			a.op("VPSLLD $16, Y%d, Y%d", i, i)
			a.op("VMOVDQU Y2, %d(DI)", 32*i)
			a.op("VMOVDQU Y%d, %d(DI)", i, 64+32*i)
		}
		a.op("ADDQ $64, SI")
		a.op("ADDQ $128, DI")
	})
	a.ret()
}
