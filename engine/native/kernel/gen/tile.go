package main

import (
	"fmt"
	"strings"
)

// A vector extension: the name of its registers and how many bytes one holds.
type extension struct {
	name  string // suffix of function names
	reg   string // register letter
	width int    // bytes of a register
}

var (
	avx2   = extension{"AVX2", "Y", 32}
	avx512 = extension{"AVX512", "Z", 64}
)

// panelBytes is one row of a panel: 16 float32.
const panelBytes = 64

// A tile is rows × panels·16 elements of a result, held in registers over the whole depth of a block.
type tile struct {
	*asm
	extension
	rows, panels int
	kind
	half  bool // of one panel the first 8 columns alone
	bulk  bool // others of its height follow: each prefetches a part of what is needed next
	paced bool // it prefetches what the argument paced says, see prefetch.go
}

// plan is the register plan of a product with the tile t or, where t is swept, with tiles of at most its rows.
func (t tile) plan() string {
	plan := "DI c, SI a; "
	if t.kind.outward() {
		plan += "R8, R9, R10 bytes between rows of c, of a and of b; R11 depth; " +
			"AX rows of the next tile; " + t.walkersPlan("c") + ", then AX walks a, CX b; R14 counts. "
		return plan + t.vectorsPlan()
	}
	plan += t.distancesPlan("b") + "; R11 depth; "
	if t.bulk {
		plan += "AX rows of the next tile; "
	}
	plan += t.walkersPlan("a or c") + ", CX walks b"
	if t.panels == 4 {
		plan += ", R13 bytes of three panels"
	}
	plan += "; R14 counts. "
	if t.paced {
		return plan + prefetchPlan + t.vectorsPlan()
	}
	plan += "DX walks what is prefetched, R12 bytes between its panels. "
	if t.below() {
		plan += "In tiles that others follow, R8 walks rows of a to prefetch, R11 back to the first. "
	}
	return plan + t.vectorsPlan()
}

// distancesPlan is the part of a register plan that says how far apart things are; panels are those of b.
func (t tile) distancesPlan(panels string) string {
	return "R8, R9, R10 bytes between rows of c, rows of a and panels of " + panels
}

// walkersPlan is the part of a register plan that belongs to setWalkers.
func (t tile) walkersPlan(what string) string {
	count := (t.rows + 2) / 3
	if count == 1 {
		return "AX walks " + what
	}
	rows := []string{"0", "3", "6", "9"}
	return fmt.Sprintf("%s walk %s from rows %s", strings.Join(walkers[:count], ", "), what, strings.Join(rows[:count], ", "))
}

// vectorsPlan is the part of a register plan that says where elements are, as acc and word have it.
func (t tile) vectorsPlan() string {
	per := t.perRow()
	free := t.rows * per
	plan := span(t.reg, 0, free) + " c, "
	if per <= 2 {
		plan += span(t.reg, free, per) + " b, " + span(t.reg, free+per, t.broadcasts()) + " broadcasts of a"
	} else {
		plan += span(t.reg, free, t.rows) + " broadcasts of a, " + span(t.reg, free+t.rows, 1) + " b"
	}
	if t.bulk || t.kind.outward() {
		plan += fewerRows
	}
	if t.kind == widened && t.bulk {
		plan += "; " + upperHalves + " the mask of odd elements"
	}
	return plan
}

// fewerRows ends the part of a register plan that says where the elements of the largest tile are.
const fewerRows = ", lower ones in tiles of fewer rows"

// A kind is a family of tiles.
type kind int

const (
	product    kind = iota
	outer           // a is [depth][rows], b has rows of any distance: the weight gradient
	pairs           // words of a and b are pairs of bfloat16
	outerPairs      // both
	widened         // words of b are pairs of bfloat16, of which a has float32, the odd one first
	stored          // b is bfloat16, one row of a panel after the other
)

// words is how many words of a one step takes.
func (k kind) words() int {
	if k == widened {
		return 2
	}
	return 1
}

// flushes says whether an argument decides what denormal numbers are. Instructions for pairs take them as zero anyway.
func (k kind) flushes() bool { return k == product || k == widened }

// outward says whether a is [depth][rows].
func (k kind) outward() bool { return k == outer || k == outerPairs }

// perRow is the number of registers that a row of the tile takes.
func (t tile) perRow() int {
	if t.half {
		return panelBytes / 2 / t.width
	}
	return t.panels * panelBytes / t.width
}

func (t tile) acc(row, v int) string { return fmt.Sprintf("%s%d", t.reg, row*t.perRow()+v) }

func (t tile) free(i int) string { return fmt.Sprintf("%s%d", t.reg, t.rows*t.perRow()+i) }

// walkers are the registers that point at rows 0, 3, 6 and 9 of a or c.
var walkers = []string{"AX", "BX", "R13", "R15"}

// inRow is the operand offset bytes into row r, where the walkers point at rows that stride bytes lie between.
func inRow(stride string, r, offset int) string {
	if r%3 == 0 {
		return fmt.Sprintf("%d(%s)", offset, walkers[r/3])
	}
	return fmt.Sprintf("%d(%s)(%s*%d)", offset, walkers[r/3], stride, r%3)
}

// setWalkers points the walkers at rows of what starts at from. It uses R14.
func (t tile) setWalkers(from, stride string) {
	t.op("MOVQ %s, AX", from)
	if t.rows > 3 {
		t.op("LEAQ (%s)(%s*2), R14", stride, stride)
	}
	for i := 1; 3*i < t.rows; i++ {
		t.op("LEAQ (%s)(R14*1), %s", walkers[i-1], walkers[i])
	}
}

// eachResult calls f for every register of the tile and the memory that belongs to it; the walkers point at c.
func (t tile) eachResult(f func(reg, mem string)) {
	vectors := panelBytes / t.width
	for r := range t.rows {
		for v := range t.perRow() {
			f(t.acc(r, v), inRow("R8", r, v/vectors*panelBytes+v%vectors*t.width))
		}
	}
}

// begin loads the tile, or clears it where nothing is accumulated.
func (t tile) begin() {
	clear, ready := t.label("clear"), t.label("ready")
	if !t.kind.outward() {
		t.op("CMPQ %s, $0", t.fp("accumulate"))
		t.op("JEQ %s", clear)
	}
	t.setWalkers("DI", "R8")
	t.eachResult(func(reg, mem string) { t.op("VMOVUPS %s, %s", mem, reg) })
	if t.kind.outward() {
		return
	}
	t.op("JMP %s", ready)
	t.place(clear)
	t.eachResult(func(reg, _ string) {
		if t.width == 64 {
			t.op("VPXORD %s, %s, %s", reg, reg, reg)
		} else {
			t.op("VXORPS %s, %s, %s", reg, reg, reg)
		}
	})
	t.place(ready)
}

func (t tile) end() {
	t.setWalkers("DI", "R8")
	t.eachResult(func(reg, mem string) { t.op("VMOVUPS %s, %s", reg, mem) })
}

// left is the operand of a for row r, u steps of depth ahead.
func (t tile) left(r, u int) string {
	if t.kind.outward() {
		return fmt.Sprintf("%d(AX)", 4*r)
	}
	return inRow("R9", r, 4*u)
}

// right is the operand of vector v of b, u steps of depth ahead.
func (t tile) right(v, u int) string {
	vectors := panelBytes / t.width
	offset := u*panelBytes + v%vectors*t.width
	panel := v / vectors
	if t.kind.outward() {
		return fmt.Sprintf("%d(CX)", panel*panelBytes+offset) // its panels lie side by side
	}
	switch panel {
	case 0:
		return fmt.Sprintf("%d(CX)", offset)
	case 3:
		return fmt.Sprintf("%d(CX)(R13*1)", offset) // three panels on; only tiles of up to six rows are so wide
	default:
		return fmt.Sprintf("%d(CX)(R10*%d)", offset, panel)
	}
}

// step is one multiply-add of every element, or of both elements of a pair.
func (t tile) step(u int) {
	for word := range t.kind.words() {
		t.word(u, word)
	}
}

// word multiplies with one word of a. Tiles with few vectors a row keep those of b and go through a; others keep the broadcasts of a.
func (t tile) word(u, word int) {
	per, a := t.perRow(), u*t.kind.words()+word
	if per <= 2 {
		for v := range per {
			t.loadRight(v, u, word, t.free(v))
		}
		for r := range t.rows {
			broadcast := t.free(per + r%t.broadcasts())
			t.op("VBROADCASTSS %s, %s", t.left(r, a), broadcast)
			for v := range per {
				t.mulAdd(t.free(v), broadcast, t.acc(r, v))
			}
		}
		return
	}
	for r := range t.rows {
		t.op("VBROADCASTSS %s, %s", t.left(r, a), t.free(r))
	}
	for v := range per {
		vector := t.free(t.rows)
		t.loadRight(v, u, word, vector)
		for r := range t.rows {
			t.mulAdd(vector, t.free(r), t.acc(r, v))
		}
	}
}

// broadcasts is how many registers take turns in going through a.
func (t tile) broadcasts() int {
	if t.kind == widened {
		return 1 // the other one holds upperHalves
	}
	return 2
}

// upperHalves is the mask of the odd elements of pairs.
const upperHalves = "Y15"

// loadRight loads vector v of b: of pairs, the odd elements and then the even ones.
func (t tile) loadRight(v, u, word int, reg string) {
	switch {
	case t.kind != widened:
		t.op("VMOVUPS %s, %s", t.right(v, u), reg)
	case word == 1:
		t.op("VMOVDQU %s, %s", t.right(v, u), reg)
		t.op("VPSLLD $16, %s, %s", reg, reg)
	case t.perRow() <= 2:
		t.op("VPAND %s, %s, %s", t.right(v, u), upperHalves, reg)
	default: // no register is left for the mask
		t.op("VMOVDQU %s, %s", t.right(v, u), reg)
		t.op("VPAND upper<>(SB), %s, %s", reg, reg)
	}
}

// mulAdd is acc += a·b.
func (t tile) mulAdd(b, a, acc string) {
	if t.kind == pairs || t.kind == outerPairs {
		t.dotBF16(b, a, acc)
		return
	}
	t.op("VFMADD231PS %s, %s, %s", b, a, acc)
}

// ahead prefetches what is needed next, as much as these steps of depth take: streams of weights are too short for the processor to
// find out by itself. Tiles that others follow prefetch one cache line a panel, the next tile for the line behind it, so that
// memory is busy all the time and never more than it can be.
func (t tile) ahead(steps, perBlock int) {
	inside := t.label("inside")
	t.op("TESTQ $%d, R14", perBlock-1)
	t.op("JNZ %s", inside)
	t.op("ADDQ %s, DX", t.fp("skip"))
	t.place(inside)
	lines := steps
	if t.bulk {
		lines = 1
	}
	for panel := range t.panels {
		if panel == 2 {
			t.op("LEAQ (DX)(R12*2), DX")
		}
		for u := range lines {
			t.op("%s %s", t.hint(), t.beside(u*panelBytes, panel%2))
		}
	}
	if t.panels > 2 {
		t.op("SUBQ R12, DX")
		t.op("SUBQ R12, DX")
	}
	t.op("ADDQ $%d, DX", steps*panelBytes)
}

// below says whether the tile prefetches the rows of a that the tile below it takes: those that take more than a few bytes a cycle.
func (t tile) below() bool {
	return t.bulk && !t.paced && !t.kind.outward() && !t.half && (t.panels == 2 || t.width == 32)
}

// resultsAhead prefetches the rows of c below. For the six rows of a tile of AVX2 that does not pay.
func (t tile) resultsAhead() {
	if !t.below() || t.panels == 1 {
		return
	}
	t.op("IMUL3Q $%d, R8, CX", t.rows)
	t.op("ADDQ DI, CX")
	t.setWalkers("CX", "R8")
	t.eachResult(func(_, mem string) { t.op("PREFETCHT1 %s", mem) })
}

// rowsAhead prefetches them, three rows in a turn of the loop: in as many as go along one line of them, the next line of all twelve; where
// there are six, in every second turn, unless a line takes two turns. They come from the third-level cache or from memory where a block of rows begins. R8 points at
// them, R11 is what leads back to the first.
func (t tile) rowsAhead() {
	switch {
	case !t.below():
	case t.rows > 6, t.kind == widened:
		t.threeRowsAhead()
	default:
		later := t.label("later")
		t.op("TESTQ $1, R14")
		t.op("JNZ %s", later)
		t.threeRowsAhead()
		t.place(later)
	}
}

// threeRowsAhead prefetches three rows, and goes on to the next line where a line of all rows has been prefetched.
func (t tile) threeRowsAhead() {
	same := t.label("same")
	t.op("TESTQ $%d, R14", 4/t.kind.words()-1)
	t.op("JNZ %s", same)
	t.op("SUBQ R11, R8")
	t.place(same)
	t.op("PREFETCHT1 (R8)")
	t.op("PREFETCHT1 (R8)(R9*1)")
	t.op("PREFETCHT1 (R8)(R9*2)")
	t.op("LEAQ (R8)(R9*2), R8")
	t.op("ADDQ R9, R8")
}

// hint is the instruction that prefetches memory. Panels that go by one at a time are a stream: they are read once, and need not be in the
// second-level cache. With more than two rows a core is busy for too long to find them in the first-level one when it comes there.
func (t tile) hint() string {
	if t.panels == 1 && t.width == 64 && t.rows <= 2 {
		return "PREFETCHNTA"
	}
	return "PREFETCHT1"
}

// beside is the operand offset bytes after DX, or where the next panel's is.
func (t tile) beside(offset, panel int) string {
	if panel == 0 {
		return fmt.Sprintf("%d(DX)", offset)
	}
	return fmt.Sprintf("%d(DX)(R12*1)", offset)
}

// advance moves on by steps of depth.
func (t tile) advance(steps int) {
	if t.kind.outward() {
		t.op("ADDQ R9, AX")
		t.op("ADDQ R10, CX")
		return
	}
	for i := 0; 3*i < t.rows; i++ {
		t.op("ADDQ $%d, %s", 4*steps*t.kind.words(), walkers[i])
	}
	t.op("ADDQ $%d, CX", panelBytes*steps)
}

// emit computes one tile. c and a stay where they are.
func (t tile) emit() {
	t.note("%d rows × %d panels", t.rows, t.panels)
	t.begin()
	t.resultsAhead()
	if t.kind.outward() {
		t.op("MOVQ SI, AX")
	} else {
		t.setWalkers("SI", "R9")
	}
	if t.panels == 4 {
		t.op("LEAQ (R10)(R10*2), R13")
	}
	t.load("b", "CX")
	t.steps("R14")
	if !t.kind.outward() {
		const unroll = 4
		perBlock := panelBytes / 4 / unroll // turns of the loop that pass a block of the weights
		if t.kind == pairs || t.kind == widened {
			perBlock /= 2
		}
		t.op("SHRQ $2, R14")
		quiet, over := t.label("quiet"), t.label("over")
		if t.mayBeQuiet() {
			t.op("CMPQ %s, $0", t.fp("quiet"))
			t.op("JNE %s", quiet)
		}
		t.beginAhead()
		t.turns(unroll, func() {
			if t.paced {
				t.prefetchPaced()
			} else {
				t.ahead(unroll, perBlock)
				t.rowsAhead()
			}
		})
		t.endAhead()
		if t.mayBeQuiet() {
			t.op("JMP %s", over)
			t.place(quiet)
			t.turns(unroll, func() {})
			t.place(over)
		}
		t.steps("R14")
		t.op("ANDQ $%d, R14", unroll-1)
	}
	t.loop("R14", func() {
		t.step(0)
		t.advance(1)
	})
	t.end()
}

// mayBeQuiet says whether the tile prefetches something only while the argument quiet is zero. A second prefetch delays loads that the multiply-adds
// wait for. On processors without AVX-512 that costs more than it gains, unless memory is far.
func (t tile) mayBeQuiet() bool { return t.bulk && t.width == 32 && t.kind.flushes() && !t.half }

// turns is the loop over the depth: some steps, then what is prefetched.
func (t tile) turns(unroll int, ask func()) {
	t.loop("R14", func() {
		for u := range unroll {
			t.step(u)
		}
		ask()
		t.advance(unroll)
	})
}

// steps sets a register to the number of steps that the depth takes.
func (t tile) steps(reg string) {
	t.op("MOVQ R11, %s", reg)
	if t.kind.words() == 2 {
		t.op("SHRQ $1, %s", reg)
	}
}

// beginAhead makes the registers ready with which the loop prefetches.
func (t tile) beginAhead() {
	if t.paced {
		t.beginPrefetch()
		return
	}
	t.op("MOVQ CX, DX")
	t.op("ADDQ %s, DX", t.fp("ahead"))
	if t.below() {
		t.op("IMUL3Q $%d, R9, R8", t.rows)
		t.op("LEAQ -%d(R8), R11", panelBytes)
		t.op("ADDQ SI, R8")
		t.op("ADDQ R11, R8")
	}
}

// endAhead gives them back.
func (t tile) endAhead() {
	if t.paced {
		t.endPrefetch()
		return
	}
	if t.below() {
		t.load("ldc", "R8", "depth", "R11")
		t.op("SHLQ $2, R8")
	}
	if t.bulk {
		t.op("ADDQ $%d, %s", panelBytes, t.fp("ahead"))
	}
}
