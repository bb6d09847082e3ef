package kernel

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestPacedTiles compares tiles that prefetch at an even pace with the ones that do not, and with what their walks should have done.
func TestPacedTiles(t *testing.T) {
	if _, ok := sets()["avx512"]; !ok {
		t.Log("this processor lacks AVX-512: nothing to compare")
		return
	}
	rapid.Check(t, func(t *rapid.T) {
		rows, depth := rapid.IntRange(1, 50).Draw(t, "rows"), rapid.IntRange(0, 70).Draw(t, "depth")
		lda, ldc := depth+rapid.IntRange(0, 3).Draw(t, "lda"), 2*panelWidth+rapid.IntRange(0, 3).Draw(t, "ldc")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := block{a: normal(rng, rows*lda+1), b: normal(rng, 2*(depth+1)*panelWidth), c: normal(rng, rows*ldc+2*panelWidth)}
		b.lda, b.ldc, b.ldb, b.depth, b.rows, b.panels, b.accumulate = lda, ldc, (depth+1)*panelWidth, depth, rows, 2, rapid.Bool().Draw(t, "accumulate")
		plain := b
		plain.c = append([]float32(nil), b.c...)
		plain.two(false, 0)

		next := make([]float32, 4096)
		b.paced = &pacedPrefetch{distance: uintptr(4 * ldc)}
		for _, w := range []*lineWalk{&b.paced.rows, &b.paced.panels} {
			*w = walkRows(next, rapid.IntRange(0, 8).Draw(t, "lines"), rapid.IntRange(1, 200).Draw(t, "words"), 512, rapid.IntRange(0, 60).Draw(t, "turns"))
		}
		want := *b.paced
		tiles := (rows + tileRows - 1) / tileRows
		for range tiles * (depth / 4) {
			want.rows.turn()
			want.panels.turn()
		}
		b.two(false, 0)
		sameBits(t, "results", b.c, plain.c)
		if b.paced.rows != want.rows || b.paced.panels != want.panels {
			t.Fatalf("asked up to %+v, want %+v", b.paced, want)
		}
	})
}
