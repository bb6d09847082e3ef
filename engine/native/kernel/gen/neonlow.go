package main

// lowNEON brings together the operands of products of low precision: float32 that bfloat16 holds, the odd element of a pair first.
func lowNEON() string {
	n := newNEON()
	n.table("rounding", neonRounding...)
	n.write(neonRow{name: "addProductsNEON", doc: "c += x·steps, the products rounded first.", plan: "V0 to V2 elements of c, x and steps", slices: []string{"c", "x", "steps"}, body: func(v neonVector) {
		v.load(0, "c")
		v.load(1, "x")
		v.load(2, "steps")
		v.mul(1, 1, 2)
		v.add(0, 0, 1)
		v.store(0, "c")
	}})
	n.round()
	n.spreadPairs()
	n.int8Floats()
	n.nf4Floats()
	return n.String()
}

// neonUpperHalfPlan is the part of a register plan that belongs to toUpperHalf.
const neonUpperHalfPlan = "V1 the same rounded, V2 which are NaN or denormal, V3 what takes their place, " + neonRoundingPlan

const neonRoundingPlan = "V16 to V21 constants of rounding, R14 where they are"

// neonRounding are the constants of toUpperHalf.
var neonRounding = []uint32{1, 0x7fff, 0x400000, 0xffff0000, 0x7f800000, 1 << 31}

const (
	lowest = 16 + iota
	justBelowHalf
	quiet
	upper
	exponent
	sign
)

// toUpperHalf sets V1 to V0 rounded to bfloat16. A NaN stays one, a denormal value becomes zero. It uses V2 and V3.
func (n neon) toUpperHalf() {
	n.shift("VUSHR", 16, 1, 0)
	n.bits("VAND", 1, 1, lowest)
	n.words("VADD", 1, 1, justBelowHalf)
	n.words("VADD", 1, 1, 0)
	n.note("NaN")
	n.two("FCMEQ", 2, 0, 0)
	n.bits("VORR", 3, 0, quiet)
	n.bits("VBIF", 1, 3, 2)
	n.bits("VAND", 1, 1, upper)
	n.note("denormal: the sign alone")
	n.words("VCMTST", 2, 0, exponent)
	n.bits("VAND", 3, 0, sign)
	n.bits("VBIF", 1, 3, 2)
}

func (n neon) round() {
	n.rounding(neonRow{name: "roundNEON", doc: "x rounded to bfloat16, as float32, the elements of each pair swapped; n is even.", plan: "V0 x, " + neonUpperHalfPlan, slices: []string{"dst", "x"}, body: func(v neonVector) {
		v.load(0, "x")
		v.op("VREV64 V0.S4, V0.S4")
		v.toUpperHalf()
		v.store(1, "dst")
	}})
}

// rounding writes a function whose body uses toUpperHalf.
func (n neon) rounding(r neonRow) {
	n.row(r)
	n.spreadTable("rounding", lowest, len(neonRounding))
	n.each(r)
	n.ret()
}

func (n neon) spreadPairs() {
	n.function("spreadNEON", "spreadNEON: rows of 16 pairs as two rows of float32, the odd elements first.",
		"R0 dst, R1 pairs, R10 rows left; V0 pairs, then even elements, V1 odd ones; "+neonRoundingPlan+", of which V19 the mask of odd elements",
		false, "dst", "pairs", "rows")
	n.load("dst", "R0", "pairs", "R1", "rows", "R10")
	n.spreadTable("rounding", lowest, len(neonRounding))
	n.loop("R10", func() {
		for i := range 4 {
			n.loadAt(0, "R1", neonWidth*i)
			n.bits("VAND", 1, 0, upper)
			n.shift("VSHL", 16, 0, 0)
			n.storeAt(1, "R0", neonWidth*i)
			n.storeAt(0, "R0", panelBytes+neonWidth*i)
		}
		n.op("ADD $%d, R1", panelBytes)
		n.op("ADD $%d, R0", 2*panelBytes)
	})
	n.ret()
}

// int8Floats looks up the codes of one input of four outputs in a quarter of a block, each into the uppermost byte of a word, where
// its sign is right.
func (n neon) int8Floats() {
	const none = 0xff
	var order []byte
	for input := range 4 {
		for lane := range 4 {
			order = append(order, none, none, none, byte(8*(input/2)+2*lane+input%2))
		}
	}
	n.bytes("codesOfInput", order...)
	n.function("int8FloatsNEON", "int8FloatsNEON: 4·blocks rows of 16 outputs from blocks of 4 inputs, those of each pair swapped.",
		"R0 dst, R1 codes, R10 blocks left; V0 a quarter of a block, V1 the values of one input, V2 their signs, V4 to V7 where the codes of each input are; "+
			neonRoundingPlan+", of which V21 the mask of signs",
		false, "dst", "codes", "blocks")
	n.load("dst", "R0", "codes", "R1", "blocks", "R10")
	n.loadTable("codesOfInput", 4, 4)
	n.spreadTable("rounding", lowest, len(neonRounding))
	n.loop("R10", func() {
		for q := range 4 {
			n.loadAt(0, "R1", neonWidth*q)
			for input := range 4 {
				n.op("VTBL V%d.B16, [V0.B16], V1.B16", 4+input)
				n.bits("VAND", 2, 1, sign)
				n.shift("VSHL", 1, 1, 1)
				n.shift("VUSHR", 25, 1, 1)
				n.one("SCVTF", 1, 1)
				n.bits("VORR", 1, 1, 2)
				n.storeAt(1, "R0", panelBytes*(input^1)+neonWidth*q)
			}
		}
		n.op("ADD $%d, R1", panelBytes)
		n.op("ADD $%d, R0", 4*panelBytes)
	})
	n.ret()
}

// nf4Floats looks up the four bytes of a level at four times its index.
func (n neon) nf4Floats() {
	var spread []byte
	for lane := range byte(4) {
		spread = append(spread, 4*lane, 4*lane, 4*lane, 4*lane)
	}
	n.bytes("nf4Levels", nf4Levels()...)
	n.bytes("spreadByte", spread...)
	n.table("byteOfWord", 0x03020100)
	n.function("nf4FloatsNEON", "nf4FloatsNEON: 8·rows rows of 16 outputs from rows of words, rounded to bfloat16, those of each pair swapped.",
		"R0 dst, R1 codes, R2 scale, R10 rows left; V4 a quarter of a row of codes, V5 scales; V0 the values of one input, "+neonUpperHalfPlan+"; "+
			"V24 to V27 levels, V28 the byte of each word, V29 the bytes of a word",
		false, "dst", "codes", "scale", "rows")
	n.load("dst", "R0", "codes", "R1", "scale", "R2", "rows", "R10")
	n.loadTable("nf4Levels", 24, 4)
	n.loadTable("spreadByte", 28, 1)
	n.spreadTable("byteOfWord", 29, 1)
	n.spreadTable("rounding", lowest, len(neonRounding))
	n.loop("R10", func() {
		for q := range 4 {
			n.loadAt(4, "R1", neonWidth*q)
			n.loadAt(5, "R2", neonWidth*q)
			for j := range 8 {
				n.shift("VSHL", 28, 0, 4)
				n.shift("VUSHR", 26, 0, 0)
				n.op("VTBL V28.B16, [V0.B16], V0.B16")
				n.bits("VADD", 0, 0, 29)
				n.op("VTBL V0.B16, [V24.B16, V25.B16, V26.B16, V27.B16], V0.B16")
				n.mul(0, 0, 5)
				n.toUpperHalf()
				n.storeAt(1, "R0", panelBytes*(j^1)+neonWidth*q)
				n.shift("VUSHR", 4, 4, 4)
			}
		}
		n.op("ADD $%d, R1", panelBytes)
		n.op("ADD $%d, R0", 8*panelBytes)
	})
	n.ret()
}
