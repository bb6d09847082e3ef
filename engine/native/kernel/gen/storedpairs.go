package main

import "fmt"

// Products with keys and values that are stored as words of pairs of bfloat16, and what brings them there. The first of a pair is in the upper
// half, which VDPBF16PS adds first.

// storedPairRows is the most rows of a product that goes along the panels in one call: those of a few queries. Blocks of more are products as all
// others are.
const storedPairRows = 8

func storedBF16() string {
	a := newAsm()
	a.multiplyStoredPairs()
	a.roundLHSPairs()
	a.putPairs()
	return a.String()
}

// multiplyStoredPairs goes along the panels four, two and one at a time: as many as there are accumulators for.
func (a *asm) multiplyStoredPairs() {
	most := tile{asm: a, extension: avx512, rows: storedPairRows, kind: pairs}
	a.function("multiplyStoredPairsAVX512", fmt.Sprintf("multiplyStoredPairsAVX512: c[rows][16·panels] (+)= a[rows][depth]·b for words that are pairs of bfloat16, at most %d rows. Panels follow each other; those behind are prefetched.", storedPairRows),
		"DI c of the panels, SI a, DX panels; "+most.distancesPlan("b")+"; R11 depth, AX rows, R12 panels left; "+most.walkersPlan("a or c")+
			", R13 also bytes of three panels; CX walks b, R15 panels behind; R14 counts. "+
			"Of Z0 to Z20 the first are c, those after them b and broadcasts of a",
		false, append(tileArgs[:len(tileArgs):len(tileArgs)], "accumulate", "panels")...)
	a.tileArguments()
	a.load("b", "DX", "rows", "AX", "panels", "R12")
	for rows := 1; rows <= storedPairRows; rows++ {
		other := a.label("other")
		a.op("CMPQ AX, $%d", rows)
		a.op("JNE %s", other)
		for panels := 4; panels > 0; panels /= 2 {
			if (rows+1)*panels <= 20 {
				tile{asm: a, extension: avx512, rows: rows, panels: panels, kind: pairs}.alongStored()
			}
		}
		a.ret()
		a.place(other)
	}
	a.ret()
}

// alongStored computes the tile for as many panels as there are.
func (t tile) alongStored() {
	t.note("%d rows × %d panels", t.rows, t.panels)
	again, few := t.label("again"), t.label("few")
	t.place(again)
	t.op("CMPQ R12, $%d", t.panels)
	t.op("JLT %s", few)
	t.begin()
	t.setWalkers("SI", "R9")
	t.op("MOVQ DX, CX")
	t.op("LEAQ (DX)(R10*%d), DX", t.panels)
	t.op("MOVQ DX, R15")
	if t.panels == 4 {
		t.op("LEAQ (R10)(R10*2), R13")
	}
	const unroll = 4
	t.op("MOVQ R11, R14")
	t.op("SHRQ $2, R14")
	t.loop("R14", func() {
		for u := range unroll {
			t.step(u)
			for panel := range t.panels {
				t.op("PREFETCHT1 %s", t.behind(panel, u))
			}
		}
		t.advance(unroll)
		t.op("ADDQ $%d, R15", panelBytes*unroll)
	})
	t.op("MOVQ R11, R14")
	t.op("ANDQ $%d, R14", unroll-1)
	t.loop("R14", func() {
		t.step(0)
		t.advance(1)
	})
	t.end()
	t.op("ADDQ $%d, DI", t.panels*panelBytes)
	t.op("SUBQ $%d, R12", t.panels)
	t.op("JMP %s", again)
	t.place(few)
}

// behind is where word u of a panel is that follows the tile's.
func (t tile) behind(panel, u int) string {
	switch panel {
	case 0:
		return fmt.Sprintf("%d(R15)", u*panelBytes)
	case 3:
		return fmt.Sprintf("%d(R15)(R13*1)", u*panelBytes)
	default:
		return fmt.Sprintf("%d(R15)(R10*%d)", u*panelBytes, panel)
	}
}

func (a *asm) roundLHSPairs() {
	a.rounding("roundLHSPairsAVX512", "roundLHSPairsAVX512: x rounded to bfloat16, in pairs, the first one above the second; the last one alone has a zero below it.", func() { a.op("VPRORD $16, Z0, Z0") })
}

// putPairs takes a panel at a time, the last one under a mask.
func (a *asm) putPairs() {
	a.function("putPairsAVX512", "putPairsAVX512: x rounded to bfloat16, in the upper or the lower halves of words of panels, stride words apart, whose other halves stay; n > 0.",
		"DI dst, SI x, R8 bytes from one panel to the next, R9 elements left; K1 the mask of the last panel, AX and CX make it; "+
			"Z0 x, then words, Z1 the halves that stay, Z3 the mask of upper halves, Z4 zero",
		false, "dst", "x", "stride", "n", "second")
	a.load("dst", "DI", "x", "SI", "stride", "R8", "n", "R9")
	a.op("SHLQ $2, R8")
	a.op("KXNORW K1, K1, K1")
	a.op("VPXORD Z4, Z4, Z4")
	a.op("VPTERNLOGD $0xff, Z3, Z3, Z3")
	a.op("VPSLLD $16, Z3, Z3")
	second := a.label("second")
	a.op("CMPQ %s, $0", a.fp("second"))
	a.op("JNE %s", second)
	a.eachPanel(func() {
		a.op("VPSLLD $16, Z0, Z0")
		a.op("VPANDND (DI), Z3, Z1")
		a.op("VPORD Z1, Z0, Z0")
	})
	a.ret()
	a.place(second)
	a.eachPanel(func() {
		a.op("VPANDD (DI), Z3, Z1")
		a.op("VPORD Z1, Z0, Z0")
	})
	a.ret()
}

// eachPanel goes along a row; body makes words of Z0, which has the rounded values in the lower halves.
func (a *asm) eachPanel(body func()) {
	next, whole := a.label("next"), a.label("whole")
	a.place(next)
	a.op("CMPQ R9, $16")
	a.op("JGE %s", whole)
	a.maskOf("R9", "K1")
	a.place(whole)
	a.op("VMOVUPS.Z (SI), K1, Z0")
	a.toBF16("Z0", "Z4", "Z0")
	a.op("VPMOVZXWD Y0, Z0")
	body()
	a.op("VMOVDQU32 Z0, (DI)")
	a.op("ADDQ $64, SI")
	a.op("ADDQ R8, DI")
	a.op("SUBQ $16, R9")
	a.op("JG %s", next)
}
