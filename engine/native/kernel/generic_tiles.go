package kernel

import "math"

// tileDepth is how many words of depth one product of tiles takes.
const tileDepth = 16

// genericTiles multiplies words that are pairs of bfloat16 in the order of TDPBF16PS: of every 16 words the even elements are one
// chain and the odd ones another, from zero on, whose sum is added to c. Denormal numbers count as zero.
func genericTiles(b block) {
	for p := range b.panels {
		for r := range b.rows {
			c := b.c[r*b.ldc+p*panelWidth:][:panelWidth]
			if !b.accumulate {
				clear(c)
			}
			for from := 0; from < b.depth; from += tileDepth {
				a := b.a[r*b.lda+from:][:min(tileDepth, b.depth-from)]
				genericTile(c, a, b.b[p*b.ldb+from*panelWidth:])
			}
		}
	}
}

// genericTile adds one row of a product of tiles: c[16] += a[depth]·b[depth][16].
func genericTile(c, a, b []float32) {
	for j := range c {
		var even, odd float32
		for i := range a {
			a0, a1 := fromPair(math.Float32bits(a[i]))
			b0, b1 := fromPair(math.Float32bits(b[i*panelWidth+j]))
			even = lowMulAdd(flush(a0), flush(b0), even)
			odd = lowMulAdd(flush(a1), flush(b1), odd)
		}
		c[j] = flush(flush(c[j]) + flush(even+odd))
	}
}
