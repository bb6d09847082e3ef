package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// lowTiles multiplies with the tiles of AMX where lowBF16 does so with VDPBF16PS, whatever the number of rows: both give bits of
// their own. Attention, whose depth grows with the text, is float32 ([set].attends): VDPBF16PS does half as much there.
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

// A tilesFunc computes tiles of a product, steps of them deep: those of the rows of shape for one group of panels after the other, or of
// one group of 32 rows after the other. It prefetches lines of each panel a step (none or 16, or in groups of rows any number) of what begins
// ahead bytes from b, and in groups of rows for the sums that lie beside c, as many bytes further, unless that is 0.
type tilesFunc func(c, a, b *float32, ldc, lda, ldb, steps, groups, accumulate, ahead, apart, skip, lines, beside int, shape *tileShape)

// tilesOf are those of up to 16 and of up to 32 rows of one panel and of two, and those of groups of rows. Tests put others in their place.
var tilesOf = [3][2]tilesFunc{{multiplyTiles1x1AMX, multiplyTiles1x2AMX}, {multiplyTiles2x1AMX, multiplyTiles2x2AMX}, {multiplyRowsx1AMX, multiplyRowsx2AMX}}

const (
	rowsOfTiles  = 2 * panelWidth
	groupsOfRows = 2 // in tilesOf
)

// tileShapes are the shapes by rows and depth. One that is made for a call would be allocated.
var tileShapes = func() (all [rowsOfTiles + 1][tileDepth + 1]tileShape) {
	for rows := range all {
		for depth := range all[rows] {
			all[rows][depth] = shapeOfTiles(rows, depth)
		}
	}
	return all
}()

// nearDepth is the most depth of two panels that stay in the first-level cache while rows pass by, in words.
const nearDepth = 18 * tileDepth

func multiplyTilesBlock(b block) {
	if b.rows == 0 {
		return
	}
	b.check()
	if b.rows <= rowsOfTiles {
		b.passPanels()
		return
	}
	size := evenDepth(b.depth, nearDepth)
	for p := 0; p < b.panels; p += 2 {
		for d := 0; d < max(b.depth, 1); d += size {
			b.passRows(tilesCall{block: &b, panel: p, panels: min(2, b.panels-p), d: d, depth: min(size, b.depth-d)})
		}
	}
}

// passPanels multiplies few rows, which stay where they are, with all panels: one at a time if those come from memory. A call goes through all
// whose successors follow them.
func (b *block) passPanels() {
	wide := 2
	if b.linear {
		wide = 1
	}
	for p := 0; p < b.panels; {
		t := tilesCall{block: b, panel: p, panels: min(wide, b.panels-p), depth: b.depth}
		groups := 1
		if b.next.words == nil {
			groups = (b.panels - p) / t.panels
		}
		t.prefetchAhead(1)
		t.run((b.rows-1)/panelWidth, 0, b.rows, groups)
		p += groups * t.panels
	}
}

// passRows multiplies many rows with one or two panels, or so much depth of them: groups of 32 rows, and then what is left.
func (b *block) passRows(t tilesCall) {
	groups := b.rows / rowsOfTiles
	t.prefetchAhead(groups)
	if groups > 1 {
		t.run(groupsOfRows, 0, rowsOfTiles, groups)
		t.lines = 0
	} else {
		groups = 0
	}
	for r := groups * rowsOfTiles; r < b.rows; r += rowsOfTiles {
		rows := min(rowsOfTiles, b.rows-r)
		t.run((rows-1)/panelWidth, r, rows, 1)
		t.lines = 0
	}
}

// A tilesCall is so much depth, from d on, of one or two panels of a block, and what is prefetched meanwhile.
type tilesCall struct {
	*block
	panel, panels, d, depth   int
	ahead, apart, skip, lines int
}

// prefetchAhead says what is prefetched while groups of rows pass by: the same panels further down, or what is needed after them. Where that
// is to be brought together, every part of the depth prefetches as much of it.
func (t *tilesCall) prefetchAhead(groups int) {
	t.lines = ceil(tileDepth, max(1, groups))
	t.ahead, t.apart, t.skip = t.block.ahead(t.panel, t.panels)
	switch {
	case t.linear:
		t.ahead = nearAhead
	case t.next.words != nil:
		t.ahead += t.skip * (t.d / (panelWidth / 2))
	case t.d+t.depth < t.block.depth:
		t.ahead, t.apart = 4*panelWidth*t.depth, 4*t.ldb
	default:
		t.ahead -= 4 * panelWidth * t.d
	}
}

// run takes rows from one on through all the depth: whole tiles, then those that the end of the depth cuts off.
func (t *tilesCall) run(kind, row, rows, groups int) {
	steps, rest := t.depth/tileDepth, t.depth%tileDepth
	if steps > 0 || rest == 0 {
		t.call(kind, row, rows, groups, 0, tileDepth, steps)
	}
	if rest > 0 {
		t.call(kind, row, rows, groups, steps*tileDepth, rest, 1)
	}
}

// call runs a function on tiles of so much depth, which begin so many words further.
func (t *tilesCall) call(kind, row, rows, groups, from, depth, steps int) {
	b, at, accumulate := t.block, t.d+from, t.accumulate || t.d+from > 0
	ahead, lines, beside := t.ahead, t.lines, 0
	if from > 0 {
		lines = 0
	} else if kind == groupsOfRows && t.d == 0 && !t.block.accumulate {
		beside = 4 * panelWidth * t.panels
	}
	tilesOf[kind][t.panels-1](&b.c[row*b.ldc+t.panel*panelWidth], first(b.a[row*b.lda+at:]), first(b.b[t.panel*b.ldb+at*panelWidth:]), b.ldc, b.lda, b.ldb, steps, groups,
		word(accumulate), ahead, t.apart, t.skip, lines, beside, &tileShapes[rows][depth])
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
