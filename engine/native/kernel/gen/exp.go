package main

// exp replaces Y0 by e^Y0, as the constants of package kernel explain. It uses Y0 to Y5.
func (a *asm) exp() {
	a.note("e^x; the limits are first operands: where x is NaN the second one, x, is kept")
	a.op("VMOVUPS %s, Y1", constant("high"))
	a.op("VMINPS Y0, Y1, Y0")
	a.op("VMOVUPS %s, Y1", constant("low"))
	a.op("VMAXPS Y0, Y1, Y0")
	a.op("VMULPS %s, Y0, Y1", constant("log2e"))
	a.op("VROUNDPS $8, Y1, Y1")
	a.op("VFNMADD231PS %s, Y1, Y0", constant("ln2high"))
	a.op("VFNMADD231PS %s, Y1, Y0", constant("ln2low"))
	a.op("VMOVUPS %s, Y2", constant("q4"))
	for _, q := range []string{"q3", "q2", "q1", "q0"} {
		a.op("VFMADD213PS %s, Y0, Y2", constant(q))
	}
	a.op("VMULPS Y0, Y0, Y3")
	a.op("VFMADD213PS Y0, Y3, Y2")
	a.op("VADDPS %s, Y2, Y2", constant("one"))
	a.note("times 2^n in two halves")
	a.op("VCVTPS2DQ Y1, Y4")
	a.op("VPSRAD $1, Y4, Y5")
	a.op("VPSUBD Y5, Y4, Y4")
	for _, reg := range []string{"Y5", "Y4"} {
		a.op("VPADDD %s, %s, %s", constant("bias"), reg, reg)
		a.op("VPSLLD $23, %s, %s", reg, reg)
		a.op("VMULPS %s, Y2, Y2", reg)
	}
	a.op("VMOVAPS Y2, Y0")
}

// sigmoid sets Y7 to 1/(1+e^-Y6). It uses Y0 to Y5.
func (a *asm) sigmoid() {
	a.op("VXORPS %s, Y6, Y0", constant("sign"))
	a.exp()
	a.op("VMOVUPS %s, Y1", constant("one"))
	a.op("VADDPS Y1, Y0, Y0")
	a.op("VDIVPS Y0, Y1, Y7")
}

func (a *asm) exponentials() {
	a.function("expAVX2", "expAVX2: dst = e^x.", false, "dst", "x", "n")
	a.load("dst", "DI", "x", "SI", "n", "CX")
	a.eachVector(func(v vector) {
		v.load("SI", "Y0")
		v.exp()
		v.store("Y0", "DI")
	})
	a.ret()

	a.function("expScaledAVX2", "expScaledAVX2: x = scale·e^(x-norm).", false, "x", "n", "norm:f", "scale:f")
	a.load("x", "DI", "n", "CX")
	a.spread("norm", "Y6")
	a.spread("scale", "Y7")
	a.eachVector(func(v vector) {
		v.load("DI", "Y0")
		v.op("VSUBPS Y6, Y0, Y0")
		v.exp()
		v.op("VMULPS Y7, Y0, Y0")
		v.store("Y0", "DI")
	})
	a.ret()

	a.function("expSumAVX2", "expSumAVX2: dst = e^(x-max), returns the sum.", true, "dst", "x", "n", "max:f")
	a.load("dst", "DI", "x", "SI", "n", "CX")
	a.sumOfExp(func(v vector) { v.store("Y0", "DI") })

	a.function("sumExpAVX2", "sumExpAVX2: Σ e^(x-max).", true, "x", "n", "max:f")
	a.load("x", "SI", "n", "CX")
	a.sumOfExp(func(vector) {})

	a.function("swigluAVX2", "swigluAVX2: y = gate·sigmoid(gate)·up.", false, "y", "gate", "up", "n")
	a.load("y", "DI", "gate", "SI", "up", "DX", "n", "CX")
	a.eachVector(func(v vector) {
		v.load("SI", "Y6")
		v.sigmoid()
		v.load("DX", "Y1")
		v.op("VMULPS Y7, Y6, Y0")
		v.op("VMULPS Y1, Y0, Y0")
		v.store("Y0", "DI")
	})
	a.ret()
	a.swigluGrad()
}

func (a *asm) sumOfExp(keep func(vector)) {
	a.spread("max", "Y10")
	a.zero("Y8", "Y9")
	a.eachVector(func(v vector) {
		v.load("SI", "Y0")
		v.op("VSUBPS Y10, Y0, Y0")
		v.exp()
		keep(v)
		v.drop("Y0")
		v.op("VADDPS Y0, Y%d, Y%d", 8+v.half, 8+v.half)
	})
	a.sumLanes("Y8", "Y9")
	a.result("Y8")
}

func (a *asm) swigluGrad() {
	a.function("swigluGradAVX2", "swigluGradAVX2: the gradients of swigluAVX2's gate and up.", false, "dgate", "dup", "dy", "gate", "up", "n")
	a.load("dgate", "DI", "dup", "R8", "dy", "R9", "gate", "SI", "up", "DX", "n", "CX")
	a.eachVector(func(v vector) {
		v.load("SI", "Y6")
		v.sigmoid()
		v.load("DX", "Y2")
		v.load("R9", "Y3")
		v.note("slope of gate·sigmoid(gate): s·(1 + gate·(1-s))")
		v.op("VMOVUPS %s, Y1", constant("one"))
		v.op("VSUBPS Y7, Y1, Y0")
		v.op("VFMADD213PS Y1, Y6, Y0")
		v.op("VMULPS Y7, Y0, Y0")
		v.op("VMULPS Y2, Y3, Y2")
		v.op("VMULPS Y0, Y2, Y2")
		v.op("VMULPS Y7, Y6, Y0")
		v.op("VMULPS Y0, Y3, Y0")
		v.store("Y2", "DI")
		v.store("Y0", "R8")
	})
	a.ret()
}
