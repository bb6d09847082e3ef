package main

import "fmt"

// tileSide is the number of rows of a tile, and of the words of 32 bits in one.
const tileSide = 16

// The products of AMX. Four tiles of 16 × 16 sums, up to 32 rows of one or two panels, are computed at a time.
//
// The second-level cache brings 48 bytes a cycle, and a step of two by two tiles, 64 cycles, reads 4 KiB. So one of the operands has to come
// from the first-level cache, and what passes by once may not drive it out: TILELOADDT1 leaves no line there.
func productAMX() string {
	a := newAsm()
	for rows := 1; rows <= 2; rows++ {
		for panels := 1; panels <= 2; panels++ {
			a.tiles(tiles{rows: rows, panels: panels})
		}
	}
	for panels := 1; panels <= 2; panels++ {
		a.tiles(tiles{rows: 2, panels: panels, many: true})
	}
	a.peakTiles()
	return a.String()
}

// tiles says what a function computes: so many rows of tiles by so many panels, while panels pass by, or, where there are many, rows.
type tiles struct {
	rows, panels int
	many         bool
}

func (t tiles) name() string {
	if t.many {
		return fmt.Sprintf("multiplyRowsx%dAMX", t.panels)
	}
	return fmt.Sprintf("multiplyTiles%dx%dAMX", t.rows, t.panels)
}

func (t tiles) doc() string {
	if t.many {
		return fmt.Sprintf("%s: the same for one group of 32 rows after the other, and %d panels.", t.name(), t.panels)
	}
	return fmt.Sprintf("%s: c (+)= a·b, steps tiles deep, %d by %d of them, whose shapes are configured by shape, for one group of panels after the other.", t.name(), t.rows, t.panels)
}

func (t tiles) plan() string {
	sums := span("TMM", 0, t.panels) + " c, "
	if t.rows == 2 {
		sums += span("TMM", 2, t.panels) + " c 16 rows further, "
	}
	beside, rest := "", "R10 zero"
	if t.many {
		beside, rest = ", in the loop the rows of c that are prefetched", "R10 what is left of a block of it"
	}
	return "DI c, SI a, BX b; AX a and R15 c 16 rows further" + beside + "; R11 b a panel further; R8, R9, R13 bytes between rows of c, of a and of a panel; " +
		"CX steps left; DX walks what is prefetched, R12 bytes between its panels, " + rest + ", R14 lines of it. " +
		sums + span("TMM", 4, t.rows) + " a, " + span("TMM", 6, t.panels) + " b"
}

// loads are the instructions that load a and b: 32 rows of what stays take all of the first-level cache.
func (t tiles) loads() (a, b vexCode) {
	switch {
	case t.many:
		return passTile, loadTile
	case t.rows == 2:
		return loadTile, passTile
	}
	return loadTile, loadTile
}

func (a *asm) tiles(t tiles) {
	a.function(t.name(), t.doc(), t.plan(), false, "c", "a", "b", "ldc", "lda", "ldb", "steps", "groups", "accumulate", "ahead", "apart", "skip", "lines", "beside", "shape")
	a.load("c", "DI", "ldc", "R8", "lda", "R9", "apart", "R12", "shape", "AX")
	a.configureTiles("AX")
	for _, distance := range []string{"R8", "R9"} {
		a.op("SHLQ $2, %s", distance)
	}
	a.op("SHLQ $2, %s", a.fp("ldb"))
	a.op("MOVQ $%d, R13", panelBytes)
	next := a.label("group")
	if t.many {
		a.ahead()
	}
	a.place(next)
	if !t.many {
		a.ahead()
	}
	a.group(t)
	if t.many {
		a.rowsOn()
	} else {
		a.panelsOn(t.panels)
	}
	a.op("DECQ %s", a.fp("groups"))
	a.op("JNZ %s", next)
	a.releaseTiles()
	a.ret()
}

// ahead points DX at what is needed next.
func (a *asm) ahead() {
	a.load("b", "DX")
	a.op("ADDQ %s, DX", a.fp("ahead"))
	a.op("MOVQ $0, R10")
}

// rowsOn goes on to the next 32 rows of c and a.
func (a *asm) rowsOn() {
	a.op("MOVQ R8, AX")
	a.op("SHLQ $5, AX")
	a.op("ADDQ AX, DI")
	a.op("MOVQ R9, AX")
	a.op("SHLQ $5, AX")
	a.op("ADDQ AX, %s", a.fp("a"))
}

// panelsOn goes on to the next panels of c and b.
func (a *asm) panelsOn(panels int) {
	a.op("ADDQ $%d, DI", panels*panelBytes)
	a.load("ldb", "AX")
	if panels == 2 {
		a.op("SHLQ $1, AX")
	}
	a.op("ADDQ AX, %s", a.fp("b"))
}

// group computes the tiles once.
func (a *asm) group(t tiles) {
	a.load("a", "SI", "b", "BX", "ldb", "R11", "steps", "CX")
	a.op("ADDQ BX, R11")
	a.op("MOVQ R9, AX")
	a.op("SHLQ $4, AX")
	a.op("ADDQ SI, AX")
	clear, ready := a.label("clear"), a.label("ready")
	a.op("CMPQ %s, $0", a.fp("accumulate"))
	a.op("JEQ %s", clear)
	a.eachSum(t, func(tile int, at string) { a.vexRows(loadTile, tile, at, "R8") })
	a.op("JMP %s", ready)
	a.place(clear)
	for p := range t.panels {
		for r := range t.rows {
			a.clearTile(2*r + p)
		}
	}
	a.place(ready)
	if t.many {
		a.op("MOVQ DI, R15")
		a.op("ADDQ %s, R15", a.fp("beside"))
	}
	loadA, loadB := t.loads()
	a.loop("CX", func() {
		a.vexRows(loadA, 4, "SI", "R9")
		a.vexRows(loadB, 6, "BX", "R13")
		a.vexRegisters(dotTile, 0, 4, 6)
		if t.panels == 2 {
			a.vexRows(loadB, 7, "R11", "R13")
			a.vexRegisters(dotTile, 1, 4, 7)
		}
		if t.rows == 2 {
			a.vexRows(loadA, 5, "AX", "R9")
			a.vexRegisters(dotTile, 2, 5, 6)
			if t.panels == 2 {
				a.vexRegisters(dotTile, 3, 5, 7)
			}
			a.op("ADDQ $%d, AX", 4*tileSide)
		}
		a.tilesAhead(t)
		a.op("ADDQ $%d, SI", 4*tileSide)
		a.op("ADDQ $%d, BX", tileSide*panelBytes)
		if t.panels == 2 {
			a.op("ADDQ $%d, R11", tileSide*panelBytes)
		}
	})
	a.eachSum(t, func(tile int, at string) { a.vexRows(storeTile, tile, at, "R8") })
}

// eachSum calls f with the tiles of sums and where they are in memory.
func (a *asm) eachSum(t tiles, f func(tile int, at string)) {
	a.op("MOVQ R8, R15")
	a.op("SHLQ $4, R15")
	a.op("ADDQ DI, R15")
	for p := range t.panels {
		for r := range t.rows {
			f(2*r+p, []string{"DI", "R15"}[r])
		}
		if p+1 < t.panels {
			a.op("ADDQ $%d, DI", panelBytes)
			a.op("ADDQ $%d, R15", panelBytes)
		}
	}
	if t.panels == 2 {
		a.op("SUBQ $%d, DI", panelBytes)
	}
}

// tilesAhead prefetches what is needed next, whose blocks of 8 lines lie apart.
func (a *asm) tilesAhead(t tiles) {
	nothing := a.label("nothing")
	a.load("lines", "R14")
	a.op("TESTQ R14, R14")
	a.op("JLE %s", nothing)
	if t.many {
		a.linesAhead(t.panels)
	} else {
		a.stepAhead(t.panels)
	}
	a.place(nothing)
	if t.many {
		a.sumsAhead(t.panels)
	}
}

// stepAhead prefetches as much as a step of depth takes.
func (a *asm) stepAhead(panels int) {
	const lines = tileSide / 2
	for range 2 {
		a.op("ADDQ %s, DX", a.fp("skip"))
		for i := range lines {
			a.op("PREFETCHT1 %d(DX)", i*panelBytes)
			if panels == 2 {
				a.op("PREFETCHT1 %d(DX)(R12*1)", i*panelBytes)
			}
		}
		a.op("ADDQ $%d, DX", lines*panelBytes)
	}
}

// linesAhead prefetches R14 lines of each panel.
func (a *asm) linesAhead(panels int) {
	line, inside := a.label("line"), a.label("inside")
	a.place(line)
	a.op("SUBQ $1, R10")
	a.op("JGE %s", inside)
	a.op("MOVQ $%d, R10", tileSide/2-1)
	a.op("ADDQ %s, DX", a.fp("skip"))
	a.place(inside)
	a.op("PREFETCHT1 (DX)")
	if panels == 2 {
		a.op("PREFETCHT1 (DX)(R12*1)")
	}
	a.op("ADDQ $%d, DX", panelBytes)
	a.op("DECQ R14")
	a.op("JNZ %s", line)
}

// sumsAhead prefetches two rows of the sums that are needed next.
func (a *asm) sumsAhead(panels int) {
	none := a.label("none")
	a.op("CMPQ %s, $0", a.fp("beside"))
	a.op("JEQ %s", none)
	for range 2 {
		for p := range panels {
			a.op("PREFETCHT1 %d(R15)", p*panelBytes)
		}
		a.op("ADDQ R8, R15")
	}
	a.place(none)
}

// peakTiles keeps four sums going, which hide each other's latency.
func (a *asm) peakTiles() {
	a.function("peakTilesAMX", "peakTilesAMX: n times 4 products of tiles, whose shapes are configured by shape.",
		"CX turns left, AX shape; TMM0 to TMM3 sums, TMM4 and TMM5 left operands, TMM6 and TMM7 right ones", false, "n", "shape")
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
	passTile       = vexCode{"TILELOADDT1", 1, 0x4b} // leaves nothing in the first-level cache
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
