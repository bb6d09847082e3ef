package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// lowTiles multiplies with the tiles of AMX where lowBF16 does so with VDPBF16PS, whatever the number of rows: both give bits of
// their own. Attention, whose depth grows with the text, stays with VDPBF16PS.
func lowTiles() lowSet {
	s := lowBF16
	s.tiles, s.int8Few, s.peak = multiplyTilesBlock, nil, peakLoopTiles
	return s
}

// A tileShape is the operand of LDTILECFG: rows and bytes a row of every tile.
type tileShape [64]byte

// shapeOfTiles is that of a product of up to 32 rows and a depth of up to 16 words; see gen/tiles.go for what each tile is.
func shapeOfTiles(rows, depth int) (s tileShape) {
	s[0] = 1 // the palette
	set := func(tile, rows, words int) {
		if rows > 0 {
			s[16+2*tile], s[48+tile] = byte(4*words), byte(rows)
		}
	}
	top, below := min(rows, panelWidth), max(rows-panelWidth, 0)
	for panel := range 2 {
		set(panel, top, panelWidth)
		set(2+panel, below, panelWidth)
		set(6+panel, depth, panelWidth)
	}
	set(4, top, depth)
	set(5, below, depth)
	return s
}

// A tilesFunc computes tiles of a product, steps of them deep.
type tilesFunc func(c, a, b *float32, ldc, lda, ldb, steps, accumulate, ahead, apart, skip int, shape *tileShape)

// tilesOf are those of up to 16 and of up to 32 rows of one panel and of two. Tests put others in their place.
var tilesOf = [2][2]tilesFunc{{multiplyTiles1x1AMX, multiplyTiles1x2AMX}, {multiplyTiles2x1AMX, multiplyTiles2x2AMX}}

const rowsOfTiles = 2 * panelWidth

// tileShapes are the shapes by rows and depth. One that is made for a call would be allocated.
var tileShapes = func() (all [rowsOfTiles + 1][tileDepth + 1]tileShape) {
	for rows := range all {
		for depth := range all[rows] {
			all[rows][depth] = shapeOfTiles(rows, depth)
		}
	}
	return all
}()

func multiplyTilesBlock(b block) {
	if b.rows == 0 {
		return
	}
	b.check()
	wide := 2
	if b.linear {
		wide = 1
	}
	for p := 0; p < b.panels; p += wide {
		for r := 0; r < b.rows; r += rowsOfTiles {
			b.callTiles(r, min(rowsOfTiles, b.rows-r), p, min(wide, b.panels-p))
		}
	}
}

// callTiles computes up to 32 rows of one or two panels: whole tiles, then those that the end of the depth cuts off.
func (b *block) callTiles(r, rows, p, panels int) {
	f := tilesOf[(rows-1)/panelWidth][panels-1]
	var ahead, apart, skip int
	if r == 0 {
		ahead, apart, skip = b.ahead(p, panels)
	}
	steps, rest := b.depth/tileDepth, b.depth%tileDepth
	if steps > 0 || rest == 0 {
		b.tilesAt(f, r, rows, p, 0, tileDepth, steps, b.accumulate, ahead, apart, skip)
	}
	if rest > 0 {
		b.tilesAt(f, r, rows, p, steps*tileDepth, rest, 1, b.accumulate || steps > 0, 0, 0, 0)
	}
}

// tilesAt runs f on tiles of so much depth from a word of the depth on.
func (b *block) tilesAt(f tilesFunc, r, rows, p, from, depth, steps int, accumulate bool, ahead, apart, skip int) {
	f(&b.c[r*b.ldc+p*panelWidth], first(b.a[r*b.lda+from:]), first(b.b[p*b.ldb+from*panelWidth:]), b.ldc, b.lda, b.ldb, steps, word(accumulate), ahead, apart, skip, &tileShapes[rows][depth])
}

func peakLoopTiles(n int) int {
	peakTilesAMX(n, &tileShapes[rowsOfTiles][tileDepth])
	return n * 4 * panelWidth * panelWidth * 2 * tileDepth * 2
}

// faultOfTiles says how the tiles of this processor differ from what they are taken for; it is empty where they do not. Their order
// of summing is documented, but that is no promise, and results are recorded as of one kind on all processors.
func faultOfTiles(multiply func(block)) string {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{1, 1, 5}, {16, 2, 16}, {29, 2, 40}, {35, 3, 33}} {
		rows, panels, depth := size[0], size[1], size[2]
		b := block{rows: rows, panels: panels, depth: depth, ldc: panels * panelWidth, lda: depth, ldb: depth * panelWidth, accumulate: true}
		b.a, b.b, b.c = randomPairs(rng, rows*depth), randomPairs(rng, panels*b.ldb), randomPairs(rng, rows*b.ldc)
		want := b
		want.c = append([]float32(nil), b.c...)
		genericTiles(want)
		multiply(b)
		for i, v := range b.c {
			if math.Float32bits(v) != math.Float32bits(want.c[i]) {
				return fmt.Sprintf("sum %d of %d×%d×%d is %g instead of %g: the tiles of this processor add in another order", i, rows, panels*panelWidth, depth, v, want.c[i])
			}
		}
	}
	return ""
}

// randomPairs are words of two bfloat16 between -2 and 2.
func randomPairs(rng *rand.Rand, n int) []float32 {
	words := make([]float32, n)
	for i := range words {
		odd, even := math.Float32bits(4*rng.Float32()-2), math.Float32bits(4*rng.Float32()-2)
		words[i] = math.Float32frombits(odd&^0xffff | even>>16)
	}
	return words
}
