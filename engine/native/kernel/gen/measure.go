package main

import "fmt"

const widePeakPlan = "CX turns left; Z0 to Z23 chains, Z24 to Z31 zeros, Z30 and Z31 the operands"

// measures are loops that do nothing but what is to be measured.
func measures() string {
	a := newAsm()
	a.peak("peakAVX2", "12 multiply-adds of 8 float32", "CX turns left; Y0 to Y11 chains, Y12 to Y15 zeros, Y14 and Y15 the operands", 12, func(acc int) { a.op("VFMADD231PS Y15, Y14, Y%d", acc) })
	a.peak("peakAVX512", "24 multiply-adds of 16 float32", widePeakPlan, 24, func(acc int) { a.op("VFMADD231PS Z31, Z30, Z%d", acc) })
	a.peak("peakPairsAVX512", "24 multiply-adds of 16 pairs of bfloat16", widePeakPlan, 24, func(acc int) { a.dotBF16("Z31", "Z30", fmt.Sprintf("Z%d", acc)) })
	a.function("readAVX2", "readAVX2: reads n blocks of 256 bytes.", "SI p, CX blocks left; Y0 to Y7 take what is read", false, "p", "n")
	a.load("p", "SI", "n", "CX")
	a.loop("CX", func() {
		for i := range 8 {
			a.op("VPXOR %d(SI), Y%d, Y%d", 32*i, i, i)
		}
		for i := range 4 {
			a.op("PREFETCHT1 %d(SI)", 1024+64*i)
		}
		a.op("ADDQ $256, SI")
	})
	a.ret()
	return a.String()
}

// peak writes a loop over independent chains in registers.
func (a *asm) peak(name, doc, plan string, chains int, step func(acc int)) {
	a.function(name, name+": n times "+doc+".", plan, false, "n")
	a.load("n", "CX")
	for i := range 16 {
		a.op("VXORPS Y%d, Y%d, Y%d", i, i, i)
	}
	if chains > 12 {
		for i := 16; i < 32; i++ {
			a.op("VPXORD Z%d, Z%d, Z%d", i, i, i)
		}
	}
	a.loop("CX", func() {
		for i := range chains {
			step(i)
		}
	})
	a.ret()
}
