package main

// neonCodes are the instructions on four float32 that Go's assembler lacks, with zeros for the registers.
var neonCodes = map[string]uint32{
	"FADD": 0x4e20d400, "FSUB": 0x4ea0d400, "FMUL": 0x6e20dc00, "FDIV": 0x6e20fc00,
	"FMAX": 0x4e20f400, "FMIN": 0x4ea0f400, "FADDP": 0x6e20d400, "FMAXP": 0x6e20f400, "FCMEQ": 0x4e20e400,
	"FSQRT": 0x6ea1f800, "FRINTN": 0x4e218800, "FCVTNS": 0x4e21a800, "SCVTF": 0x4e21d800, "FNEG": 0x6ea0f800,
	"SHLL": 0x2e613800, "SHLL2": 0x6e613800,
	"FMLA": 0x4f801000, // by an element
	"SSHR": 0x4f3f0400, // by one bit
}

// neonWord is the encoding of a function of a and, where it has one, b.
func neonWord(name string, d, a, b int) uint32 {
	code, ok := neonCodes[name]
	if !ok {
		panic("gen: no instruction " + name)
	}
	return code | uint32(b)<<16 | uint32(a)<<5 | uint32(d)
}

// neonLane is the encoding of d += a·x[lane].
func neonLane(d, a, x, lane int) uint32 {
	return neonWord("FMLA", d, a, x) | uint32(lane&1)<<21 | uint32(lane>>1)<<11
}

func (n neon) two(name string, d, a, b int) {
	n.op("WORD $0x%08x // %s V%d.4S, V%d.4S, V%d.4S", neonWord(name, d, a, b), name, d, a, b)
}

func (n neon) one(name string, d, a int) {
	n.op("WORD $0x%08x // %s V%d.4S, V%d.4S", neonWord(name, d, a, 0), name, d, a)
}

func (n neon) add(d, a, b int) { n.two("FADD", d, a, b) }
func (n neon) sub(d, a, b int) { n.two("FSUB", d, a, b) }
func (n neon) mul(d, a, b int) { n.two("FMUL", d, a, b) }
func (n neon) div(d, a, b int) { n.two("FDIV", d, a, b) }

// addPairs adds neighbours: those of a, then those of b.
func (n neon) addPairs(d, a, b int) { n.two("FADDP", d, a, b) }

// half is a>>1 on integers.
func (n neon) half(d, a int) {
	n.op("WORD $0x%08x // SSHR V%d.4S, V%d.4S, #1", neonWord("SSHR", d, a, 0), d, a)
}

// mulAddLane is d += a·x[lane].
func (n neon) mulAddLane(d, a, x, lane int) {
	n.op("WORD $0x%08x // FMLA V%d.4S, V%d.4S, V%d.S[%d]", neonLane(d, a, x, lane), d, a, x, lane)
}

// widen makes words of halves of a, the lower four of them or the upper four: the halves are the upper ones of the words.
func (n neon) widen(d, a int)      { n.halves("SHLL", "4H", d, a) }
func (n neon) widenUpper(d, a int) { n.halves("SHLL2", "8H", d, a) }

func (n neon) halves(name, of string, d, a int) {
	n.op("WORD $0x%08x // %s V%d.4S, V%d.%s, #16", neonWord(name, d, a, 0), name, d, a, of)
}
