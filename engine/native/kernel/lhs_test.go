package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/internal/turn"
)

// TestAliasedRows: rows that share one set of the cache are copied, or taken a few at a time. Each has the bits that it has alone.
func TestAliasedRows(t *testing.T) {
	shapes := [][3]int{{2, 272, 1024}, {13, 272, 1024}, {14, 1024, 272}, {50, 24, 1024}, {101, 1024, 8}, {17, 256, 2048}, {50, 272, 0}, {35, 0, 272}}
	eachSet(t, func(t *testing.T, k *Kernels) {
		for i, f := range formats {
			for n, s := range shapes {
				if !turn.Share(i + n) {
					continue
				}
				rows, out, in := s[0], s[1], s[2]
				what := fmt.Sprintf("%v, %d × %d × %d", f, rows, out, in)
				p := newProduct(uint64(n), rows, out, in, n%2 == 0)
				m := k.PackAs(f, out, in, p.w)
				y, checkY := fenced(t, p.y)
				dx, checkDx := fenced(t, p.dx)
				k.Mul(y, p.x, rows, m, p.accumulate)
				k.MulT(dx, p.dy, rows, m, p.accumulate)
				checkY()
				checkDx()
				for r := range rows {
					k.Mul(row(p.y, r, out), row(p.x, r, in), 1, m, p.accumulate)
					k.MulT(row(p.dx, r, in), row(p.dy, r, out), 1, m, p.accumulate)
				}
				sameBits(t, what, y, p.y)
				sameBits(t, what+", backward", dx, p.dx)
			}
		}
	}, 2)
}

func row(x []float32, r, width int) []float32 { return x[r*width:][:width] }

// TestLHSInBlocks: every word of every row has a place of its own, a block's words lie together, and no rows are aliased.
func TestLHSInBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 40).Draw(t, "rows")
		depth := rapid.OneOf(rapid.IntRange(1, 3000), rapid.SampledFrom([]int{512, 1024, 1792, 2048, 4096})).Draw(t, "depth")
		l := inBlocks(rows, depth, rapid.SampledFrom([]int{depthBlock, tilesBlock}).Draw(t, "most"))
		if aliased(l.lda) {
			t.Fatalf("%d rows of %d words lie %d words apart", rows, depth, l.lda)
		}
		l.words = make([]float32, l.size(rows, depth))
		for r := range rows {
			for d := range depth {
				l.at(r, d)[0]++
			}
			for d := 0; d < depth; d += l.blockDepth {
				l.at(r, d)[min(l.blockDepth, depth-d)-1]++
			}
		}
		twice := 0
		for _, n := range l.words {
			if n > 2 {
				t.Fatal("two words have one place")
			}
			if n == 2 {
				twice++
			}
		}
		if want := rows * ceil(depth, l.blockDepth); twice != want {
			t.Fatalf("%d ends of rows of blocks, not %d: their words do not lie together", twice, want)
		}
	})
}

// BenchmarkAliased compares rows at a distance of 4096 bytes with rows that are a little further apart.
func BenchmarkAliased(b *testing.B) {
	eachBench(b, func(b *testing.B, k *Kernels) {
		for _, f := range []engine.Format{engine.F32, engine.BF16} {
			for _, s := range [][3]int{{512, 1024, 1024}, {512, 1040, 1040}, {512, 1024, 2048}, {512, 1024, 2080}, {512, 8, 1024}, {512, 8, 1040}} {
				rows, out, in := s[0], s[1], s[2]
				b.Run(fmt.Sprintf("%v/%dx%dx%d", f, rows, out, in), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, 1))
					y, x, w := make([]float32, rows*out), normal(rng, rows*in), k.PackAs(f, out, in, normal(rng, out*in))
					for b.Loop() {
						k.Mul(y, x, rows, w, false)
					}
					perSecond(b, 2*float64(rows)*float64(out)*float64(in), "GFLOP/s")
				})
			}
		}
	})
}
