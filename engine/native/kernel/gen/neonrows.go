package main

func rowsNEON() string {
	n := newNEON()
	n.rowTables()
	n.reductions()
	for _, r := range neonElementwise {
		n.write(r)
	}
	n.adamw()
	n.exponentials()
	return n.String()
}

// write writes a row that is nothing but its loop.
func (n neon) write(r neonRow) {
	n.row(r)
	n.each(r)
	n.ret()
}

// writeSum writes a row that returns the sum of its lanes.
func (n neon) writeSum(r neonRow) {
	r.sum = true
	n.row(r)
	n.zero(8, 9, 10, 11)
	n.each(r)
	n.sumLanes()
	n.result()
}

func (n neon) reductions() {
	n.writeSum(neonRow{name: "dotNEON", doc: "Σ a·b.", plan: "V0 and V1 elements of a and b", slices: []string{"a", "b"}, body: func(v neonVector) {
		v.load(0, "a")
		v.load(1, "b")
		v.mulAdd(v.acc, 0, 1)
	}})
	n.writeSum(neonRow{name: "dot3NEON", doc: "Σ (a·b)·c.", plan: "V0 to V2 elements of a, b and c, V0 also a·b", slices: []string{"a", "b", "c"}, body: func(v neonVector) {
		v.load(0, "a")
		v.load(1, "b")
		v.load(2, "c")
		v.mul(0, 0, 1)
		v.mulAdd(v.acc, 0, 2)
	}})
	largest := neonRow{name: "maximumNEON", doc: "the largest of n > 0 values.", plan: "V0 elements, V7 the first value, V15 and R12 the mask of the last elements", slices: []string{"x"}, sum: true, body: func(v neonVector) {
		v.load(0, "x")
		v.others(0, 7)
		v.two("FMAX", v.acc, v.acc, 0)
	}}
	n.row(largest)
	n.op("VLD1R (R0), [V7.S4]")
	for acc := 8; acc < 12; acc++ {
		n.move(acc, 7)
	}
	n.each(largest)
	for _, acc := range []int{9, 10, 11} {
		n.two("FMAX", 8, 8, acc)
	}
	n.two("FMAXP", 8, 8, 8)
	n.two("FMAXP", 8, 8, 8)
	n.result()
}

var neonElementwise = []neonRow{
	{name: "addNEON", doc: "y += x.", plan: "V0 and V1 elements of y and x", slices: []string{"y", "x"}, body: func(v neonVector) {
		v.load(0, "y")
		v.load(1, "x")
		v.add(0, 0, 1)
		v.store(0, "y")
	}},
	{name: "addScaledNEON", doc: "y += a·x.", plan: "V0 and V1 elements of y and x", slices: []string{"y", "x"}, numbers: []string{"a"}, body: func(v neonVector) {
		v.load(0, "y")
		v.load(1, "x")
		v.mulAdd(0, 1, v.number("a"))
		v.store(0, "y")
	}},
	{name: "scaleNEON", doc: "x *= a.", plan: "V0 elements", slices: []string{"x"}, numbers: []string{"a"}, body: func(v neonVector) {
		v.load(0, "x")
		v.mul(0, 0, v.number("a"))
		v.store(0, "x")
	}},
	{name: "softmaxGradNEON", doc: "dp = p·(dp - mean).", plan: "V0 and V1 elements of dp and p", slices: []string{"dp", "p"}, numbers: []string{"mean"}, body: func(v neonVector) {
		v.load(0, "dp")
		v.load(1, "p")
		v.sub(0, 0, v.number("mean"))
		v.mul(0, 0, 1)
		v.store(0, "dp")
	}},
	{name: "normalizeNEON", doc: "y = (x·inv)·w.", plan: "V0 and V1 elements of x and w", slices: []string{"y", "x", "w"}, numbers: []string{"inv"}, body: func(v neonVector) {
		v.load(0, "x")
		v.load(1, "w")
		v.mul(0, 0, v.number("inv"))
		v.mul(0, 0, 1)
		v.store(0, "y")
	}},
	{name: "normGradNEON", doc: "dx += inv·(dy·w) - c·x.", plan: "V0 to V3 elements of dx, dy, x and w", slices: []string{"dx", "dy", "x", "w"}, numbers: []string{"inv", "c"}, body: func(v neonVector) {
		v.load(0, "dx")
		v.load(1, "dy")
		v.load(2, "x")
		v.load(3, "w")
		v.mul(1, 1, 3)
		v.mulSub(0, 2, v.number("c"))
		v.mulAdd(0, 1, v.number("inv"))
		v.store(0, "dx")
	}},
	neonRotation("rotateNEON", func(v neonVector, first, _ int) { v.one("FNEG", first, first) }),
	neonRotation("rotateBackNEON", func(v neonVector, _, second int) { v.one("FNEG", second, second) }),
}

// neonRotation: forwards the new halves are lo·cos - hi·sin and hi·cos + lo·sin, backwards the signs change places.
func neonRotation(name string, negate func(v neonVector, first, second int)) neonRow {
	return neonRow{name: name, doc: "the halves of a head turned by the angles of cos and sin.", plan: "V0 to V3 elements of lo, hi, cos and sin, V4 and V5 hi·sin and lo·sin, then the new halves", slices: []string{"lo", "hi", "cos", "sin"}, body: func(v neonVector) {
		v.load(0, "lo")
		v.load(1, "hi")
		v.load(2, "cos")
		v.load(3, "sin")
		v.mul(4, 1, 3)
		v.mul(5, 0, 3)
		negate(v, 4, 5)
		v.mulAdd(4, 0, 2)
		v.mulAdd(5, 1, 2)
		v.store(4, "lo")
		v.store(5, "hi")
	}}
}

func (n neon) adamw() {
	const scale, beta1, rest1, beta2, rest2, decay, step, root, eps = 16, 17, 18, 19, 20, 21, 22, 23, 24
	r := neonRow{name: "adamwNEON", doc: "one AdamW step on n parameters.", plan: "R14 s; V16 to V24 its fields in their order; V0 the gradient, then p; V1 m, then the step, then p; V2 v, then its root; V3 a product, then the divisor", slices: []string{"p", "m", "v", "grad"}, body: func(v neonVector) {
		v.load(0, "grad")
		v.mul(0, 0, scale)
		v.load(1, "m")
		v.mul(1, 1, beta1)
		v.mulAdd(1, 0, rest1)
		v.store(1, "m")
		v.load(2, "v")
		v.mul(2, 2, beta2)
		v.mul(3, 0, rest2)
		v.mulAdd(2, 3, 0)
		v.store(2, "v")
		v.one("FSQRT", 2, 2)
		v.move(3, eps)
		v.mulAdd(3, 2, root)
		v.mul(1, 1, step)
		v.div(1, 1, 3)
		v.one("FNEG", 1, 1)
		v.load(0, "p")
		v.mulAdd(1, 0, decay)
		v.store(1, "p")
	}}
	n.function(r.name, r.name+": "+r.doc, r.registers(), false, "p", "m", "v", "grad", "n", "s")
	n.load("p", "R0", "m", "R1", "v", "R2", "grad", "R3", "n", "R10", "s", "R14")
	for i := range 9 {
		n.op("VLD1R.P 4(R14), [V%d.S4]", scale+i)
	}
	n.each(r)
	n.ret()
}
