package main

import "fmt"

// attention writes the products of one vector of d elements and n rows, stride words apart.
func (a *asm) attention() {
	a.dotRows()
	a.weightedSum()
	a.function("outerAddAVX2", "outerAddAVX2: rows[j] += p[j]·v.", false, "rows", "p", "v", "d", "stride", "n")
	a.load("rows", "DI", "p", "SI", "v", "DX", "d", "R8", "stride", "R9", "n", "R10")
	a.op("SHLQ $2, R9")
	a.loop("R10", func() {
		a.op("VBROADCASTSS (SI), Y2")
		a.op("MOVQ R8, CX")
		a.eachVector(func(v vector) {
			v.load("DI", "Y0")
			v.load("DX", "Y1")
			v.op("VFMADD231PS Y1, Y2, Y0")
			v.store("Y0", "DI")
		})
		a.op("ADDQ $4, SI")
		a.op("ADDQ R9, DI")
	})
	a.ret()
}

// dotRows takes four rows at a time, whose chains hide each other's latency. A row alone has the same lanes and the same tree.
func (a *asm) dotRows() {
	a.function("dotRowsAVX2", "dotRowsAVX2: dst[j] = q·rows[j].", false, "dst", "q", "rows", "d", "stride", "n")
	a.load("dst", "DI", "q", "SI", "rows", "R8", "d", "R13", "stride", "R12", "n", "DX")
	a.op("SHLQ $2, R12")
	a.op("MOVQ DX, R14")
	a.op("SHRQ $2, R14")
	rows := []string{"R8", "R9", "R10", "R11"}
	a.loop("R14", func() {
		for i := range 3 {
			a.op("LEAQ (%s)(R12*1), %s", rows[i], rows[i+1])
		}
		a.dots(rows)
		for i := range rows {
			a.op("VADDPS Y%d, Y%d, Y%d", 2*i+1, 2*i, 2*i)
		}
		a.op("VHADDPS Y2, Y0, Y0")
		a.op("VHADDPS Y6, Y4, Y4")
		a.op("VHADDPS Y4, Y0, Y0")
		a.addHalves("Y0", "Y1")
		a.op("VMOVUPS X0, (DI)")
		a.op("ADDQ $16, DI")
		a.op("LEAQ (R8)(R12*4), R8")
	})
	a.op("ANDQ $3, DX")
	a.loop("DX", func() {
		a.dots(rows[:1])
		a.sumLanes("Y0", "Y1")
		a.op("VMOVSS X0, (DI)")
		a.op("ADDQ $4, DI")
		a.op("ADDQ R12, R8")
	})
	a.ret()
}

// dots sets the lanes of row i, Y(2i) and Y(2i+1).
func (a *asm) dots(rows []string) {
	for i := range rows {
		a.zero(fmt.Sprintf("Y%d", 2*i), fmt.Sprintf("Y%d", 2*i+1))
	}
	a.op("MOVQ R13, CX")
	a.eachVector(func(v vector) {
		v.load("SI", "Y8")
		for i, row := range rows {
			lanes := 2*i + v.half
			if v.mask == "" {
				v.op("VFMADD231PS %s, Y8, Y%d", v.mem(row), lanes)
				continue
			}
			v.load(row, "Y9")
			v.op("VFMADD231PS Y9, Y8, Y%d", lanes)
		}
	})
}

// weightedSum holds up to 64 elements of out in registers while the rows pass by.
func (a *asm) weightedSum() {
	a.function("weightedSumAVX2", "weightedSumAVX2: out += Σ p[j]·rows[j].", false, "out", "p", "rows", "d", "stride", "n")
	a.load("out", "DI", "p", "SI", "rows", "DX", "d", "CX", "stride", "R9", "n", "R10")
	a.op("SHLQ $2, R9")
	for _, vectors := range []int{8, 4, 2, 1} {
		again, narrower := a.label("again"), a.label("narrower")
		a.place(again)
		a.op("CMPQ CX, $%d", 8*vectors)
		a.op("JLT %s", narrower)
		a.weighted(vectors, "")
		a.op("ADDQ $%d, DI", 32*vectors)
		a.op("ADDQ $%d, DX", 32*vectors)
		a.op("SUBQ $%d, CX", 8*vectors)
		a.op("JMP %s", again)
		a.place(narrower)
	}
	done := a.label("done")
	a.op("TESTQ CX, CX")
	a.op("JZ %s", done)
	a.op("LEAQ masks<>+32(SB), BX")
	a.op("NEGQ CX")
	a.op("VMOVUPS (BX)(CX*4), Y15")
	a.weighted(1, "Y15")
	a.place(done)
	a.ret()
}

// weighted continues the chains of some vectors of out at DI over all rows from DX.
func (a *asm) weighted(vectors int, mask string) {
	a.op("XORQ AX, AX")
	for i := range vectors {
		vector{a, i, mask}.load("DI", fmt.Sprintf("Y%d", i))
	}
	a.op("MOVQ SI, R11")
	a.op("MOVQ DX, R12")
	a.op("MOVQ R10, R13")
	a.loop("R13", func() {
		a.op("VBROADCASTSS (R11), Y8")
		for i := range vectors {
			if mask == "" {
				a.op("VFMADD231PS %d(R12), Y8, Y%d", 32*i, i)
				continue
			}
			a.op("VMASKMOVPS (R12), %s, Y9", mask)
			a.op("VFMADD231PS Y9, Y8, Y%d", i)
		}
		a.op("ADDQ $4, R11")
		a.op("ADDQ R9, R12")
	})
	for i := range vectors {
		vector{a, i, mask}.store(fmt.Sprintf("Y%d", i), "DI")
	}
}
