package main

import "fmt"

// tileArguments loads the registers that all tiles share; distances become bytes.
func (a *asm) tileArguments() {
	a.load("c", "DI", "a", "SI", "ldc", "R8", "lda", "R9", "ldb", "R10", "depth", "R11")
	a.op("SHLQ $2, R8")
	a.op("SHLQ $2, R9")
	a.op("SHLQ $2, R10")
}

// swept is the largest tile of a product that goes down the rows of c: one that others follow.
func (a *asm) swept(ext extension, rows, panels int, k kind) tile {
	return tile{asm: a, extension: ext, rows: rows, panels: panels, kind: k, bulk: true}
}

// sweep goes down the rows of c with tiles like t; what is left at the end, less than two tiles, is cut evenly, because
// a tile of few rows has too few chains to keep the multipliers busy. The argument rows counts down.
func (a *asm) sweep(t tile) {
	most := t.rows
	next, bulk, rest, done := a.label("next"), a.label("bulk"), a.label("rest"), a.label("done")
	of := make([]string, most+1)
	for rows := range of {
		of[rows] = a.label(fmt.Sprintf("rows%dx", rows))
	}
	a.place(next)
	a.op("MOVQ %s, AX", a.fp("rows"))
	a.op("CMPQ AX, $%d", 2*most)
	a.op("JGE %s", bulk)
	a.op("CMPQ AX, $%d", most)
	a.op("JLE %s", rest)
	a.op("INCQ AX")
	a.op("SHRQ $1, AX")
	a.place(rest)
	for rows := most; rows > 0; rows-- {
		a.op("CMPQ AX, $%d", rows)
		a.op("JEQ %s", of[rows])
	}
	a.op("JMP %s", done)
	one := func(label string, rows int, bulk bool) {
		a.place(label)
		t.rows, t.bulk = rows, bulk
		t.emit()
		a.skipRows(rows, t.kind)
		if t.paced {
			a.op("MOVQ DI, %s", a.fp("c"))
			a.op("MOVQ SI, %s", a.fp("a"))
		}
		a.op("SUBQ $%d, %s", rows, a.fp("rows"))
		a.op("JMP %s", next)
	}
	one(bulk, most, true)
	for rows := most; rows > 0; rows-- {
		one(of[rows], rows, false)
	}
	a.place(done)
	a.leave(t.kind)
}

// skipRows moves c and a past a tile.
func (a *asm) skipRows(rows int, k kind) {
	a.op("IMUL3Q $%d, R8, AX", rows)
	a.op("ADDQ AX, DI")
	if k.outward() {
		a.op("ADDQ $%d, SI", 4*rows)
		return
	}
	a.op("IMUL3Q $%d, R9, AX", rows)
	a.op("ADDQ AX, SI")
}

var tileArgs = []string{"c", "a", "b", "ldc", "lda", "ldb", "depth", "rows"}

// multiply begins the function of a product with tiles like t. Where flush is set, denormal numbers count as zero. ahead, apart and
// skip say what will be needed next: blocks of the weights begin ahead bytes from b, each skip bytes after the one before it (and the first one
// too); those of the next panel lie apart bytes further. Where noPrefetch is set, tiles of AVX2 that others follow prefetch nothing.
func (a *asm) multiply(name, doc string, t tile) {
	k := t.kind
	args := append(tileArgs[:len(tileArgs):len(tileArgs)], "accumulate", "ahead", "apart", "skip")
	if k.flushes() {
		args = append(args, "flush", "quiet")
	}
	a.function(name, doc, t.plan(), false, args...)
	a.tileArguments()
	a.load("apart", "R12")
	if k.flushes() {
		a.ifFlush(func() { a.op("LDMXCSR floatModes<>+4(SB)") })
	}
}

// leave ends what multiply began.
func (a *asm) leave(k kind) {
	if k.flushes() {
		a.ifFlush(func() { a.op("LDMXCSR floatModes<>(SB)") })
	}
	a.ret()
}

func (a *asm) ifFlush(then func()) {
	keep := a.label("keep")
	a.op("CMPQ %s, $0", a.fp("flush"))
	a.op("JEQ %s", keep)
	then()
	a.place(keep)
}

// floatModes writes the two values of MXCSR: Go's, and the same with denormal operands and results taken as zero.
func (a *asm) floatModes() {
	a.WriteString("\nDATA floatModes<>+0(SB)/4, $0x1f80\nDATA floatModes<>+4(SB)/4, $0x9fc0\nGLOBL floatModes<>(SB), RODATA|NOPTR, $8\n")
}

func productAVX2() string {
	a := newAsm()
	a.floatModes()
	one := a.swept(avx2, 6, 1, product)
	a.multiply("multiplyAVX2", "multiplyAVX2: c[rows][16] (+)= a[rows][depth]·b[depth][16], one panel.", one)
	a.sweep(one)

	a.wide("multiply", product)
	a.multiplyWidened()

	half := a.swept(avx2, 12, 1, product)
	half.half = true
	a.multiply("multiplyHalfAVX2", "multiplyHalfAVX2: c[rows][8] (+)= a[rows][depth]·b[depth][:8], half a panel.", half)
	a.sweep(half)

	a.outer("outerAVX2", a.swept(avx2, 6, 1, outer))
	a.transpose8()
	a.prefetchLines()
	return a.String()
}

// multiplyWidened writes products with pairs of bfloat16, which are widened on the way: that takes units of the processor that multiply-adds
// leave idle.
func (a *asm) multiplyWidened() {
	a.words("upper", 0xffff0000)
	one := a.swept(avx2, 6, 1, widened)
	a.multiply("multiplyWidenedAVX2", "multiplyWidenedAVX2: c[rows][16] (+)= a[rows][depth]·b[depth/2][16] for pairs b of bfloat16 and float32 a, those of each pair swapped, one panel.", one)
	a.op("VMOVDQU upper<>(SB), %s", upperHalves)
	a.sweep(one)
	a.wide("multiplyWidened", widened)
}

// wide writes tiles of a few rows and several panels.
func (a *asm) wide(prefix string, k kind) {
	for _, w := range []struct{ rows, panels int }{{1, 4}, {2, 2}, {3, 2}} {
		name := fmt.Sprintf("%s%dx%dAVX2", prefix, w.rows, w.panels)
		t := tile{asm: a, extension: avx2, rows: w.rows, panels: w.panels, kind: k}
		a.multiply(name, fmt.Sprintf("%s: %d rows of %d panels.", name, w.rows, w.panels), t)
		t.emit()
		a.leave(k)
	}
}

func productAVX512() string {
	a := newAsm()
	a.floatModes()
	one, two := a.swept(avx512, 12, 1, product), a.swept(avx512, 12, 2, product)
	a.multiply("multiplyAVX512", "multiplyAVX512: c[rows][16] (+)= a[rows][depth]·b[depth][16], one panel.", one)
	a.sweep(one)
	a.multiply("multiply2AVX512", "multiply2AVX512: the same for two panels side by side.", two)
	a.sweep(two)
	two.paced = true
	a.multiplyPaced("multiply2PacedAVX512", "multiply2PacedAVX512: the same, and prefetches at an even pace what is needed after it.", two)
	a.sweep(two)
	a.shallow(avx512)
	a.outer("outerAVX512", a.swept(avx512, 12, 1, outer))
	a.outer("outer2AVX512", a.swept(avx512, 12, 2, outer))
	a.transpose16()
	return a.String()
}

func (a *asm) outer(name string, t tile) {
	columns := 16 * t.panels
	doc := fmt.Sprintf("%s: c[rows][%d] += aᵀ·b with a[depth][rows] and b[depth][%d].", name, columns, columns)
	a.function(name, doc, t.plan(), false, tileArgs...)
	a.tileArguments()
	a.sweep(t)
}
