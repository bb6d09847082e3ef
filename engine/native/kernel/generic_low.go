package kernel

import (
	"math"

	"parley/weights/half"
)

// roundBF16 rounds v to bfloat16 as the processor's conversion does: ties to even, denormal values to zero.
func roundBF16(v float32) float32 { return half.FromBF16(half.ToBF16(flush(v))) }

// flush makes a denormal value a zero of its sign.
func flush(v float32) float32 {
	if b := math.Float32bits(v); b&0x7f800000 == 0 {
		return math.Float32frombits(b & (1 << 31))
	}
	return v
}

// fromPair are the two values of a word.
func fromPair(word uint32) (even, odd float32) {
	return math.Float32frombits(word << 16), math.Float32frombits(word &^ 0xffff)
}

// genericRound swaps the rounded values of each pair; a last one alone has a zero before it.
func genericRound(dst, x []float32) {
	if len(x)%2 != 0 {
		dst[len(x)-1] = 0
	}
	for i, v := range x {
		dst[i^1] = roundBF16(v)
	}
}

// genericSpread widens rows of 16 pairs, the odd elements first.
func genericSpread(dst []float32, pairs []uint32) {
	for i := 0; i < len(pairs); i += panelWidth {
		row := dst[2*i:][:2*panelWidth]
		for j, word := range pairs[i:][:panelWidth] {
			row[panelWidth+j], row[j] = fromPair(word)
		}
	}
}

// genericLowMultiply is genericMultiply with denormal operands and results taken as zero.
func genericLowMultiply(b block) {
	for p := range b.panels {
		for r := range b.rows {
			c := b.c[r*b.ldc+p*panelWidth:][:panelWidth]
			if !b.accumulate {
				clear(c)
			}
			for i, v := range b.a[r*b.lda:][:b.depth] {
				w := b.b[p*b.ldb+i*panelWidth:][:panelWidth]
				for j := range c {
					c[j] = flush(mulAdd(v, flush(w[j]), flush(c[j])))
				}
			}
		}
	}
}

func genericTurnLow(dst, src []float32, ldd, blocks int) {
	turnSwapped(genericTurn, dst, src, ldd, blocks)
}

// turnSwapped transposes blocks with the rows of each pair swapped, in place before and after.
func turnSwapped(turn func(dst, src []float32, ldd, blocks int), dst, src []float32, ldd, blocks int) {
	const size = panelWidth * panelWidth
	var plain [blockPanels * size]float32
	for i := 0; i < blocks*size; i += 2 * panelWidth {
		swapRows(plain[i:], src[i:])
	}
	turn(dst, plain[:], ldd, blocks)
	for j := range blocks {
		for i := 0; i < size; i += 2 * panelWidth {
			swapRows(dst[j*ldd+i:], dst[j*ldd+i:])
		}
	}
}

// swapRows copies two rows of 16 words, the second one first. dst may be src.
func swapRows(dst, src []float32) {
	first, second := [panelWidth]float32(src), [panelWidth]float32(src[panelWidth:])
	copy(dst, second[:])
	copy(dst[panelWidth:], first[:])
}
