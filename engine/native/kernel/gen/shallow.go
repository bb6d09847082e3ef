package main

import "fmt"

// shallowRows is the most rows of a product that goes along the panels in one call.
const shallowRows = 8

// shallow writes a function for products of little depth, as those that an adapter adds to a few rows: a call for two panels would take
// longer than their arithmetic.
func (a *asm) shallow(ext extension) {
	most := tile{asm: a, extension: ext, rows: shallowRows, panels: 2, kind: product}
	a.function("multiplyShallow"+ext.name, fmt.Sprintf("multiplyShallow%s: c[rows][32·pairs] += a[rows][depth]·b, pairs of panels, for at most %d rows. Panels that begin ahead bytes further are prefetched.", ext.name, shallowRows),
		most.alongPlan(), false, append(tileArgs[:len(tileArgs):len(tileArgs)], "pairs", "ahead")...)
	a.tileArguments()
	a.load("b", "DX", "rows", "AX")
	for rows := 1; rows <= shallowRows; rows++ {
		other := a.label("other")
		a.op("CMPQ AX, $%d", rows)
		a.op("JNE %s", other)
		tile{asm: a, extension: ext, rows: rows, panels: 2, kind: product}.alongPanels()
		a.ret()
		a.place(other)
	}
	a.ret()
}

// pairsAhead is how many pairs of panels ahead results are prefetched.
const pairsAhead = 4

// alongPlan is the register plan of a product whose largest tile t goes along the panels.
func (t tile) alongPlan() string {
	return "DI c of the pair; SI a; DX the pair of panels; " + t.distancesPlan("b") + "; R11 depth, AX rows, R12 pairs left; " + t.walkersPlan("a or c") +
		", CX walks b, R15 the pair that is prefetched; R14 counts. " + t.vectorsPlan() + fewerRows
}

// alongPanels computes the tile for all pairs of panels.
func (t tile) alongPanels() {
	t.note("%d rows", t.rows)
	t.load("pairs", "R12")
	t.loop("R12", func() {
		t.setWalkers("DI", "R8")
		t.eachResult(func(reg, mem string) { t.op("VMOVUPS %s, %s", mem, reg) })
		for r := range t.rows {
			for line := range t.panels {
				t.op("PREFETCHT0 %s", inRow("R8", r, (pairsAhead*t.panels+line)*panelBytes))
			}
		}
		t.setWalkers("SI", "R9")
		t.op("MOVQ DX, CX")
		t.op("MOVQ DX, R15")
		t.op("ADDQ %s, R15", t.fp("ahead"))
		t.op("MOVQ R11, R14")
		t.loop("R14", func() {
			t.op("PREFETCHT0 (R15)")
			t.op("PREFETCHT0 (R15)(R10*1)")
			t.step(0)
			t.advance(1)
			t.op("ADDQ $%d, R15", panelBytes)
		})
		t.end()
		t.op("ADDQ $%d, DI", t.panels*panelBytes)
		t.op("LEAQ (DX)(R10*%d), DX", t.panels)
	})
}
