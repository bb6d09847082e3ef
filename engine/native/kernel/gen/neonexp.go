package main

import "math"

// expTable are the constants of e^x in V16 and above, as package kernel explains them.
var expTable = []string{"low", "high", "log2e", "ln2high", "ln2low", "q0", "q1", "q2", "q3", "q4", "one", "bias"}

// expConstant is the vector of a constant.
func expConstant(name string) int {
	for i, c := range expTable {
		if c == name {
			return 16 + i
		}
	}
	panic("gen: no constant " + name)
}

// rowTables writes the constants of e^x, and the masks: four words of ones and four of zeros, of which the four from 4-n on choose
// the first n.
func (n neon) rowTables() {
	var words []uint32
	for _, name := range expTable {
		for _, c := range constants {
			if c.name == name {
				words = append(words, c.bits)
			}
		}
	}
	n.table("exponential", words...)
	ones := uint32(math.MaxUint32)
	n.table("masks", ones, ones, ones, ones, 0, 0, 0, 0)
}

// neonExpPlan is the part of a register plan that belongs to exp.
func neonExpPlan(value string) string {
	return "V0 " + value + ", V1 to V5 terms of it, " + span("V", 16, len(expTable)) + " constants, R14 where they are"
}

// neonSigmoidPlan is the part of a register plan that belongs to sigmoid, with a gate in V6.
func neonSigmoidPlan(then string) string {
	return "V6 gate, V7 its sigmoid, " + neonExpPlan("e^-gate") + "; then " + then
}

// exp replaces V0 by e^V0, as the constants of package kernel explain. It uses V1 to V5.
func (n neon) exp() {
	n.two("FMIN", 0, 0, expConstant("high"))
	n.two("FMAX", 0, 0, expConstant("low"))
	n.mul(1, 0, expConstant("log2e"))
	n.one("FRINTN", 1, 1)
	n.mulSub(0, 1, expConstant("ln2high"))
	n.mulSub(0, 1, expConstant("ln2low"))
	q := expConstant("q4")
	for i, name := range []string{"q3", "q2", "q1", "q0"} {
		next := 2 + i%2
		n.move(next, expConstant(name))
		n.mulAdd(next, q, 0)
		q = next
	}
	n.mul(4, 0, 0)
	n.mulAdd(0, 4, q)
	n.add(0, 0, expConstant("one"))
	n.note("times 2^n in two halves")
	n.one("FCVTNS", 1, 1)
	n.half(5, 1)
	n.words("VSUB", 1, 1, 5)
	for _, v := range []int{5, 1} {
		n.words("VADD", v, v, expConstant("bias"))
		n.shift("VSHL", 23, v, v)
		n.mul(0, 0, v)
	}
}

// sigmoid sets V7 to 1/(1+e^-V6). It uses V0 to V5.
func (n neon) sigmoid() {
	n.one("FNEG", 0, 6)
	n.exp()
	n.add(0, 0, expConstant("one"))
	n.div(7, expConstant("one"), 0)
}

// writeExp writes a row whose body needs the constants of e^x.
func (n neon) writeExp(r neonRow) {
	n.row(r)
	n.spreadTable("exponential", 16, len(expTable))
	if r.sum {
		n.zero(8, 9, 10, 11)
	}
	n.each(r)
	if r.sum {
		n.sumLanes()
		n.result()
		return
	}
	n.ret()
}

func (n neon) exponentials() {
	n.writeExp(neonRow{name: "expNEON", doc: "dst = e^x.", plan: neonExpPlan("x, then e^x"), slices: []string{"dst", "x"}, body: func(v neonVector) {
		v.load(0, "x")
		v.exp()
		v.store(0, "dst")
	}})
	n.writeExp(neonRow{name: "expScaledNEON", doc: "x = scale·e^(x-norm).", plan: neonExpPlan("x - norm, then its exponential"), slices: []string{"x"}, numbers: []string{"norm", "scale"}, body: func(v neonVector) {
		v.load(0, "x")
		v.sub(0, 0, v.number("norm"))
		v.exp()
		v.mul(0, 0, v.number("scale"))
		v.store(0, "x")
	}})
	n.writeExp(neonSumOfExp("expSumNEON", "dst = e^(x-max), returns the sum.", []string{"dst", "x"}, func(v neonVector) { v.store(0, "dst") }))
	n.writeExp(neonSumOfExp("sumExpNEON", "Σ e^(x-max).", []string{"x"}, func(neonVector) {}))
	n.writeExp(neonRow{name: "swigluNEON", doc: "y = gate·sigmoid(gate)·up.", plan: neonSigmoidPlan("V1 up, V0 y"), slices: []string{"y", "gate", "up"}, body: func(v neonVector) {
		v.load(6, "gate")
		v.sigmoid()
		v.load(1, "up")
		v.mul(0, 6, 7)
		v.mul(0, 0, 1)
		v.store(0, "y")
	}})
	n.writeExp(neonRow{
		name: "swigluGradNEON", doc: "gate and up become their gradients, y, the gradient of swigluNEON's output, that output.",
		plan:   neonSigmoidPlan("V2 up, V3 y, and the gradients in V0 to V4"),
		slices: []string{"gate", "up", "y"}, body: neonSwiGLUGrad,
	})
}

func neonSumOfExp(name, doc string, slices []string, keep func(neonVector)) neonRow {
	return neonRow{name: name, doc: doc, plan: neonExpPlan("x - max, then its exponential") + "; V6 zero, V15 and R12 the mask of the last elements", slices: slices, numbers: []string{"max"}, sum: true, body: func(v neonVector) {
		v.load(0, "x")
		v.sub(0, 0, v.number("max"))
		v.exp()
		keep(v)
		if v.partial {
			v.zero(6)
			v.others(0, 6)
		}
		v.add(v.acc, v.acc, 0)
	}}
}

func neonSwiGLUGrad(v neonVector) {
	one := expConstant("one")
	v.load(6, "gate")
	v.sigmoid()
	v.load(2, "up")
	v.load(3, "y")
	v.note("slope of gate·sigmoid(gate): s·(1 + gate·(1-s))")
	v.sub(0, one, 7)
	v.move(1, one)
	v.mulAdd(1, 6, 0)
	v.mul(1, 1, 7)
	v.mul(4, 3, 2)
	v.mul(4, 4, 1)
	v.mul(0, 6, 7)
	v.mul(3, 3, 0)
	v.mul(0, 0, 2)
	v.store(4, "gate")
	v.store(3, "up")
	v.store(0, "y")
}
