package main

import (
	"iter"
	"strings"
)

func rowsAVX2() string {
	a := newAsm()
	a.tables()
	a.reductions()
	for _, r := range elementwise {
		a.write(r)
	}
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

// A row is a function over the elements of slices of one length.
type row struct {
	name, doc string
	plan      string // what the registers hold that body uses
	slices    string // and the registers that point to them: "y DI, x SI"
	numbers   string // float32 and the registers that are filled with them: "a Y2"
	result    bool   // it returns a float32
	body      func(v vector)
}

// begin begins a row's function: its arguments in registers, the elements left in CX.
func (a *asm) begin(ext extension, r row) {
	var args, pointers, numbers, load []string
	for arg, reg := range pairsOf(r.slices) {
		args, load, pointers = append(args, arg), append(load, arg, reg), append(pointers, reg+" "+arg+", ")
	}
	args, load = append(args, "n"), append(load, "n", "CX")
	for arg, reg := range pairsOf(r.numbers) {
		args, numbers = append(args, arg+":f"), append(numbers, reg+" "+arg+", ")
	}
	plan := strings.Join(pointers, "") + ext.rowPlan() + "; " + strings.Join(numbers, "") + r.plan
	a.function(r.name, r.name+": "+r.doc, plan, r.result, args...)
	a.load(load...)
	for arg, reg := range pairsOf(r.numbers) {
		a.spread(arg, reg)
	}
}

// pairsOf are the arguments and registers of a list.
func pairsOf(list string) iter.Seq2[string, string] {
	return func(yield func(arg, reg string) bool) {
		for f := strings.Fields(strings.ReplaceAll(list, ",", "")); len(f) > 1 && yield(f[0], f[1]); f = f[2:] {
		}
	}
}

// write writes a row of AVX2 that is nothing but its loop.
func (a *asm) write(r row) {
	a.begin(avx2, r)
	a.eachVector(r.body)
	a.ret()
}

// writePairs writes a row of any extension that is nothing but its loop, which uses the constants of exp.
func (a *asm) writePairs(ext extension, r row) {
	r.name += ext.name
	a.begin(ext, r)
	a.holdConstants(ext)
	a.eachPair(ext, r.body)
	a.ret()
}

// writeSum writes a row that returns the sum of its lanes.
func (a *asm) writeSum(r row) {
	r.result = true
	a.begin(avx2, r)
	a.zero("Y8", "Y9")
	a.eachVector(r.body)
	a.sumLanes("Y8", "Y9")
	a.result("Y8")
}

func (a *asm) reductions() {
	a.writeSum(row{name: "dotAVX2", doc: "Σ a·b.", plan: "Y8 and Y9 sums of even and odd vectors, Y0 and Y1 elements of a and b", slices: "a DI, b SI", body: func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.op("VFMADD231PS Y1, Y0, Y%d", 8+v.half)
	}})
	a.writeSum(row{name: "dot3AVX2", doc: "Σ (a·b)·c.", plan: "Y8 and Y9 sums of even and odd vectors, Y0 to Y2 elements of a, b and c, Y0 also a·b", slices: "a DI, b SI, c DX", body: func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.load("DX", "Y2")
		v.op("VMULPS Y1, Y0, Y0")
		v.op("VFMADD231PS Y2, Y0, Y%d", 8+v.half)
	}})
	a.begin(avx2, row{name: "maximumAVX2", doc: "the largest of n > 0 values.", plan: "Y7 the first value, Y8 and Y9 the largest of even and odd vectors, Y0 elements", slices: "x DI", result: true})
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

var elementwise = []row{
	{name: "addAVX2", doc: "y += x.", plan: "Y0 and Y1 elements of y and x", slices: "y DI, x SI", body: func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.op("VADDPS Y1, Y0, Y0")
		v.store("Y0", "DI")
	}},
	{name: "addScaledAVX2", doc: "y += a·x.", plan: "Y0 and Y1 elements of y and x", slices: "y DI, x SI", numbers: "a Y2", body: func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.op("VFMADD231PS Y1, Y2, Y0")
		v.store("Y0", "DI")
	}},
	{name: "scaleAVX2", doc: "x *= a.", plan: "Y0 elements", slices: "x DI", numbers: "a Y2", body: func(v vector) {
		v.load("DI", "Y0")
		v.op("VMULPS Y2, Y0, Y0")
		v.store("Y0", "DI")
	}},
	{name: "softmaxGradAVX2", doc: "dp = p·(dp - mean).", plan: "Y0 and Y1 elements of dp and p", slices: "dp DI, p SI", numbers: "mean Y2", body: func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.op("VSUBPS Y2, Y0, Y0")
		v.op("VMULPS Y1, Y0, Y0")
		v.store("Y0", "DI")
	}},
	{name: "normalizeAVX2", doc: "y = (x·inv)·w.", plan: "Y0 and Y1 elements of x and w", slices: "y DI, x SI, w DX", numbers: "inv Y3", body: func(v vector) {
		v.load("SI", "Y0")
		v.load("DX", "Y1")
		v.op("VMULPS Y3, Y0, Y0")
		v.op("VMULPS Y1, Y0, Y0")
		v.store("Y0", "DI")
	}},
	{name: "normGradAVX2", doc: "dx += inv·(dy·w) - c·x.", plan: "Y0 to Y3 elements of dx, dy, x and w", slices: "dx DI, dy SI, x DX, w R8", numbers: "inv Y4, c Y5", body: func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.load("DX", "Y2")
		v.load("R8", "Y3")
		v.op("VMULPS Y3, Y1, Y1")
		v.op("VFNMADD231PS Y2, Y5, Y0")
		v.op("VFMADD231PS Y1, Y4, Y0")
		v.store("Y0", "DI")
	}},
	rotation("rotateAVX2", "VFMSUB213PS", "VFMADD213PS"),
	rotation("rotateBackAVX2", "VFMADD213PS", "VFMSUB213PS"),
}

// rotation: forwards the new halves are lo·cos - hi·sin and hi·cos + lo·sin, backwards the signs change places.
func rotation(name, first, second string) row {
	const plan = "Y0 to Y3 elements of lo, hi, cos and sin, Y4 and Y5 hi·sin and lo·sin"
	return row{name: name, doc: "the halves of a head turned by the angles of cos and sin.", plan: plan, slices: "lo DI, hi SI, cos DX, sin R8", body: func(v vector) {
		v.load("DI", "Y0")
		v.load("SI", "Y1")
		v.load("DX", "Y2")
		v.load("R8", "Y3")
		v.op("VMULPS Y3, Y1, Y4")
		v.op("VMULPS Y3, Y0, Y5")
		v.op("%s Y4, Y2, Y0", first)
		v.op("%s Y5, Y2, Y1", second)
		v.store("Y0", "DI")
		v.store("Y1", "SI")
	}}
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
