package main

// measuresNEON are loops that do nothing but what is to be measured.
func measuresNEON() string {
	n := newNEON()
	n.function("peakNEON", "peakNEON: n times 24 multiply-adds of 4 float32.", "R10 turns left; V0 to V23 chains, V24 to V31 zeros, V30 and V31 the operands", false, "n")
	n.load("n", "R10")
	for v := range neonVectors {
		n.zero(v)
	}
	n.loop("R10", func() {
		for acc := range 24 {
			n.mulAddLane(acc, 30, 31, acc%4)
		}
	})
	n.ret()
	n.function("readNEON", "readNEON: reads n blocks of 256 bytes.", "R0 p, R10 blocks left; V0 to V15 take what is read", false, "p", "n")
	n.load("p", "R0", "n", "R10")
	n.loop("R10", func() {
		for i := 0; i < 16; i += 2 {
			n.op("FLDPQ %d(R0), (F%d, F%d)", neonWidth*i, i, i+1)
		}
		n.op("ADD $256, R0")
	})
	n.ret()
	return n.String()
}
