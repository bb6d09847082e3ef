package main

// addToLanes adds elements to sixteen lanes, which are a shared register or two, in the order of the row.
func (v vector) addToLanes(reg string) {
	for i := range v.count {
		lanes := v.shared((v.half + i) * v.width % 64 / 32)
		v.asm.op("VADDPS %s, %[2]s, %[2]s", v.of(i, reg), lanes)
	}
}

// sumLanes adds the sixteen lanes of lo and hi into lane 0 of lo: i and i+8, neighbours, neighbouring pairs, halves.
func (a *asm) sumLanes(lo, hi string) {
	a.op("VADDPS %s, %s, %s", hi, lo, lo)
	a.op("VHADDPS %s, %s, %s", lo, lo, lo)
	a.op("VHADDPS %s, %s, %s", lo, lo, lo)
	a.addHalves(lo, hi)
}

// addHalves adds the upper half of reg to its lower one, through spare.
func (a *asm) addHalves(reg, spare string) {
	a.op("VEXTRACTF128 $1, %s, X%s", reg, spare[1:])
	a.op("VADDPS X%s, X%s, X%s", spare[1:], reg[1:], reg[1:])
}

func (a *asm) zero(regs ...string) {
	for _, reg := range regs {
		a.op("VXORPS %s, %s, %s", reg, reg, reg)
	}
}
