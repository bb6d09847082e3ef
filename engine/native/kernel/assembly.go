//go:build amd64 || arm64

package kernel

import "unsafe"

// This file has what stands between the callers of a set and its assembly on any processor.

// at gives the address of a slice, also of an empty one, which the assembly does not touch.
func at(s []float32) *float32 { return unsafe.SliceData(s) }

// pause tells the processor that this is a loop that waits.
func pause()

// panelsOfTile is how many panels sets with small tiles take at once where there are few rows: one panel's chains are too few to
// hide the latency of a multiply-add.
func panelsOfTile(rows int) int {
	switch rows {
	case 1:
		return 4
	case 2, 3:
		return 2
	}
	return 1
}

func word(b bool) int {
	if b {
		return 1
	}
	return 0
}

// first is a pointer to the beginning of s, which may be empty where the depth is 0.
func first[of float32 | uint16](s []of) *of {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

// check panics unless the block lies in its slices.
func (b *block) check() {
	last := b.rows - 1
	mustHave("product block", b.c, last*b.ldc+b.panels*panelWidth)
	mustHave("left block", b.a, last*b.lda+b.depth)
	deep := b.depth
	if b.pairs {
		deep /= 2
	}
	mustHave("weight block", b.b, (b.panels-1)*b.ldb+deep*panelWidth)
}

// checkStored is check for panels of bfloat16.
func (b *block) checkStored(words []uint16) {
	if b.rows == 0 || b.panels == 0 {
		return
	}
	last := b.rows - 1
	mustHave("product block", b.c, last*b.ldc+b.panels*panelWidth)
	mustHave("left block", b.a, last*b.lda+b.depth)
	_ = words[:(b.panels-1)*b.ldb+b.depth*panelWidth]
}

func (b *outerBlock) check() {
	last := b.depth - 1
	mustHave("gradient block", b.c, (b.rows-1)*b.ldc+b.panels*panelWidth)
	mustHave("left block", b.a, last*b.lda+b.rows)
	mustHave("right block", b.b, last*b.ldb+b.panels*panelWidth)
}

// call runs f on the panels from p on.
func (b *outerBlock) call(f func(c, a, b *float32, ldc, lda, ldb, depth, rows int), p int) {
	f(&b.c[p*panelWidth], &b.a[0], &b.b[p*panelWidth], b.ldc, b.lda, b.ldb, b.depth, b.rows)
}

// checkTranspose panics unless the blocks lie in their slices.
func checkTranspose(dst, src []float32, ldd, blocks int) {
	const size = panelWidth * panelWidth
	mustHave("turned block", dst, (blocks-1)*ldd+size)
	mustHave("block", src, blocks*size)
}
