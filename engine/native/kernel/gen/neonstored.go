package main

// storedNEON is what attention needs of keys and values in bfloat16, as storedAVX2 is for that set.
func storedNEON() string {
	n := newNEON()
	n.table("rounding", neonRounding...)
	n.products("multiplyStored", stored, "c[rows][16] (+)= a[rows][depth]·b[depth][16] for a panel b of bfloat16."+storedPlan, "%d rows of %d panels of bfloat16."+storedPlan)
	n.roundInPlace()
	n.putStored()
	return n.String()
}

// storedPlan says which registers hold what in a product with stored keys or values: those of [neonTile].
const storedPlan = `
//
// R0 c, R1 a, R2 b; R3, R4, R5 bytes from one row of c, one row of a and one panel of b to the next; R6 depth, R7 rows left, R8 rows of the
// next tiles; R23 accumulate, R24 flush, R25 FPCR as it was, R26 what a few instructions need. In a tile R9 to R14 walk the rows of a or c,
// R19 to R22 the panels of b, R15 counts. V0 on the elements, rows after each other; then four words of each row of a; then by twos eight
// columns of a row of b, which are loaded as bfloat16 into the second of the two and widened from there.`

// roundInPlace rounds a row to bfloat16.
func (n neon) roundInPlace() {
	r := neonRow{name: "roundInPlaceNEON", slices: []string{"x"}, body: func(v neonVector) {
		v.load(0, "x")
		v.toUpperHalf()
		v.store(1, "x")
	}}
	r.doc = `x rounded to bfloat16.
//
// R0 x; R10 elements left, R12 the third of the last few. V0 elements, V1 what they become, V2 and V3 what decides between them; V16 to V21
// the table.`
	n.row(r)
	n.spreadTable("rounding", lowest, len(neonRounding))
	n.each(r)
	n.ret()
}

// putStored cuts a row into pieces of a panel's width: of each word the upper half, the odd one of its two.
func (n neon) putStored() {
	n.function("putStoredNEON", `putStoredNEON: 16 values a panel, which bfloat16 holds, stored stride words apart.
//
// R0 dst, R1 x, R2 bytes from one panel to the next, R10 panels left. V0 to V3 a panel's values, V0 and V2 then their upper halves.`,
		false, "dst", "x", "stride", "panels")
	n.load("dst", "R0", "x", "R1", "stride", "R2", "panels", "R10")
	n.op("LSL $1, R2")
	n.loop("R10", func() {
		for v := 0; v < 4; v += 2 {
			n.op("FLDPQ %d(R1), (F%d, F%d)", neonWidth*v, v, v+1)
			n.op("VUZP2 V%d.H8, V%d.H8, V%d.H8", v+1, v, v)
		}
		n.op("FSTPQ (F0, F2), (R0)")
		n.op("ADD $%d, R1", panelBytes)
		n.op("ADD R2, R0")
	})
	n.ret()
}
