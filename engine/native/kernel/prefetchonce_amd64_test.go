package kernel

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestPrefetchOnce: whether tiles of AVX2 prefetch memory with every panel or with the first one alone changes no bit.
func TestPrefetchOnce(t *testing.T) {
	if _, ok := sets()["avx2"]; !ok {
		t.Log("this processor lacks AVX2: nothing to compare")
		return
	}
	before := prefetchOnce
	t.Cleanup(func() { prefetchOnce = before })
	rapid.Check(t, func(t *rapid.T) {
		rows, depth, panels := rapid.IntRange(1, 40).Draw(t, "rows"), 2*rapid.IntRange(0, 40).Draw(t, "depth"), rapid.IntRange(1, 4).Draw(t, "panels")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := block{depth: depth, rows: rows, panels: panels, lda: depth, ldb: depth * panelWidth, ldc: panels * panelWidth}
		b.a, b.b, b.c = normal(rng, rows*depth+1), normal(rng, panels*b.ldb+1), normal(rng, rows*b.ldc)
		b.accumulate, b.pairs = rapid.Bool().Draw(t, "accumulate"), rapid.Bool().Draw(t, "pairs")
		b.flush = b.pairs
		if b.pairs {
			b.ldb /= 2
		}
		results := b.c
		var got [2][]float32
		for i := range got {
			prefetchOnce = i == 1
			b.c = append([]float32(nil), results...)
			multiplyBlockAVX2(b)
			got[i] = b.c
		}
		sameBits(t, "results", got[1], got[0])
	})
}
