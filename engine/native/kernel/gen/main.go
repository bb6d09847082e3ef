// Command gen writes the assembly of package kernel, and its declarations in Go. Run it with go generate in that package; a test compares what it would
// write with what is there.
//
// It is a printer with very little on top: asm.go keeps function frames, register plans, labels and loops, and each other file writes one
// family of kernels.
//
//	tile.go    a tile of a product in registers: AVX2, AVX-512 and its bfloat16
//	prefetch.go  what a tile prefetches over the time that it takes
//	product.go products as sweeps of tiles over the rows of the result
//	shallow.go products of little depth along many panels
//	transpose.go   transposition of blocks
//	stored.go  products with stored keys and values; storedpairs.go those stored in pairs
//	low.go     operands of low precision: rounding, pairs of bfloat16; int8.go and nf4.go the codes of those formats
//	tiles.go   products with the tiles of AMX
//	encode.go  instructions that Go's assembler lacks
//	measure.go loops that measure the processor
//	declare.go the declarations of all in Go
//	vector.go  loops over the elements of a row, lanes.go sums of them, constants.go what they are computed with
//	rows.go    element-wise functions and reductions over one row, AVX2
//	exp.go     e^x, and what is made of it, AVX2 and AVX-512
//	neon….go   the same families for NEON, arm64
//
// Go's assembler has operands reversed against Intel's manuals: VFMADD231PS b, a, acc is acc += a·b, and VSUBPS b, a, c is
// c = a - b.
package main

import (
	"fmt"
	"os"
)

// files returns the text of every generated file by name.
func files() map[string]string {
	all := map[string]string{
		"product_avx2_amd64.s":   productAVX2(),
		"product_avx512_amd64.s": productAVX512(),
		"product_bf16_amd64.s":   productBF16(),
		"product_amx_amd64.s":    productAMX(),
		"low_avx2_amd64.s":       lowAVX2(),
		"measure_amd64.s":        measures(),
		"rows_avx2_amd64.s":      rowsAVX2(),
		"rows_avx512_amd64.s":    rowsAVX512(),
		"product_neon_arm64.s":   productNEON(),
		"low_neon_arm64.s":       lowNEON(),
		"measure_arm64.s":        measuresNEON(),
		"rows_neon_arm64.s":      rowsNEON(),
		"stored_avx2_amd64.s":    storedAVX2(),
		"stored_neon_arm64.s":    storedNEON(),
		"stored_avx512_amd64.s":  storedAVX512(),
		"stored_bf16_amd64.s":    storedBF16(),
	}
	for processor, functions := range declared {
		all["asm_"+processor+".go"] = functions.String()
	}
	return all
}

func main() {
	for name, text := range files() {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}
