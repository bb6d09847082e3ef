package main

import "fmt"

// A neon prints assembly of arm64: the frames and labels of [asm] with that processor's loops and vectors. Vector registers, of
// four float32, are numbers: 3 is V3. Methods that compute take the result first, then the operands, as Arm's manuals do.
//
// R16 to R18 and R27 on belong to the linker, the system and Go.
type neon struct{ *asm }

func newNEON() neon {
	n := neon{newAsm()}
	n.processor = "arm64"
	return n
}

// load moves arguments to registers: pairs of argument and register.
func (n neon) load(pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		n.op("MOVD %s, %s", n.fp(pairs[i]), pairs[i+1])
	}
}

// spread fills a vector with a float32 argument.
func (n neon) spread(arg string, v int) {
	n.op("FMOVS %s, F%d", n.fp(arg), v)
	n.op("VDUP V%d.S[0], V%d.S4", v, v)
}

func (n neon) ret() { n.op("RET") }

// loop repeats body while register count, which it counts down, is positive.
func (n neon) loop(count string, body func()) {
	start, end := n.label("loop"), n.label("end")
	n.op("CMP $0, %s", count)
	n.op("BLE %s", end)
	n.place(start)
	body()
	n.op("SUBS $1, %s, %s", count, count)
	n.op("BNE %s", start)
	n.place(end)
}

// table writes words to read-only memory.
func (n neon) table(name string, words ...uint32) {
	n.WriteString("\n")
	for i, word := range words {
		fmt.Fprintf(n, "DATA %s<>+%d(SB)/4, $0x%08x\n", name, 4*i, word)
	}
	fmt.Fprintf(n, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", name, 4*len(words))
}

// spreadTable fills vectors from first on with one word of a table each. It uses R14.
func (n neon) spreadTable(name string, first, words int) {
	n.op("MOVD $%s<>(SB), R14", name)
	for i := range words {
		n.op("VLD1R.P 4(R14), [V%d.S4]", first+i)
	}
}

// loadTable fills vectors from first on with the bytes of a table. It uses R14.
func (n neon) loadTable(name string, first, vectors int) {
	n.op("MOVD $%s<>(SB), R14", name)
	for i := range vectors {
		n.loadAt(first+i, "R14", 16*i)
	}
}

func (n neon) loadAt(v int, pointer string, offset int) {
	n.op("FMOVQ %d(%s), F%d", offset, pointer, v)
}

func (n neon) storeAt(v int, pointer string, offset int) {
	n.op("FMOVQ F%d, %d(%s)", v, offset, pointer)
}

// bits writes an instruction that Go's assembler has, on whole registers.
func (n neon) bits(name string, d, a, b int) { n.op("%s V%d.B16, V%d.B16, V%d.B16", name, b, a, d) }

// words writes one on words of 32 bits.
func (n neon) words(name string, d, a, b int) { n.op("%s V%d.S4, V%d.S4, V%d.S4", name, b, a, d) }

func (n neon) shift(name string, by, d, a int) { n.op("%s $%d, V%d.S4, V%d.S4", name, by, a, d) }

func (n neon) move(d, a int) { n.op("VMOV V%d.B16, V%d.B16", a, d) }

func (n neon) zero(regs ...int) {
	for _, v := range regs {
		n.bits("VEOR", v, v, v)
	}
}

// mulAdd is d += a·b, mulSub is d -= a·b, both rounded once.
func (n neon) mulAdd(d, a, b int) { n.words("VFMLA", d, a, b) }
func (n neon) mulSub(d, a, b int) { n.words("VFMLS", d, a, b) }
