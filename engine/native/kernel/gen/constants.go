package main

import (
	"fmt"
	"math"
)

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
	{"sign", 1 << 31},
	{"bias", 127},
}

// heldConstants are the first of them, which functions of AVX-512 keep in registers from Z16 on.
const heldConstants = 12

// constant is the operand for a constant of the table.
func constant(name string) string { return fmt.Sprintf("constants<>+%d(SB)", 32*constantAt(name)) }

// constantAt is the place of a constant in the table.
func constantAt(name string) int {
	for i, c := range constants {
		if c.name == name {
			return i
		}
	}
	panic("gen: no constant " + name)
}

// holdConstants fills the registers of constants.
func (a *asm) holdConstants(ext extension) {
	if ext == avx2 {
		return
	}
	for i := range heldConstants {
		a.op("VBROADCASTSS constants<>+%d(SB), Z%d", 32*i, 16+i)
	}
}

// writeConstants writes the table of constants.
func (a *asm) writeConstants() {
	a.WriteString("\n")
	for i, c := range constants {
		for lane := range 8 {
			fmt.Fprintf(a, "DATA constants<>+%d(SB)/4, $0x%08x // %s\n", 32*i+4*lane, c.bits, c.name)
		}
	}
	fmt.Fprintf(a, "GLOBL constants<>(SB), RODATA|NOPTR, $%d\n", 32*len(constants))
}

// tables writes the constants, and the masks: eight words of ones, then eight of zeros (which are not written out), so
// that the eight words from 8-n on choose the first n.
func (a *asm) tables() {
	a.writeConstants()
	a.WriteString("\n")
	for lane := range 8 {
		fmt.Fprintf(a, "DATA masks<>+%d(SB)/4, $0xffffffff\n", 4*lane)
	}
	a.WriteString("GLOBL masks<>(SB), RODATA|NOPTR, $64\n")
}
