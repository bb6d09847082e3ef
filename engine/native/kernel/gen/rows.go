package main

func rowsAVX2() string {
	a := newAsm()
	a.tables()
	a.reductions()
	a.elementwise()
	a.rotations()
	a.adamw()
	a.exponentials(avx2)
	return a.String()
}

func rowsAVX512() string {
	a := newAsm()
	a.writeConstants()
	a.exponentials(avx512)
	return a.String()
}

// result returns lane 0 of a register.
func (a *asm) result(reg string) {
	a.op("VMOVSS X%s, %s", reg[1:], a.fp("ret"))
	a.ret()
}

func (a *asm) reductions() {
	a.function("dotAVX2", "dotAVX2: Σ a·b.",
		"DI a, SI b, "+avx2.rowPlan()+"; Y8 and Y9 sums of even and odd vectors, Y0 and Y1 elements of a and b",
		true, "a", "b", "n")
	a.load("a", "DI", "b", "SI", "n", "CX")
	a.zero("Y8", "Y9")
	a.eachVector(func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.op("VFMADD231PS Y1, Y0, Y%d", 8+v.half)
	})
	a.sumLanes("Y8", "Y9")
	a.result("Y8")

	a.function("dot3AVX2", "dot3AVX2: Σ (a·b)·c.",
		"DI a, SI b, DX c, "+avx2.rowPlan()+"; Y8 and Y9 sums of even and odd vectors, Y0 to Y2 elements of a, b and c, Y0 also a·b",
		true, "a", "b", "c", "n")
	a.load("a", "DI", "b", "SI", "c", "DX", "n", "CX")
	a.zero("Y8", "Y9")
	a.eachVector(func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.load("DX", "Y2")
		v.op("VMULPS Y1, Y0, Y0")
		v.op("VFMADD231PS Y2, Y0, Y%d", 8+v.half)
	})
	a.sumLanes("Y8", "Y9")
	a.result("Y8")

	a.function("maximumAVX2", "maximumAVX2: the largest of n > 0 values.",
		"DI x, "+avx2.rowPlan()+"; Y7 the first value, Y8 and Y9 the largest of even and odd vectors, Y0 elements",
		true, "x", "n")
	a.load("x", "DI", "n", "CX")
	a.op("VBROADCASTSS (DI), Y7")
	a.op("VMOVAPS Y7, Y8")
	a.op("VMOVAPS Y7, Y9")
	a.eachVector(func(v vector) {
		v.load("DI", "Y0")
		if v.mask != "" {
			v.op("VBLENDVPS %s, Y0, Y7, Y0", v.mask)
		}
		v.op("VMAXPS Y0, Y%d, Y%d", 8+v.half, 8+v.half)
	})
	a.op("VMAXPS Y9, Y8, Y8")
	a.op("VEXTRACTF128 $1, Y8, X9")
	a.op("VMAXPS X9, X8, X8")
	a.op("VPSHUFD $0x4e, X8, X9")
	a.op("VMAXPS X9, X8, X8")
	a.op("VPSHUFD $0xb1, X8, X9")
	a.op("VMAXPS X9, X8, X8")
	a.result("Y8")
}

func (a *asm) elementwise() {
	a.function("addAVX2", "addAVX2: y += x.",
		"DI y, SI x, "+avx2.rowPlan()+"; Y0 and Y1 elements of y and x",
		false, "y", "x", "n")
	a.load("y", "DI", "x", "SI", "n", "CX")
	a.eachVector(func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.op("VADDPS Y1, Y0, Y0")
		v.store("Y0", "DI")
	})
	a.ret()

	a.function("addScaledAVX2", "addScaledAVX2: y += a·x.",
		"DI y, SI x, "+avx2.rowPlan()+"; Y2 a, Y0 and Y1 elements of y and x",
		false, "y", "x", "n", "a:f")
	a.load("y", "DI", "x", "SI", "n", "CX")
	a.spread("a", "Y2")
	a.eachVector(func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.op("VFMADD231PS Y1, Y2, Y0")
		v.store("Y0", "DI")
	})
	a.ret()

	a.function("scaleAVX2", "scaleAVX2: x *= a.",
		"DI x, "+avx2.rowPlan()+"; Y2 a, Y0 elements",
		false, "x", "n", "a:f")
	a.load("x", "DI", "n", "CX")
	a.spread("a", "Y2")
	a.eachVector(func(v vector) {
		v.load("DI", "Y0")
		v.op("VMULPS Y2, Y0, Y0")
		v.store("Y0", "DI")
	})
	a.ret()

	a.function("softmaxGradAVX2", "softmaxGradAVX2: dp = p·(dp - mean).",
		"DI dp, SI p, "+avx2.rowPlan()+"; Y2 mean, Y0 and Y1 elements of dp and p",
		false, "dp", "p", "n", "mean:f")
	a.load("dp", "DI", "p", "SI", "n", "CX")
	a.spread("mean", "Y2")
	a.eachVector(func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.op("VSUBPS Y2, Y0, Y0")
		v.op("VMULPS Y1, Y0, Y0")
		v.store("Y0", "DI")
	})
	a.ret()

	a.function("normalizeAVX2", "normalizeAVX2: y = (x·inv)·w.",
		"DI y, SI x, DX w, "+avx2.rowPlan()+"; Y3 inv, Y0 and Y1 elements of x and w",
		false, "y", "x", "w", "n", "inv:f")
	a.load("y", "DI", "x", "SI", "w", "DX", "n", "CX")
	a.spread("inv", "Y3")
	a.eachVector(func(v vector) {
		v.load("SI", "Y0")
		v.load("DX", "Y1")
		v.op("VMULPS Y3, Y0, Y0")
		v.op("VMULPS Y1, Y0, Y0")
		v.store("Y0", "DI")
	})
	a.ret()

	a.function("normGradAVX2", "normGradAVX2: dx += inv·(dy·w) - c·x.",
		"DI dx, SI dy, DX x, R8 w, "+avx2.rowPlan()+"; Y4 inv, Y5 c, Y0 to Y3 elements of dx, dy, x and w",
		false, "dx", "dy", "x", "w", "n", "inv:f", "c:f")
	a.load("dx", "DI", "dy", "SI", "x", "DX", "w", "R8", "n", "CX")
	a.spread("inv", "Y4")
	a.spread("c", "Y5")
	a.eachVector(func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.load("DX", "Y2")
		v.load("R8", "Y3")
		v.op("VMULPS Y3, Y1, Y1")
		v.op("VFNMADD231PS Y2, Y5, Y0")
		v.op("VFMADD231PS Y1, Y4, Y0")
		v.store("Y0", "DI")
	})
	a.ret()
}

// rotations: forwards the new halves are lo·cos - hi·sin and hi·cos + lo·sin, backwards the signs change places.
func (a *asm) rotations() {
	for _, f := range []struct{ name, first, second string }{
		{"rotateAVX2", "VFMSUB213PS", "VFMADD213PS"},
		{"rotateBackAVX2", "VFMADD213PS", "VFMSUB213PS"},
	} {
		a.function(f.name, f.name+": the halves of a head turned by the angles of cos and sin.",
			"DI lo, SI hi, DX cos, R8 sin, "+avx2.rowPlan()+"; Y0 to Y3 elements of lo, hi, cos and sin, Y4 and Y5 hi·sin and lo·sin",
			false, "lo", "hi", "cos", "sin", "n")
		a.load("lo", "DI", "hi", "SI", "cos", "DX", "sin", "R8", "n", "CX")
		a.eachVector(func(v vector) {
			v.load("DI", "Y0")
			v.load("SI", "Y1")
			v.load("DX", "Y2")
			v.load("R8", "Y3")
			v.op("VMULPS Y3, Y1, Y4")
			v.op("VMULPS Y3, Y0, Y5")
			v.op("%s Y4, Y2, Y0", f.first)
			v.op("%s Y5, Y2, Y1", f.second)
			v.store("Y0", "DI")
			v.store("Y1", "SI")
		})
		a.ret()
	}
}

func (a *asm) adamw() {
	a.function("adamwAVX2", "adamwAVX2: one AdamW step on n parameters.",
		"DI p, SI m, DX v, R8 grad, R9 s, "+avx2.rowPlan()+"; Y6 to Y14 the fields of s in their order; Y0 the gradient, then p; Y1 m, then the step; Y2 v, then its root; Y3 a product",
		false, "p", "m", "v", "grad", "n", "s")
	a.load("p", "DI", "m", "SI", "v", "DX", "grad", "R8", "n", "CX", "s", "R9")
	for i := range 9 {
		a.op("VBROADCASTSS %d(R9), Y%d", 4*i, 6+i)
	}
	const scale, beta1, rest1, beta2, rest2, decay, step, root, eps = "Y6", "Y7", "Y8", "Y9", "Y10", "Y11", "Y12", "Y13", "Y14"
	a.eachVector(func(v vector) {
		v.load("R8", "Y0")
		v.op("VMULPS %s, Y0, Y0", scale)
		v.load("SI", "Y1")
		v.op("VMULPS %s, Y1, Y1", beta1)
		v.op("VFMADD231PS Y0, %s, Y1", rest1)
		v.store("Y1", "SI")
		v.load("DX", "Y2")
		v.op("VMULPS %s, Y2, Y2", beta2)
		v.op("VMULPS %s, Y0, Y3", rest2)
		v.op("VFMADD231PS Y0, Y3, Y2")
		v.store("Y2", "DX")
		v.op("VSQRTPS Y2, Y2")
		v.op("VFMADD213PS %s, %s, Y2", eps, root)
		v.op("VMULPS %s, Y1, Y1", step)
		v.op("VDIVPS Y2, Y1, Y1")
		v.load("DI", "Y0")
		v.op("VFMSUB213PS Y1, %s, Y0", decay)
		v.store("Y0", "DI")
	})
	a.ret()
}
