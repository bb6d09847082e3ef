package main

import (
	"fmt"
	"math"
)

// Codes of int8 weights come in blocks of 64 bytes: 4 inputs of 16 outputs, sign and magnitude. Quarter q has outputs 4q to 4q+3:
// the first two inputs of each, then the other two. A look-up of the magnitudes in tables of the upper and lower bytes of
// bfloat16 and an interleaving of the two make them pairs.

// int8Tables writes the bytes of the bfloat16 of 0, ..., 127, upper ones first.
func (a *asm) int8Tables() {
	var upper, lower []byte
	for n := range 128 {
		bits := math.Float32bits(float32(n))
		upper, lower = append(upper, byte(bits>>24)), append(lower, byte(bits>>16))
	}
	a.bytes("int8Pairs", append(upper, lower...)...)
	a.words("signs", 0x80808080)
}

// int8DecodePlan is the part of a register plan that belongs to decodeInt8 and its tables.
const int8DecodePlan = "Z25 and Z26 the block that is decoded, Z27 and Z28 upper bytes of bfloat16, Z29 and Z30 lower ones, Z31 signs"

// loadInt8Tables fills the registers of tables and signs.
func (a *asm) loadInt8Tables() {
	for i := range 4 {
		a.op("VMOVDQU32 int8Pairs<>+%d(SB), Z%d", 64*i, 27+i)
	}
	a.op("VPBROADCASTD signs<>(SB), Z31")
}

// decodeInt8 turns the block at from into its first pairs (as far as low is a register) and its second ones. It uses Z25 and Z26.
func (a *asm) decodeInt8(from, low, high string) {
	a.op("VMOVDQU32 %s, Z25", from)
	a.op("VMOVDQA32 Z25, Z26")
	a.op("VPERMI2B Z28, Z27, Z26")
	a.op("VPTERNLOGD $0xf8, Z31, Z25, Z26")
	a.op("VPERMI2B Z30, Z29, Z25")
	a.op("VPUNPCKLBW Z26, Z25, %s", low)
	if high != "" {
		a.op("VPUNPCKHBW Z26, Z25, %s", high)
	}
}

func (a *asm) int8Pairs() {
	a.function("int8PairsAVX512", "int8PairsAVX512: n pairs of 16 outputs from blocks of 4 inputs.",
		"DI dst, SI codes, R9 n, then whether a pair is left, R10 blocks left; Z0 and Z1 pairs; "+int8DecodePlan,
		false, "dst", "codes", "n")
	a.load("dst", "DI", "codes", "SI", "n", "R9")
	a.loadInt8Tables()
	a.op("MOVQ R9, R10")
	a.op("SHRQ $1, R10")
	a.loop("R10", func() {
		a.decodeInt8("(SI)", "Z0", "Z1")
		a.op("VMOVDQU32 Z0, (DI)")
		a.op("VMOVDQU32 Z1, 64(DI)")
		a.op("PREFETCHT1 4096(SI)")
		a.op("ADDQ $64, SI")
		a.op("ADDQ $128, DI")
	})
	a.op("ANDQ $1, R9")
	a.loop("R9", func() {
		a.decodeInt8("(SI)", "Z0", "")
		a.op("VMOVDQU32 Z0, (DI)")
	})
	a.ret()
}

// int8Rows is the most rows of a product that reads the codes themselves: beyond, it pays to make pairs of them first.
const int8Rows = 8

// multiplyInt8 writes products of a few rows of pairs with two panels of codes.
func (a *asm) multiplyInt8() {
	most := tile{asm: a, extension: avx512, rows: int8Rows, panels: 2, kind: pairs}
	a.function("multiplyInt8AVX512", "multiplyInt8AVX512: c[rows][32] = a[rows][depth]·b for pairs a and two panels of codes ldb bytes apart, 0 < rows ≤ 8.",
		int8Tile{most}.plan(), false, "c", "a", "b", "ldc", "lda", "ldb", "depth", "rows")
	a.load("c", "DI", "a", "SI", "b", "DX", "ldc", "R8", "lda", "R9", "ldb", "R10", "depth", "R11", "rows", "R12")
	a.op("SHLQ $2, R8")
	a.op("SHLQ $2, R9")
	a.loadInt8Tables()
	for rows := int8Rows; rows > 0; rows-- {
		next := a.label("fewer")
		a.op("CMPQ R12, $%d", rows)
		a.op("JNE %s", next)
		int8Tile{tile{asm: a, extension: avx512, rows: rows, panels: 2, kind: pairs}}.emit()
		a.ret()
		a.place(next)
	}
	a.ret()
}

// An int8Tile is a tile of pairs whose right operand is decoded on the way.
type int8Tile struct{ tile }

func (t int8Tile) plan() string {
	return "DI c, SI a, DX walks the codes; " + t.distancesPlan("codes") + "; R11 depth, R12 rows; " +
		t.walkersPlan("a or c") + "; R15 bytes of three panels, R14 counts. " +
		span(t.reg, 0, t.rows*t.perRow()) + " c, or fewer, Z20 a broadcast of a, Z21 to Z24 two words of both panels; " + int8DecodePlan
}

func (t int8Tile) emit() {
	for r := range t.rows {
		for v := range 2 {
			t.op("VPXORD %[1]s, %[1]s, %[1]s", t.acc(r, v))
		}
	}
	t.setWalkers("SI", "R9")
	t.op("LEAQ (R10)(R10*2), R15") // the two panels after these
	t.op("MOVQ R11, R14")
	t.op("SHRQ $1, R14")
	t.loop("R14", func() {
		t.words(2)
		t.op("PREFETCHT1 (DX)(R10*2)")
		t.op("PREFETCHT1 (DX)(R15*1)")
		t.op("ADDQ $64, DX")
		for i := 0; 3*i < t.rows; i++ {
			t.op("ADDQ $8, %s", walkers[i])
		}
	})
	t.op("ANDQ $1, R11")
	t.loop("R11", func() { t.words(1) })
	t.end()
}

// words continues all chains by n words.
func (t int8Tile) words(n int) {
	for v, from := range []string{"(DX)", "(DX)(R10*1)"} {
		high := fmt.Sprintf("Z%d", 23+v)
		if n == 1 {
			high = ""
		}
		t.decodeInt8(from, fmt.Sprintf("Z%d", 21+v), high)
	}
	for word := range n {
		for r := range t.rows {
			t.op("VBROADCASTSS %s, Z20", inRow("R9", r, 4*word))
			for v := range 2 {
				t.mulAdd(fmt.Sprintf("Z%d", 21+2*word+v), "Z20", t.acc(r, v))
			}
		}
	}
}

// int8Floats makes float32 of the codes, the odd input of a pair first: half of a block at a time, which are two quarters and so eight outputs.
func (a *asm) int8Floats() {
	a.function("int8FloatsAVX2", "int8FloatsAVX2: 4·blocks rows of 16 outputs from blocks of 4 inputs, those of each pair swapped.",
		"DI dst, SI codes, R9 blocks left; Y0 half a block of codes as signed bytes, Y1 to Y4 the values of its inputs, Y1 first their magnitudes; "+
			"Y8 to Y11 where the bytes of each input are, Y15 the mask of magnitudes",
		false, "dst", "codes", "blocks")
	a.load("dst", "DI", "codes", "SI", "blocks", "R9")
	a.op("VMOVDQU magnitudes<>(SB), Y15")
	for input := range 4 {
		a.op("VMOVDQU input%d<>(SB), Y%d", input, 8+input)
	}
	a.loop("R9", func() {
		for half := range 2 {
			a.op("VMOVDQU %d(SI), Y0", 32*half)
			a.op("VPAND Y15, Y0, Y1")
			a.op("VPSIGNB Y0, Y1, Y0")
			for input := range 4 {
				value := fmt.Sprintf("Y%d", 1+input)
				a.op("VPSHUFB Y%d, Y0, %s", 8+input, value)
				a.op("VPSRAD $24, %s, %[1]s", value)
				a.op("VCVTDQ2PS %s, %[1]s", value)
				a.op("VMOVUPS %s, %d(DI)", value, panelBytes*(input^1)+32*half)
			}
		}
		a.op("ADDQ $64, SI")
		a.op("ADDQ $256, DI")
	})
	a.ret()
}

// multiplyInt8Floats writes products of a few rows of float32 with panels of codes.
func (a *asm) multiplyInt8Floats() {
	for _, panels := range []int{1, 2} {
		rows := int8ChainsAVX2 / panels
		name := fmt.Sprintf("multiplyInt8x%dAVX2", panels)
		a.function(name, fmt.Sprintf("%s: c[rows][%d] = a[rows][depth]·b for float32 a, those of each pair swapped, and %d panels of codes ldb bytes apart, 0 < rows ≤ %d.", name, 16*panels, panels, rows),
			int8FloatTile{tile{asm: a, extension: avx2, rows: rows, panels: panels}}.plan(), false, "c", "a", "b", "ldc", "lda", "ldb", "depth", "rows", "ahead")
		a.load("c", "DI", "a", "SI", "b", "DX", "ldc", "R8", "lda", "R9", "ldb", "R10", "depth", "R11", "rows", "R12", "ahead", "CX")
		a.op("SHLQ $2, R8")
		a.op("SHLQ $2, R9")
		a.op("ADDQ DX, CX")
		a.op("LDMXCSR floatModes<>+4(SB)")
		for ; rows > 0; rows-- {
			next := a.label("fewer")
			a.op("CMPQ R12, $%d", rows)
			a.op("JNE %s", next)
			int8FloatTile{tile{asm: a, extension: avx2, rows: rows, panels: panels}}.emit()
			a.op("LDMXCSR floatModes<>(SB)")
			a.ret()
			a.place(next)
		}
		a.op("LDMXCSR floatModes<>(SB)")
		a.ret()
	}
}

// int8ChainsAVX2 is how many rows times panels have room in the registers beside what decodes.
const int8ChainsAVX2 = 4

// inputTables writes what moves the codes of each input of a block.
func (a *asm) inputTables() {
	for input := range byte(4) {
		a.bytes(fmt.Sprintf("input%d", input), inputBytes(input)...)
	}
}

// inputBytes moves one input's codes of two quarters to the highest bytes of eight words, and zeros below.
func inputBytes(input byte) []byte {
	var from []byte
	for range 2 {
		for output := range byte(4) {
			from = append(from, 0x80, 0x80, 0x80, input/2*8+output*2+input%2)
		}
	}
	return from
}

// An int8FloatTile is a tile of float32 whose right operand is decoded on the way.
type int8FloatTile struct{ tile }

func (t int8FloatTile) plan() string {
	return "DI c, SI a, DX walks the codes, CX those that are prefetched; " + t.distancesPlan("codes") + "; R11 depth, R12 rows; " +
		t.walkersPlan("a or c") + "; R14 counts. " +
		span(t.reg, 0, t.rows*t.perRow()) + " c, or fewer, " + span(t.reg, 8, t.perRow()) + " the signed bytes of a block of each panel, Y12 and Y13 the values of one input, " +
		"Y14 a broadcast of a, Y15 the mask of magnitudes"
}

func (t int8FloatTile) emit() {
	for r := range t.rows {
		for v := range t.perRow() {
			t.op("VXORPS %[1]s, %[1]s, %[1]s", t.acc(r, v))
		}
	}
	t.op("VMOVDQU magnitudes<>(SB), Y15")
	t.setWalkers("SI", "R9")
	t.op("MOVQ R11, R14")
	t.op("SHRQ $2, R14")
	t.loop("R14", func() {
		t.inputs(4)
		t.op("PREFETCHT1 (CX)")
		if t.panels == 2 {
			t.op("PREFETCHT1 (CX)(R10*1)")
		}
		t.op("ADDQ $64, CX")
		t.op("ADDQ $64, DX")
		for i := 0; 3*i < t.rows; i++ {
			t.op("ADDQ $16, %s", walkers[i])
		}
	})
	t.op("ANDQ $3, R11")
	rest := t.label("rest")
	t.op("JZ %s", rest)
	t.inputs(2)
	t.place(rest)
	t.end()
}

// inputs continues all chains by the first n inputs of a block, the odd one of each pair first.
func (t int8FloatTile) inputs(n int) {
	for v := range t.perRow() {
		code := fmt.Sprintf("Y%d", 8+v)
		t.op("VMOVDQU %s, %s", panelAfter("DX", v%2*32, v/2), code)
		t.op("VPAND Y15, %s, Y12", code)
		t.op("VPSIGNB %s, Y12, %[1]s", code)
	}
	for word := range n {
		for panel := range t.panels {
			for v := range 2 {
				value := fmt.Sprintf("Y%d", 12+v)
				t.op("VPSHUFB input%d<>(SB), Y%d, %s", word^1, 8+2*panel+v, value)
				t.op("VPSRAD $24, %s, %[1]s", value)
				t.op("VCVTDQ2PS %s, %[1]s", value)
			}
			for r := range t.rows {
				t.op("VBROADCASTSS %s, Y14", inRow("R9", r, 4*word))
				for v := range 2 {
					t.op("VFMADD231PS Y%d, Y14, %s", 12+v, t.acc(r, 2*panel+v))
				}
			}
		}
	}
}
