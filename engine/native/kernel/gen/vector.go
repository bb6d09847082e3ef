package main

import (
	"fmt"
	"math"
)

// A vector is eight elements of a row that a body of [asm.eachVector] works on: where they are, and which of them exist.
type vector struct {
	*asm
	half int    // 0 or 1: which eight of sixteen lanes
	mask string // register whose lanes are all ones where there is an element; empty: everywhere
}

func (v vector) mem(pointer string) string { return fmt.Sprintf("%d(%s)(AX*1)", 32*v.half, pointer) }

// load reads the elements at pointer; those that do not exist become 0 and are not touched in memory.
func (v vector) load(pointer, reg string) {
	if v.mask == "" {
		v.op("VMOVUPS %s, %s", v.mem(pointer), reg)
	} else {
		v.op("VMASKMOVPS %s, %s, %s", v.mem(pointer), v.mask, reg)
	}
}

func (v vector) store(reg, pointer string) {
	if v.mask == "" {
		v.op("VMOVUPS %s, %s", reg, v.mem(pointer))
	} else {
		v.op("VMASKMOVPS %s, %s, %s", reg, v.mask, v.mem(pointer))
	}
}

// drop clears the elements of a register that do not exist.
func (v vector) drop(reg string) {
	if v.mask != "" {
		v.op("VANDPS %s, %s, %s", v.mask, reg, reg)
	}
}

// eachVector writes a loop over the elements of rows, sixteen at a time, then eight, then the rest under a mask: element i is
// always in lane i mod 16. The number of elements is in CX; AX, CX, BX and Y15 are used up.
func (a *asm) eachVector(body func(vector)) {
	next, tail, short, done := a.label("next"), a.label("tail"), a.label("short"), a.label("done")
	a.op("XORQ AX, AX")
	a.place(next)
	a.op("SUBQ $16, CX")
	a.op("JLT %s", tail)
	body(vector{a, 0, ""})
	body(vector{a, 1, ""})
	a.op("ADDQ $64, AX")
	a.op("JMP %s", next)
	a.place(tail)
	a.op("ADDQ $16, CX")
	a.op("JZ %s", done)
	a.op("LEAQ masks<>+32(SB), BX")
	a.op("CMPQ CX, $8")
	a.op("JLT %s", short)
	body(vector{a, 0, ""})
	a.op("SUBQ $8, CX")
	a.op("JZ %s", done)
	a.op("NEGQ CX")
	a.op("VMOVUPS (BX)(CX*4), Y15")
	body(vector{a, 1, "Y15"})
	a.op("JMP %s", done)
	a.place(short)
	a.op("NEGQ CX")
	a.op("VMOVUPS (BX)(CX*4), Y15")
	body(vector{a, 0, "Y15"})
	a.place(done)
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

// constants are vectors of one value in read-only memory.
var constants = []struct {
	name string
	bits uint32
}{
	{"low", math.Float32bits(-104)},
	{"high", math.Float32bits(89)},
	{"log2e", math.Float32bits(1.4426950408889634)},
	{"ln2high", math.Float32bits(0.693115234375)},
	{"ln2low", math.Float32bits(3.194618329871446e-05)},
	{"q0", math.Float32bits(0.4999999403953552)},
	{"q1", math.Float32bits(0.1666652113199234)},
	{"q2", math.Float32bits(0.04166838899254799)},
	{"q3", math.Float32bits(0.008368716575205326)},
	{"q4", math.Float32bits(0.001381459878757596)},
	{"one", math.Float32bits(1)},
	{"bias", 127},
	{"sign", 1 << 31},
}

// constant is the operand for a constant of the table.
func constant(name string) string {
	for i, c := range constants {
		if c.name == name {
			return fmt.Sprintf("constants<>+%d(SB)", 32*i)
		}
	}
	panic("gen: no constant " + name)
}

// tables writes the constants, and the masks: eight words of ones, then eight of zeros (which are not written out), so
// that the eight words from 8-n on choose the first n.
func (a *asm) tables() {
	a.WriteString("\n")
	for i, c := range constants {
		for lane := range 8 {
			fmt.Fprintf(a, "DATA constants<>+%d(SB)/4, $0x%08x // %s\n", 32*i+4*lane, c.bits, c.name)
		}
	}
	fmt.Fprintf(a, "GLOBL constants<>(SB), RODATA|NOPTR, $%d\n\n", 32*len(constants))
	for lane := range 8 {
		fmt.Fprintf(a, "DATA masks<>+%d(SB)/4, $0xffffffff\n", 4*lane)
	}
	a.WriteString("GLOBL masks<>(SB), RODATA|NOPTR, $64\n")
}
