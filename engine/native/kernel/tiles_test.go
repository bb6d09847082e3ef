package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/engine"
)

// tiledSum is one sum of a product of tiles, as package kernel's comment has it.
func tiledSum(start float32, n int, a, b func(i int) float32) float32 {
	at := func(f func(i int) float32, i int) float32 {
		if i < n {
			return f(i)
		}
		return 0
	}
	for from := 0; from < n; from += 32 {
		var even, odd float32
		for i := from; i < from+32; i += 2 {
			even += at(a, i) * at(b, i)
			odd += at(a, i+1) * at(b, i+1)
		}
		start += even + odd
	}
	return start
}

// TestTilesSumInTheirOrder: the sums of sets of kind "tiles" are those that the definition gives, also where they go on from a value.
func TestTilesSumInTheirOrder(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		if k.Kind() != "tiles" {
			return
		}
		for i, s := range [][3]int{{1, 16, 31}, {3, 40, 32}, {12, 33, 100}, {17, 64, 64}, {33, 20, 70}, {70, 130, 1900}} {
			p := newFormatProduct(uint64(i), engine.BF16, s[0], s[1], s[2], i%2 == 0)
			got := p.multiply(k, k.PackAs(engine.BF16, p.out, p.in, p.w))
			for j, v := range got[0] {
				r, o := j/p.out, j%p.out
				want := tiledSum(startOf(p.y[j], p.accumulate), p.in, func(i int) float32 { return roundBF16(p.x[r*p.in+i]) }, func(i int) float32 { return p.values[o*p.in+i] })
				if v != want {
					t.Fatalf("%v: y %d of row %d is %g, want %g", s, o, r, v, want)
				}
			}
			for j, v := range got[1] {
				r, i := j/p.in, j%p.in
				want := tiledSum(startOf(p.dx[j], p.accumulate), p.out, func(o int) float32 { return roundBF16(p.dy[r*p.out+o]) }, func(o int) float32 { return p.values[o*p.in+i] })
				if v != want {
					t.Fatalf("%v: dx %d of row %d is %g, want %g", s, i, r, v, want)
				}
			}
		}
	}, 1, 3)
}

// tileCase is an operand of a product of tiles.
func tileCase(seed uint64, rows, panels, depth int, accumulate bool) block {
	rng := rand.New(rand.NewPCG(seed, 5))
	b := block{rows: rows, panels: panels, depth: depth, ldc: panels*panelWidth + int(seed%3), lda: depth + int(seed%5), accumulate: accumulate, linear: seed%2 == 0}
	b.ldb = ceil(depth, panelWidth) * panelWidth * panelWidth
	words := func(n int) []float32 {
		w := make([]float32, n)
		for i := range w {
			low, high := wild(rng, 1, 90, 140)[0], wild(rng, 1, 90, 140)[0]
			w[i] = math.Float32frombits(math.Float32bits(high)&^0xffff | math.Float32bits(low)>>16)
		}
		return w
	}
	b.a, b.b, b.c = words((rows-1)*b.lda+depth), words(panels*b.ldb), normal(rng, (rows-1)*b.ldc+panels*panelWidth)
	return b
}

// compareTiles asserts that multiply has the bits of the plain product of tiles, and touches nothing beside the sums.
func compareTiles(t testing.TB, multiply func(block), b block) {
	t.Helper()
	c, check := fenced(t, b.c)
	want := b
	want.c = append([]float32(nil), b.c...)
	genericTiles(want)
	b.c = c
	multiply(b)
	check()
	for i := range c {
		if math.Float32bits(c[i]) != math.Float32bits(want.c[i]) {
			t.Fatalf("%d rows, %d panels, depth %d: word %d is %g, want %g", b.rows, b.panels, b.depth, i, c[i], want.c[i])
		}
	}
}

// eachTiles runs test with the products of tiles of this processor, the plain one at least.
func eachTiles(test func(name string, multiply func(block))) {
	for _, name := range testSets() {
		if tiles := sets()[name].low.tiles; tiles != nil {
			test(name, tiles)
		}
	}
	test("plain", genericTiles)
}

func TestTilesOfAnyShape(t *testing.T) {
	eachTiles(func(name string, multiply func(block)) {
		t.Run(name, func(t *testing.T) {
			seed := uint64(0)
			for _, rows := range []int{1, 2, 15, 16, 17, 31, 32, 33, 50} {
				for _, depth := range []int{1, 8, 15, 16, 17, 40, 64} {
					for panels := 1; panels <= 3; panels++ {
						seed++
						compareTiles(t, multiply, tileCase(seed, rows, panels, depth, seed%4 < 2))
					}
				}
			}
		})
	})
}

func FuzzTiles(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(5), uint8(2), true)
	f.Add(uint64(2), uint8(16), uint8(16), uint8(1), false)
	f.Add(uint64(3), uint8(40), uint8(33), uint8(3), true)
	f.Fuzz(func(t *testing.T, seed uint64, rows, depth, panels uint8, accumulate bool) {
		eachTiles(func(_ string, multiply func(block)) {
			compareTiles(t, multiply, tileCase(seed, 1+int(rows%70), 1+int(panels%5), 1+int(depth), accumulate))
		})
	})
}
