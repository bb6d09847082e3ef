package main

// storedNEON is what attention needs of keys and values in bfloat16, as storedAVX2 is for that set.
func storedNEON() string {
	n := newNEON()
	n.table("rounding", neonRounding...)
	n.products("multiplyStored", stored, "c[rows][16] (+)= a[rows][depth]·b[depth][16] for a panel b of bfloat16.", "%d rows of %d panels of bfloat16.")
	n.roundInPlace()
	n.putStored()
	return n.String()
}

// roundInPlace rounds a row to bfloat16.
func (n neon) roundInPlace() {
	n.rounding(neonRow{name: "roundInPlaceNEON", doc: "x rounded to bfloat16.", plan: "V0 x, " + neonUpperHalfPlan, slices: []string{"x"}, body: func(v neonVector) {
		v.load(0, "x")
		v.toUpperHalf()
		v.store(1, "x")
	}})
}

// putStored cuts a row into pieces of a panel's width: of each word the upper half, the odd one of its two.
func (n neon) putStored() {
	n.function("putStoredNEON", "putStoredNEON: 16 values a panel, which bfloat16 holds, stored stride words apart.",
		"R0 dst, R1 x, R2 bytes from one panel to the next, R10 panels left. V0 to V3 a panel's values, V0 and V2 then their upper halves", false, "dst", "x", "stride", "panels")
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
