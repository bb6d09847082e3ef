package main

import (
	"fmt"
	"strings"
)

// A neonRow is a function over the elements of rows: its slices at R0 and above, their length in R10, its numbers spread over V28
// and above. plan says what its other registers hold.
type neonRow struct {
	name, doc string
	plan      string
	slices    []string
	numbers   []string
	sum       bool // body adds to v.acc
	body      func(v neonVector)
}

// A neonVector is four elements of a row: where they are, and which of them exist.
type neonVector struct {
	neon
	row     *neonRow
	acc     int  // what the elements are added to
	at      int  // bytes from where the pointers are
	partial bool // only the first R10 of them exist
}

// number is the vector that holds a number.
func (v neonVector) number(name string) int {
	for i, n := range v.row.numbers {
		if n == name {
			return 28 + i
		}
	}
	panic("gen: no number " + name)
}

func (r *neonRow) pointer(slice string) string {
	for i, s := range r.slices {
		if s == slice {
			return fmt.Sprintf("R%d", i)
		}
	}
	panic("gen: no slice " + slice)
}

// registers is the register plan of a row.
func (r *neonRow) registers() string {
	var plan []string
	for _, s := range r.slices {
		plan = append(plan, r.pointer(s)+" "+s)
	}
	plan = append(plan, "R10 elements left, R12 address of the third of the last ones")
	for _, name := range r.numbers {
		plan = append(plan, fmt.Sprintf("V%d %s", neonVector{row: r}.number(name), name))
	}
	if r.sum {
		plan = append(plan, "V8 to V11 sixteen lanes of the result, V12 helps to rotate them, R11 rotations left")
	}
	return strings.Join(plan, ", ") + "; " + r.plan
}

// load reads the elements of a slice; those that do not exist become 0 and are not touched in memory.
func (v neonVector) load(reg int, slice string) {
	pointer := v.row.pointer(slice)
	if !v.partial {
		v.loadAt(reg, pointer, v.at)
		return
	}
	v.some(func() { v.op("FMOVS (%s), F%d", pointer, reg) }, func() { v.op("FMOVD (%s), F%d", pointer, reg) },
		func() { v.third(pointer, "VLD1 (R12), V%d.S[2]", reg) })
}

func (v neonVector) store(reg int, slice string) {
	pointer := v.row.pointer(slice)
	if !v.partial {
		v.storeAt(reg, pointer, v.at)
		return
	}
	v.some(func() { v.op("FMOVS F%d, (%s)", reg, pointer) }, func() { v.op("FMOVD F%d, (%s)", reg, pointer) },
		func() { v.third(pointer, "VST1 V%d.S[2], (R12)", reg) })
}

func (v neonVector) third(pointer, move string, reg int) {
	v.op("ADD $8, %s, R12", pointer)
	v.op(move, reg)
}

// some does what one, or two and perhaps a third element need.
func (v neonVector) some(one, two, third func()) {
	more, done := v.label("more"), v.label("done")
	v.op("CMP $2, R10")
	v.op("BGE %s", more)
	one()
	v.op("B %s", done)
	v.place(more)
	two()
	v.op("BEQ %s", done)
	third()
	v.place(done)
}

// others replaces the elements of d that do not exist by those of a. It uses V15.
func (v neonVector) others(d, a int) {
	if !v.partial {
		return
	}
	v.op("MOVD $masks<>+16(SB), R12")
	v.op("SUB R10<<2, R12")
	v.loadAt(15, "R12", 0)
	v.bits("VBIF", d, a, 15)
}

// row begins a function: its arguments in registers.
func (n neon) row(r neonRow) {
	args := append(append([]string{}, r.slices...), "n")
	for _, name := range r.numbers {
		args = append(args, name+":f")
	}
	n.function(r.name, r.name+": "+r.doc, r.registers(), r.sum, args...)
	for _, s := range r.slices {
		n.load(s, r.pointer(s))
	}
	n.load("n", "R10")
	for _, name := range r.numbers {
		n.spread(name, neonVector{row: &r}.number(name))
	}
}

// each writes the loop of a row: sixteen elements at a time, then four, then the rest. Element i of a sum goes to lane i mod 16 of
// V8 to V11. Behind the last sixteen these are turned round, four times in all, so that V8 is always the one to add to.
func (n neon) each(r neonRow) {
	next, tail, again, part, turned, done := n.label("next"), n.label("tail"), n.label("again"), n.label("part"), n.label("turned"), n.label("done")
	n.place(next)
	n.op("SUBS $16, R10")
	n.op("BLT %s", tail)
	for i := range 4 {
		r.body(neonVector{neon: n, row: &r, acc: 8 + i, at: neonWidth * i})
	}
	n.movePointers(r, 4*neonWidth)
	n.op("B %s", next)
	n.place(tail)
	n.op("ADD $16, R10")
	if r.sum {
		n.op("MOVD $4, R11")
	}
	n.place(again)
	n.op("CMP $4, R10")
	n.op("BLT %s", part)
	r.body(neonVector{neon: n, row: &r, acc: 8})
	n.movePointers(r, neonWidth)
	n.op("SUB $4, R10")
	n.op("B %s", turned)
	n.place(part)
	if r.sum {
		n.op("CBZ R10, %s", turned)
	} else {
		n.op("CBZ R10, %s", done)
	}
	r.body(neonVector{neon: n, row: &r, acc: 8, partial: true})
	n.op("MOVD ZR, R10")
	n.place(turned)
	if !r.sum {
		n.op("B %s", again)
		n.place(done)
		return
	}
	for _, m := range [][2]int{{12, 8}, {8, 9}, {9, 10}, {10, 11}, {11, 12}} {
		n.move(m[0], m[1])
	}
	n.op("SUBS $1, R11")
	n.op("BNE %s", again)
}

func (n neon) movePointers(r neonRow, by int) {
	for _, s := range r.slices {
		n.op("ADD $%d, %s", by, r.pointer(s))
	}
}

// sumLanes adds the sixteen lanes of V8 to V11 into lane 0 of V8: i and i+8, neighbours, neighbouring pairs, halves.
func (n neon) sumLanes() {
	n.add(8, 8, 10)
	n.add(9, 9, 11)
	n.addPairs(8, 8, 9)
	n.addPairs(8, 8, 8)
	n.addPairs(8, 8, 8)
}

// result returns lane 0 of V8.
func (n neon) result() {
	n.op("FMOVS F8, %s", n.fp("ret"))
	n.ret()
}
