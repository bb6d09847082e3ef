package main

import (
	"fmt"
	"regexp"
)

// A vector is the elements of a row that a body works on at once: where they are, and which of them exist. Where it has two
// registers, an instruction of the body is written once for each of them, so that their chains, longer than a processor looks
// ahead, are under way together.
//
// Bodies of [asm.eachVector] name registers of AVX2. Those of [asm.eachPair] are for any extension: registers that differ from half
// to half are V0 to V5, shared ones are named by [extension.shared], and constants by [vector.constant].
type vector struct {
	*asm
	extension
	half  int    // 0 or 1: where it begins, in registers
	count int    // registers of elements
	mask  string // register that says which elements exist; empty: all
}

// rowPlan is the part of a register plan that belongs to the loops of eachVector and eachPair.
func (e extension) rowPlan() string {
	return "CX elements left, AX bytes done, BX and " + e.tailMask() + " the mask of the last elements"
}

// tailMask is the register that says which of the last elements exist.
func (e extension) tailMask() string {
	if e == avx2 {
		return "Y15"
	}
	return "K1"
}

// eachVector writes a loop over the elements of rows, eight after eight, the last under a mask: element i is always in lane i mod
// 16. It uses what rowPlan says.
func (a *asm) eachVector(body func(vector)) {
	a.inHalves(avx2, func() {
		body(vector{a, avx2, 0, 1, ""})
		body(vector{a, avx2, 1, 1, ""})
	}, body)
}

// eachPair writes a loop over the elements of rows, two registers of them at a time. It uses what rowPlan says.
func (a *asm) eachPair(ext extension, body func(vector)) {
	a.inHalves(ext, func() { body(vector{a, ext, 0, 2, ""}) }, body)
}

// inHalves writes a loop over two registers of elements at a time, then one register, then the rest under a mask.
func (a *asm) inHalves(ext extension, both func(), half func(vector)) {
	next, tail, short, done := a.label("next"), a.label("tail"), a.label("short"), a.label("done")
	size := ext.width / 4
	a.op("XORQ AX, AX")
	a.place(next)
	a.op("SUBQ $%d, CX", 2*size)
	a.op("JLT %s", tail)
	both()
	a.op("ADDQ $%d, AX", 2*ext.width)
	a.op("JMP %s", next)
	a.place(tail)
	a.op("ADDQ $%d, CX", 2*size)
	a.op("JZ %s", done)
	a.op("CMPQ CX, $%d", size)
	a.op("JLT %s", short)
	half(vector{a, ext, 0, 1, ""})
	a.op("SUBQ $%d, CX", size)
	a.op("JZ %s", done)
	half(vector{a, ext, 1, 1, a.firstOnes(ext)})
	a.op("JMP %s", done)
	a.place(short)
	half(vector{a, ext, 0, 1, a.firstOnes(ext)})
	a.place(done)
}

// firstOnes makes a mask of as many elements as CX says, and returns its register.
func (a *asm) firstOnes(ext extension) string {
	if ext == avx2 {
		a.op("LEAQ masks<>+32(SB), BX")
		a.op("NEGQ CX")
		a.op("VMOVUPS (BX)(CX*4), %s", ext.tailMask())
		return ext.tailMask()
	}
	a.op("MOVL $1, BX")
	a.op("SHLL CX, BX")
	a.op("DECL BX")
	a.op("KMOVW BX, %s", ext.tailMask())
	return ext.tailMask()
}

// own names the registers of both halves that V(first) and the n-1 after it are, in a register plan.
func (e extension) own(first, n int) string { return span(e.reg, 2*first, 2*n) }

// shared is a register that all vectors of a body share, i < 3.
func (e extension) shared(i int) string { return fmt.Sprintf("%s%d", e.reg, 12+i) }

var ownRegister = regexp.MustCompile(`\bV[0-5]\b`)

// of puts the registers of half i into an instruction.
func (v vector) of(i int, text string) string {
	return ownRegister.ReplaceAllStringFunc(text, func(own string) string {
		return fmt.Sprintf("%s%d", v.reg, 2*register(own)+i)
	})
}

// op writes one instruction for every register of elements.
func (v vector) op(format string, args ...any) {
	for i := range v.count {
		v.asm.op("%s", v.of(i, fmt.Sprintf(format, args...)))
	}
}

func (v vector) mem(pointer string, i int) string {
	return fmt.Sprintf("%d(%s)(AX*1)", v.width*(v.half+i), pointer)
}

// load reads the elements at pointer; those that do not exist become 0 and are not touched in memory.
func (v vector) load(pointer, reg string) {
	for i := range v.count {
		v.move(v.mem(pointer, i), v.of(i, reg), ".Z")
	}
}

func (v vector) store(reg, pointer string) {
	for i := range v.count {
		v.move(v.of(i, reg), v.mem(pointer, i), "")
	}
}

// move copies the elements that exist; zeroing is what the name of an instruction with a mask ends in.
func (v vector) move(from, to, zeroing string) {
	switch {
	case v.mask == "":
		v.op("VMOVUPS %s, %s", from, to)
	case v.extension == avx2:
		v.op("VMASKMOVPS %s, %s, %s", from, v.mask, to)
	default:
		v.op("VMOVUPS%s %s, %s, %s", zeroing, from, v.mask, to)
	}
}

// drop clears the elements of a register that do not exist.
func (v vector) drop(reg string) {
	switch {
	case v.mask == "":
	case v.extension == avx2:
		v.op("VANDPS %s, %[2]s, %[2]s", v.mask, reg)
	default:
		v.op("VMOVAPS.Z %[2]s, %[1]s, %[2]s", v.mask, reg)
	}
}

// constant is an operand that is a constant: a register, or memory.
func (v vector) constant(name string) string {
	if v.extension == avx2 {
		return constant(name)
	}
	return fmt.Sprintf("Z%d", 16+constantAt(name))
}

// held is a register with a constant: reg, where it is not in one already.
func (v vector) held(name, reg string) string {
	if v.extension != avx2 {
		return v.constant(name)
	}
	v.op("VMOVUPS %s, %s", constant(name), reg)
	return reg
}
