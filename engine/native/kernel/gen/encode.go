package main

import (
	"fmt"
	"strconv"
	"strings"
)

// An encoding is an instruction that Go's assembler lacks: EVEX with three 512-bit registers.
type encoding struct {
	name   string
	prefix byte // 2 for F3, 3 for F2
	opcode byte
}

var (
	dotBF16 = encoding{"VDPBF16PS", 2, 0x52}
	toBF16  = encoding{"VCVTNE2PS2BF16", 3, 0x72}
)

// dotBF16 is acc += a·b on pairs of bfloat16, the odd ones first.
func (a *asm) dotBF16(b, x, acc string) { a.encoded(dotBF16, b, x, acc) }

// toBF16 rounds the float32 of low to the lower half of dst and those of high to the upper half.
func (a *asm) toBF16(low, high, dst string) { a.encoded(toBF16, low, high, dst) }

// encoded writes an instruction with its operands in Go's order: second source, first source, destination.
func (a *asm) encoded(e encoding, second, first, dst string) {
	code := e.bytes(register(dst), register(first), register(second))
	a.raw(code[:], "%s %s, %s, %s", e.name, second, first, dst)
}

// raw writes bytes, and as a comment what they are.
func (a *asm) raw(code []byte, format string, args ...any) {
	var text []string
	for _, b := range code {
		text = append(text, fmt.Sprintf("BYTE $0x%02x", b))
	}
	a.op("%s // %s", strings.Join(text, "; "), fmt.Sprintf(format, args...))
}

// bytes is the encoding for destination d and sources a and b: the bits of their numbers are spread over the prefix, inverted.
func (e encoding) bytes(d, a, b int) [6]byte {
	not := func(n, bit, to int) byte { return byte(^n>>bit&1) << to }
	return [6]byte{
		0x62,
		not(d, 3, 7) | not(b, 4, 6) | not(b, 3, 5) | not(d, 4, 4) | 2,
		byte(^a&15)<<3 | 4 | e.prefix,
		2<<5 | not(a, 4, 3),
		e.opcode,
		3<<6 | byte(d&7)<<3 | byte(b&7),
	}
}

// register is the number of a register by name: 17 for Z17.
func register(name string) int {
	n, err := strconv.Atoi(name[1:])
	if err != nil {
		panic("gen: no register " + name)
	}
	return n
}
