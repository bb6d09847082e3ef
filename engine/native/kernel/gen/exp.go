package main

// exp replaces V0 by e^V0, as the constants of package kernel explain. It uses V1 to V3.
func (v vector) exp() {
	v.note("e^x; the limits are first operands: where x is NaN the second one, x, is kept")
	v.op("VMINPS V0, %s, V0", v.held("high", "V1"))
	v.op("VMAXPS V0, %s, V0", v.held("low", "V1"))
	v.op("VMULPS %s, V0, V1", v.constant("log2e"))
	v.op("%s $8, V1, V1", map[extension]string{avx2: "VROUNDPS", avx512: "VRNDSCALEPS"}[v.extension])
	v.op("VFNMADD231PS %s, V1, V0", v.constant("ln2high"))
	v.op("VFNMADD231PS %s, V1, V0", v.constant("ln2low"))
	v.op("VMOVUPS %s, V2", v.constant("q4"))
	for _, q := range []string{"q3", "q2", "q1", "q0"} {
		v.op("VFMADD213PS %s, V0, V2", v.constant(q))
	}
	v.op("VMULPS V0, V0, V3")
	v.op("VFMADD213PS V0, V3, V2")
	v.op("VADDPS %s, V2, V2", v.constant("one"))
	v.scale()
}

// scale sets V0 to V2 times 2^n for the n of V1, rounded once. It uses V3.
func (v vector) scale() {
	if v.extension == avx512 {
		v.op("VSCALEFPS V1, V2, V0")
		return
	}
	v.note("times 2^n in two halves")
	v.op("VCVTPS2DQ V1, V3")
	v.op("VPSRAD $1, V3, V0")
	v.op("VPSUBD V0, V3, V3")
	for _, half := range []struct{ reg, product string }{{"V0", "V2"}, {"V3", "V0"}} {
		v.op("VPADDD %s, %[2]s, %[2]s", constant("bias"), half.reg)
		v.op("VPSLLD $23, %s, %[1]s", half.reg)
		v.op("VMULPS %s, V2, %s", half.reg, half.product)
	}
}

// sigmoid sets V5 to 1/(1+e^-V4). It uses V0 to V3.
func (v vector) sigmoid() {
	v.op("VXORPS %s, V4, V0", v.constant("sign"))
	v.exp()
	one := v.held("one", "V1")
	v.op("VADDPS %s, V0, V0", one)
	v.op("VDIVPS V0, %s, V5", one)
}

// expPlan is the part of a register plan that belongs to exp: what V0 holds, and what V0 to V3 hold then.
func (e extension) expPlan(value, then string) string {
	plan := e.own(0, 1) + " " + value + ", " + e.own(1, 3) + " terms of it"
	if then != "" {
		plan += ", then " + then + " in " + e.own(0, 4)
	}
	if e == avx512 {
		plan += ", " + span(e.reg, 16, heldConstants) + " constants"
	}
	return plan
}

// sigmoidPlan is the part of a register plan that belongs to sigmoid, with a gate in V4.
func (e extension) sigmoidPlan(then string) string {
	return e.own(4, 1) + " gate, " + e.own(5, 1) + " its sigmoid, " + e.expPlan("e^-gate", then)
}

func (a *asm) exponentials(ext extension) {
	norm, scale := ext.shared(0), ext.shared(1)
	a.writePairs(ext, row{name: "exp", doc: "dst = e^x.", plan: ext.expPlan("x, then e^x", ""), slices: "dst DI, x SI", body: func(v vector) {
		v.load("SI", "V0")
		v.exp()
		v.store("V0", "DI")
	}})
	plan := ext.expPlan("x - norm, then its exponential", "")
	a.writePairs(ext, row{name: "expScaled", doc: "x = scale·e^(x-norm).", plan: plan, slices: "x DI", numbers: "norm " + norm + ", scale " + scale, body: func(v vector) {
		v.load("DI", "V0")
		v.op("VSUBPS %s, V0, V0", norm)
		v.exp()
		v.op("VMULPS %s, V0, V0", scale)
		v.store("V0", "DI")
	}})
	name := "expSum" + ext.name
	a.function(name, name+": dst = e^(x-max), returns the sum.",
		"DI dst, SI x, "+ext.rowPlan()+"; "+ext.sumOfExpPlan(),
		true, "dst", "x", "n", "max:f")
	a.load("dst", "DI", "x", "SI", "n", "CX")
	a.sumOfExp(ext, func(v vector) { v.store("V0", "DI") })

	name = "sumExp" + ext.name
	a.function(name, name+": Σ e^(x-max).",
		"SI x, "+ext.rowPlan()+"; "+ext.sumOfExpPlan(),
		true, "x", "n", "max:f")
	a.load("x", "SI", "n", "CX")
	a.sumOfExp(ext, func(vector) {})
	a.swiglu(ext)
	a.swigluGrad(ext)
}

// sumOfExpPlan is the part of a register plan that belongs to sumOfExp.
func (e extension) sumOfExpPlan() string {
	lanes := "Y12 and Y13 sixteen lanes of sums, "
	if e == avx512 {
		lanes = "Z12 sixteen lanes of sums, Y13 at the end the upper eight, "
	}
	return lanes + e.shared(2) + " max, " + e.expPlan("x - max, then its exponential", "")
}

func (a *asm) sumOfExp(ext extension, keep func(vector)) {
	max := ext.shared(2)
	a.spread("max", max)
	a.zero(ext.shared(0), ext.shared(1))
	a.holdConstants(ext)
	a.eachPair(ext, func(v vector) {
		v.load("SI", "V0")
		v.op("VSUBPS %s, V0, V0", max)
		v.exp()
		keep(v)
		v.drop("V0")
		v.addToLanes("V0")
	})
	if ext == avx512 {
		a.op("VEXTRACTF64X4 $1, Z12, Y13")
	}
	a.sumLanes("Y12", "Y13")
	a.result("Y12")
}

func (a *asm) swiglu(ext extension) {
	a.writePairs(ext, row{name: "swiglu", doc: "y = gate·sigmoid(gate)·up.", plan: ext.sigmoidPlan("up and y"), slices: "y DI, gate SI, up DX", body: func(v vector) {
		v.load("SI", "V4")
		v.sigmoid()
		v.load("DX", "V1")
		v.op("VMULPS V5, V4, V0")
		v.op("VMULPS V1, V0, V0")
		v.store("V0", "DI")
	}})
}

func (a *asm) swigluGrad(ext extension) {
	a.writePairs(ext, row{name: "swigluGrad", doc: "gate and up become their gradients, y, the gradient of swiglu's output, that output.", plan: ext.sigmoidPlan("up, y and the gradients"), slices: "gate SI, up DX, y DI", body: func(v vector) {
		v.load("SI", "V4")
		v.sigmoid()
		v.load("DX", "V2")
		v.load("DI", "V3")
		v.note("slope of gate·sigmoid(gate): s·(1 + gate·(1-s))")
		one := v.held("one", "V1")
		v.op("VSUBPS V5, %s, V0", one)
		v.op("VFMADD213PS %s, V4, V0", one)
		v.op("VMULPS V5, V0, V0")
		v.op("VMULPS V2, V3, V1")
		v.op("VMULPS V0, V1, V1")
		v.op("VMULPS V5, V4, V0")
		v.op("VMULPS V0, V3, V3")
		v.op("VMULPS V2, V0, V0")
		v.store("V1", "SI")
		v.store("V3", "DX")
		v.store("V0", "DI")
	}})
}
