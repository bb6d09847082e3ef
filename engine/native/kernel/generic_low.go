package kernel

import (
	"math"

	"parley/model/weights/quant"
)

var genericLow = lowSet{
	perPair: 2, multiply: genericLowMultiply, round: genericRound, addScaled: genericAddProducts, spread: genericSpread, int8: genericInt8, nf4: genericNF4,
	transpose: genericTransposeLow, peak: genericPeak,
}

// roundBF16 rounds v to bfloat16 as the processor's conversion does: ties to even, denormal values to zero.
func roundBF16(v float32) float32 { return quant.FromBF16(quant.ToBF16(flush(v))) }

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

func genericAddProducts(c, x, steps []float32) {
	for j := range c {
		c[j] = mulAdd(x[j], steps[j], c[j])
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

// lowMulAdd is a·b + c rounded once, for a and b in bfloat16, with a denormal result made zero. The product of two bfloat16 is
// exact in float32 unless it leaves the range of normal numbers.
func lowMulAdd(a, b, c float32) float32 {
	p := float32(a * b)
	if e := math.Float32bits(p) >> 23 & 255; e != 0 && e != 255 || a == 0 || b == 0 {
		return flush(p + c)
	}
	return scaledMulAdd(float64(a), float64(b), float64(c))
}

// scaledMulAdd is lowMulAdd where the product is very small or large. Sums are scaled so that the rounding to 24 bits comes
// before the decision what is denormal, and rounded to odd in float64 first, so that the second rounding does no harm.
func scaledMulAdd(a, b, c float64) float32 {
	const scale, smallest = 0x1p64, 0x1p-126
	p := a * b * scale
	c *= scale
	s := p + c
	v := s - p
	if rest := (p - (s - v)) + (c - v); rest != 0 && math.Float64bits(s)&1 == 0 {
		s = math.Nextafter(s, math.Copysign(math.Inf(1), rest))
	}
	if math.Abs(s) >= 0x1p100 {
		return float32(s / scale)
	}
	r := float64(float32(s))
	if math.Abs(r) < smallest*scale {
		return float32(math.Copysign(0, s))
	}
	return float32(r / scale)
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
					c[j] = lowMulAdd(v, flush(w[j]), flush(c[j]))
				}
			}
		}
	}
}

// genericTransposeLow is genericTranspose with the rows of each pair swapped, before and after.
func genericTransposeLow(dst, src []float32, ldd, blocks int) {
	for j := range blocks {
		block := src[j*panelWidth*panelWidth:]
		for i := range panelWidth {
			for o, v := range block[i*panelWidth:][:panelWidth] {
				dst[j*ldd+(o^1)*panelWidth+i^1] = v
			}
		}
	}
}
