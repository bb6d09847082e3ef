package main

import "fmt"

// Products with panels of bfloat16, as attention over stored keys and values needs them. A word is widened to float32, then
// multiplied and added as ever, with denormal numbers taken as zero, as products of pairs do (storedpairs.go): the bits are the same.

const (
	storedRowsAVX2   = 6
	storedRowsAVX512 = 12
)

func storedAVX2() string {
	a := newAsm()
	a.floatModes()
	a.multiplyStored("multiplyStoredAVX2", avx2, storedRowsAVX2, 1)
	a.putStored()
	return a.String()
}

func storedAVX512() string {
	a := newAsm()
	a.floatModes()
	a.upperHalves()
	a.multiplyStored("multiplyStored2AVX512", avx512, storedRowsAVX512, 2)
	a.multiplyStored("multiplyStored4AVX512", avx512, storedRowsAVX512/2, 4)
	return a.String()
}

// upperHalves is the table of the word that each half of 16 words comes from; the lower halves do not count.
func (a *asm) upperHalves() {
	var halves []byte
	for i := range byte(2 * 16) {
		halves = append(halves, i/2, 0)
	}
	a.bytes("upperHalves", halves...)
}

// multiplyStored writes products of up to most rows.
func (a *asm) multiplyStored(name string, ext extension, most, panels int) {
	a.function(name, fmt.Sprintf("%s: c[rows][%d] (+)= a[rows][depth]·b[depth][%[2]d] for panels b of bfloat16, 0 < rows ≤ %d. What is ahead bytes from b will be needed soon: it is prefetched into the second-level cache, which can wait for more of it than the first level can.", name, 16*panels, most),
		storedTile{tile{asm: a, extension: ext, rows: most, panels: panels, kind: pairs}}.plan(), false, "c", "a", "b", "ldc", "lda", "ldb", "depth", "rows", "accumulate", "ahead")
	a.load("c", "DI", "a", "SI", "b", "DX", "ldc", "R8", "lda", "R9", "ldb", "R10", "depth", "R11", "rows", "R12", "ahead", "CX")
	a.op("SHLQ $2, R8")
	a.op("SHLQ $2, R9")
	a.op("SHLQ $1, R10")
	a.op("LDMXCSR floatModes<>+4(SB)")
	if ext.width == 64 {
		a.note("where widened words come from, and the halves of words that they go to")
		a.op("VMOVDQU64 upperHalves<>(SB), Z31")
		a.op("MOVL $0xaaaaaaaa, AX")
		a.op("KMOVD AX, K1")
	}
	for rows := most; rows > 0; rows-- {
		next := a.label("fewer")
		a.op("CMPQ R12, $%d", rows)
		a.op("JNE %s", next)
		storedTile{tile{asm: a, extension: ext, rows: rows, panels: panels, kind: pairs}}.emit()
		a.op("LDMXCSR floatModes<>(SB)")
		a.ret()
		a.place(next)
	}
	a.op("LDMXCSR floatModes<>(SB)")
	a.ret()
}

// A storedTile is a tile whose right operand is bfloat16.
type storedTile struct{ tile }

// plan is the register plan of a product whose largest tile is t.
func (t storedTile) plan() string {
	per := t.perRow()
	free := t.rows * per
	plan := "DI c, SI a; DX walks b, CX what will be needed soon; " + t.distancesPlan("b") + "; R11 depth, R12 rows; " + t.walkersPlan("a or c")
	if t.panels == 4 {
		plan += ", R13 bytes of three panels"
	}
	plan += "; R14 counts. " + span(t.reg, 0, free) + " c, " + span(t.reg, free, per) + " b, " + span(t.reg, free+per, 2) + " broadcasts of a" + fewerRows
	if t.width == 64 {
		plan += "; Z31 the words that halves come from, K1 the upper halves"
	}
	return plan
}

func (t storedTile) emit() {
	t.note("%d rows × %d panels", t.rows, t.panels)
	t.begin()
	t.setWalkers("SI", "R9")
	if t.panels == 4 {
		t.op("LEAQ (R10)(R10*2), R13")
	}
	t.op("ADDQ DX, CX")
	t.op("MOVQ R11, R14")
	t.op("SHRQ $2, R14")
	t.loop("R14", func() {
		for u := range 4 {
			t.step(u)
		}
		for line := range 2 {
			for panel := range t.panels {
				t.op("PREFETCHT1 %s", panelAfter("CX", 64*line, panel))
			}
		}
		t.advance(4)
	})
	t.op("ANDQ $3, R11")
	t.loop("R11", func() {
		t.step(0)
		t.advance(1)
	})
	t.end()
}

// step is one multiply-add of every element.
func (t storedTile) step(u int) {
	per := t.perRow()
	vectors := panelBytes / t.width
	for v := range per {
		t.widen(panelAfter("DX", u*panelBytes/2+v%vectors*t.width/2, v/vectors), t.free(v))
	}
	for r := range t.rows {
		broadcast := t.free(per + r%2)
		t.op("VBROADCASTSS %s, %s", inRow("R9", r, 4*u), broadcast)
		for v := range per {
			t.op("VFMADD231PS %s, %s, %s", t.free(v), broadcast, t.acc(r, v))
		}
	}
}

// panelAfter is the operand offset bytes into a panel, of which the first begins at base; R10 bytes lie between two, R13 between the first and
// the fourth.
func panelAfter(base string, offset, panel int) string {
	switch panel {
	case 0:
		return fmt.Sprintf("%d(%s)", offset, base)
	case 3:
		return fmt.Sprintf("%d(%s)(R13*1)", offset, base)
	}
	return fmt.Sprintf("%d(%s)(R10*%d)", offset, base, panel)
}

// widen loads words into the upper halves of a register. AVX-512 does it in one instruction besides the load, which leaves more turns of
// the units that they share to the multiply-adds.
func (t storedTile) widen(from, reg string) {
	if t.width == 64 {
		t.op("VMOVDQU16 %s, Y%s", from, reg[1:])
		t.op("VPERMW.Z %s, Z31, K1, %[1]s", reg)
		return
	}
	t.op("VPMOVZXWD %s, %s", from, reg)
	t.op("VPSLLD $16, %s, %[1]s", reg)
}

// advance moves on by steps of depth.
func (t storedTile) advance(steps int) {
	for i := 0; 3*i < t.rows; i++ {
		t.op("ADDQ $%d, %s", 4*steps, walkers[i])
	}
	t.op("ADDQ $%d, DX", panelBytes/2*steps)
	t.op("ADDQ $%d, CX", panelBytes/2*steps)
}

// putStored cuts a row into pieces of a panel's width.
func (a *asm) putStored() {
	a.function("putStoredAVX2", "putStoredAVX2: 16 values a panel, which bfloat16 holds, stored stride words apart.",
		"DI dst, SI x, R8 bytes from one panel to the next, CX panels left; Y0 and Y1 values, then Y0 words",
		false, "dst", "x", "stride", "panels")
	a.load("dst", "DI", "x", "SI", "stride", "R8", "panels", "CX")
	a.op("SHLQ $1, R8")
	a.loop("CX", func() {
		for i := range 2 {
			a.op("VMOVDQU %d(SI), Y%d", 32*i, i)
			a.op("VPSRLD $16, Y%d, Y%[1]d", i)
		}
		a.op("VPACKUSDW Y1, Y0, Y0")
		a.op("VPERMQ $0xd8, Y0, Y0")
		a.op("VMOVDQU Y0, (DI)")
		a.op("ADDQ $64, SI")
		a.op("ADDQ R8, DI")
	})
	a.ret()
}

// roundInPlace rounds a row to bfloat16.
func (a *asm) roundInPlace() {
	a.write(row{name: "roundInPlaceAVX2", doc: "x rounded to bfloat16.", plan: "Y0 x, " + upperHalfPlan, slices: "x DI", body: func(v vector) {
		v.load("DI", "Y0")
		v.toUpperHalf()
		v.store("Y1", "DI")
	}})
}
