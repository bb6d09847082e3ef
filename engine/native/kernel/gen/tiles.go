package main

import "fmt"

// tileSide is the number of rows of a tile, and of the words of 32 bits in one.
const tileSide = 16

// The products of AMX. A call computes up to 32 rows of one or two panels, four tiles of 16 × 16 sums:
//
//	TMM0 TMM1   c, rows 0 to 15 of either panel        TMM4   a, rows 0 to 15        TMM6   b, first panel
//	TMM2 TMM3   c, rows 16 to 31                       TMM5   a, rows 16 to 31       TMM7   b, second panel
//
// Registers: DI c, SI a, BX b; R15, AX and R11 the same 16 rows or a panel further. R8, R9 bytes from one row of c and of a to the
// next, R10 from one panel to the next, R13 from one row of a panel to the next. CX counts steps of 16 words of depth, DX walks
// what is needed next, R12 bytes from one panel of it to the next.
func productAMX() string {
	a := newAsm()
	for rows := 1; rows <= 2; rows++ {
		for panels := 1; panels <= 2; panels++ {
			a.tiles(rows, panels)
		}
	}
	a.peakTiles()
	return a.String()
}

func (a *asm) tiles(rows, panels int) {
	name := fmt.Sprintf("multiplyTiles%dx%dAMX", rows, panels)
	doc := fmt.Sprintf("%s: c (+)= a·b, steps tiles deep, %d by %d of them, whose shapes are configured by shape.", name, rows, panels)
	a.function(name, doc, false, "c", "a", "b", "ldc", "lda", "ldb", "steps", "accumulate", "ahead", "apart", "skip", "shape")
	a.load("c", "DI", "a", "SI", "b", "BX", "ldc", "R8", "lda", "R9", "ldb", "R10", "steps", "CX", "apart", "R12", "shape", "AX")
	a.configureTiles("AX")
	for _, distance := range []string{"R8", "R9", "R10"} {
		a.op("SHLQ $2, %s", distance)
	}
	a.op("MOVQ R8, R15")
	a.op("SHLQ $4, R15")
	a.op("ADDQ DI, R15")
	a.op("MOVQ R9, AX")
	a.op("SHLQ $4, AX")
	a.op("ADDQ SI, AX")
	a.op("LEAQ (BX)(R10*1), R11")
	a.op("MOVQ $%d, R13", panelBytes)
	a.op("MOVQ BX, DX")
	a.op("ADDQ %s, DX", a.fp("ahead"))
	sums := func(f func(tile int, at string)) {
		for p := range panels {
			for r := range rows {
				f(2*r+p, []string{"DI", "R15"}[r])
			}
			if p+1 < panels {
				a.op("ADDQ $%d, DI", panelBytes)
				a.op("ADDQ $%d, R15", panelBytes)
			}
		}
		if panels == 2 {
			a.op("SUBQ $%d, DI", panelBytes)
			a.op("SUBQ $%d, R15", panelBytes)
		}
	}
	clear, ready := a.label("clear"), a.label("ready")
	a.op("CMPQ %s, $0", a.fp("accumulate"))
	a.op("JEQ %s", clear)
	sums(func(tile int, at string) { a.vexRows(loadTile, tile, at, "R8") })
	a.op("JMP %s", ready)
	a.place(clear)
	sums(func(tile int, _ string) { a.clearTile(tile) })
	a.place(ready)
	a.loop("CX", func() {
		a.vexRows(loadTile, 4, "SI", "R9")
		a.vexRows(loadTile, 6, "BX", "R13")
		a.vexRegisters(dotTile, 0, 4, 6)
		if panels == 2 {
			a.vexRows(loadTile, 7, "R11", "R13")
			a.vexRegisters(dotTile, 1, 4, 7)
		}
		if rows == 2 {
			a.vexRows(loadTile, 5, "AX", "R9")
			a.vexRegisters(dotTile, 2, 5, 6)
			if panels == 2 {
				a.vexRegisters(dotTile, 3, 5, 7)
			}
			a.op("ADDQ $%d, AX", 4*tileSide)
		}
		a.tilesAhead(panels)
		a.op("ADDQ $%d, SI", 4*tileSide)
		a.op("ADDQ $%d, BX", tileSide*panelBytes)
		if panels == 2 {
			a.op("ADDQ $%d, R11", tileSide*panelBytes)
		}
	})
	sums(func(tile int, at string) { a.vexRows(storeTile, tile, at, "R8") })
	a.releaseTiles()
	a.ret()
}

// tilesAhead asks for what is needed next, as much as a step of depth takes, unless it is asked for nothing.
func (a *asm) tilesAhead(panels int) {
	nothing := a.label("nothing")
	a.op("CMPQ %s, $0", a.fp("ahead"))
	a.op("JEQ %s", nothing)
	const half = tileSide / 2
	for range 2 {
		a.op("ADDQ %s, DX", a.fp("skip"))
		for i := range half {
			a.op("PREFETCHT1 %d(DX)", i*panelBytes)
			if panels == 2 {
				a.op("PREFETCHT1 %d(DX)(R12*1)", i*panelBytes)
			}
		}
		a.op("ADDQ $%d, DX", half*panelBytes)
	}
	a.place(nothing)
}

// peakTiles keeps four sums going, which hide each other's latency.
func (a *asm) peakTiles() {
	a.function("peakTilesAMX", "peakTilesAMX: n times 4 products of tiles, whose shapes are configured by shape.", false, "n", "shape")
	a.load("n", "CX", "shape", "AX")
	a.configureTiles("AX")
	for tile := range 8 {
		a.clearTile(tile)
	}
	a.loop("CX", func() {
		for tile := range 4 {
			a.vexRegisters(dotTile, tile, 4+tile/2, 6+tile%2)
		}
	})
	a.releaseTiles()
	a.ret()
}

// A vexCode is an instruction of AMX: VEX with opcode map 2 and no vector length.
type vexCode struct {
	name   string
	prefix byte // 0 none, 1 for 66, 2 for F3, 3 for F2
	opcode byte
}

var (
	configureTiles = vexCode{"LDTILECFG", 0, 0x49}
	releaseTiles   = vexCode{"TILERELEASE", 0, 0x49}
	clearTile      = vexCode{"TILEZERO", 3, 0x49}
	loadTile       = vexCode{"TILELOADD", 3, 0x4b}
	storeTile      = vexCode{"TILESTORED", 2, 0x4b}
	dotTile        = vexCode{"TDPBF16PS", 2, 0x5c}
)

// general are the numbers of the general registers.
var general = map[string]byte{"AX": 0, "CX": 1, "DX": 2, "BX": 3, "SI": 6, "DI": 7, "R8": 8, "R9": 9, "R10": 10, "R11": 11, "R12": 12, "R13": 13, "R14": 14, "R15": 15}

// registersBytes is the encoding with tiles d, a and b: d is ModRM's reg, a its rm, b the extra operand.
func (v vexCode) registersBytes(d, a, b int) []byte {
	return []byte{0xc4, 0xe2, byte(^b&15)<<3 | v.prefix, v.opcode, 0xc0 | byte(d)<<3 | byte(a)}
}

// rowsBytes is the encoding with a tile and rows in memory that begin at base and lie stride apart. BP and R13 cannot be base.
func (v vexCode) rowsBytes(tile int, base, stride string) []byte {
	b, s := general[base], general[stride]
	if b&7 == 5 {
		panic("gen: no base " + base)
	}
	return []byte{0xc4, 0xe2 ^ s>>3<<6 ^ b>>3<<5, 0x78 | v.prefix, v.opcode, byte(tile)<<3 | 4, s&7<<3 | b&7}
}

// memoryBytes is the encoding with an operand in memory alone.
func (v vexCode) memoryBytes(base string) []byte {
	b := general[base]
	if b&7 == 4 || b&7 == 5 {
		panic("gen: no base " + base)
	}
	return []byte{0xc4, 0xe2 ^ b>>3<<5, 0x78 | v.prefix, v.opcode, b & 7}
}

// tileBytes is the encoding with at most one tile, which is ModRM's reg.
func (v vexCode) tileBytes(tile int) []byte {
	return []byte{0xc4, 0xe2, 0x78 | v.prefix, v.opcode, 0xc0 | byte(tile)<<3}
}

func (a *asm) configureTiles(base string) {
	a.raw(configureTiles.memoryBytes(base), "%s (%s)", configureTiles.name, base)
}

func (a *asm) clearTile(tile int) { a.raw(clearTile.tileBytes(tile), "%s TMM%d", clearTile.name, tile) }

func (a *asm) releaseTiles() { a.raw(releaseTiles.tileBytes(0), "%s", releaseTiles.name) }

func (a *asm) vexRegisters(v vexCode, d, first, second int) {
	a.raw(v.registersBytes(d, first, second), "%s TMM%d, TMM%d, TMM%d", v.name, second, first, d)
}

func (a *asm) vexRows(v vexCode, tile int, base, stride string) {
	operands := fmt.Sprintf("(%s)(%s*1), TMM%d", base, stride, tile)
	if v == storeTile {
		operands = fmt.Sprintf("TMM%d, (%s)(%s*1)", tile, base, stride)
	}
	a.raw(v.rowsBytes(tile, base, stride), "%s %s", v.name, operands)
}
