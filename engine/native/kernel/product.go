package kernel

import "sync"

const (
	// rowBlock rows of the left operand, depthBlock words of each, stay in the second-level cache while panels pass by.
	rowBlock = 96
	// depthBlock is the most depth of one block. A longer sum is continued in the next block from its value in c, which loses
	// no bits but costs time.
	depthBlock = 896
	// shallow is the depth up to which a result with rows of longWords or more comes from memory, and is gone through along them.
	shallow   = 32
	longWords = 1024
	// streamRows is the number of rows up to which weights are read once, as a stream, and nothing is worth keeping.
	streamRows = tileRows
	// fewRows is the number of rows up to which a streamer is the faster way.
	fewRows = 16
	// linearRows is the number of rows up to which reading the weights takes longer than multiplying them a panel at a time: those of
	// one tile, so that every weight is read once.
	linearRows = tileRows
	// linearWords is the size of a matrix from which that is so: smaller ones belong to models that stay in a cache.
	linearWords = 1 << 15
	// streamDepth is the depth of a block that is loaded for so few rows: two panels of it stay in the first-level cache.
	streamDepth = 128
	// tilesBlock rows of the left operand stay in the second-level cache while panels pass by tiles, and tilesBlock words of each. Tiles compute
	// so fast that they cannot wait for rows from further away.
	tilesBlock = 512
	// tilesPanels is how many panels stay there beside them.
	tilesPanels = 8
	// tilesFew is how many panels are loaded together for a few rows: tiles are made ready for them once, which takes long.
	tilesFew = 16
)

// blockPanels is the number of panels of the right operand that stay in the second-level cache with rowBlock rows of the left one, while
// those of the next block are on their way there: the more, the less often those rows come again from further away.
var blockPanels = func() int {
	if secondLevelCache() >= 2<<20 {
		return 8
	}
	return 4
}()

// A product is c (+)= a·B, for several right operands B of the same depth.
type product struct {
	multiply  func(block)
	tiles     bool // multiply does tiles of AMX
	paced     bool // its tiles prefetch at an even pace what is needed next
	flush     bool
	plain     func(block) // of the low-rank parts, in float32
	transpose func(dst, src []float32, ldd, blocks int)
	// addScaled adds x·steps to c, element by element. Only parts with steps need it.
	addScaled func(c, x, steps []float32)
	lhs       lhs
	rows      int
	depth     int // words
	parts     []part

	// What MulT's part loads from: an interface of either would be allocated.
	transposed    transposed
	transposedLow transposedLow

	grid     grid
	prefetch *Prefetch   // nil: nothing is known of what comes after
	job      func(i int) // do, bound once
}

// A part is one right operand and its result c [rows, width].
type part struct {
	c                 []float32
	width             int
	accumulate        bool
	totalPanels       int       // panels of the right operand where c is of some of them, else 0
	panels            []float32 // the right operand's, [depth][16] each; nil: it has to be loaded
	pairs             bool      // its words are pairs, [depth/2][16], as block.pairs says
	load              source
	stream            streamer  // for few rows: reads the weights as they are stored; may be nil
	steps             []float32 // the columns of c are multiplied with these, unless nil
	lowRank           []LowRank // what adapters add
	lowRankTransposed bool      // with W instead of Wᵀ
}

// rightPanels is how many panels the right operand has.
func (q *part) rightPanels() int {
	if q.totalPanels > 0 {
		return q.totalPanels
	}
	return panelsOf(q.width)
}

// words is how many words of a panel lie over so many words of the left operand.
func (q *part) words(depth int) int {
	if q.pairs {
		return depth / 2
	}
	return depth
}

// A source brings together a right operand that is not in memory as products read it.
type source interface {
	// load writes words from, ..., from+n-1 of some panels, [n][16] each, ldd apart. There is room for n rounded up to 16.
	load(dst []float32, ldd int, panel, panels, from, n int, s *scratch)
	// next says where load will read the words from one on of a panel and those after it.
	next(panel, from int) upcoming
}

// A streamer multiplies up to fewRows rows with panels as they are stored.
type streamer interface {
	// multiply sets b.c [b.rows][ldc], of which an even number of panels is written, to b.a times the panels from one on.
	multiply(b block, panel int)
}

// productPool has products for the calls to come: through the jobs of a pool each would be allocated.
var productPool = sync.Pool{New: func() any {
	p := new(product)
	p.job = p.do
	return p
}}

// newProduct returns the float32 product of a [rows, depth], whose rows are lda words apart, with no parts yet. The caller frees it.
func (k *Kernels) newProduct(a []float32, lda, rows, depth int) *product {
	p := productPool.Get().(*product)
	*p = product{multiply: k.set.multiply, paced: k.set.paced, plain: k.set.multiply, transpose: k.set.transpose, lhs: wholeRows(a, lda, depth), rows: rows, depth: depth, parts: p.parts[:0], job: p.job}
	return p
}

// free keeps the memory of p, and nothing that it refers to.
func (p *product) free() {
	clear(p.parts)
	*p = product{parts: p.parts[:0], job: p.job}
	productPool.Put(p)
}

func (p *product) run(k *Kernels) {
	panels := 0
	for i := range p.parts {
		panels += panelsOf(p.parts[i].width)
	}
	p.grid = newGrid(k, p.rows, panels, p.depth)
	p.grid.run(k, p.job)
}

// do computes unit i of the grid.
func (p *product) do(i int) {
	s := scratchPool.Get().(*scratch)
	u, after := p.grid.unit(i), unit{}
	if i+1 < p.grid.down*p.grid.across {
		after = p.grid.unit(i + 1) // for this thread too, more often than not
	}
	s.queue = p.prefetch.part(i, p.grid.down*p.grid.across, p.calls(u))
	p.unit(u, after, s)
	scratchPool.Put(s)
}

// calls is how many calls of tiles of a unit can prefetch what is needed after the product: those of all groups of rows but the first, which
// prefetch the panels that follow.
func (p *product) calls(u unit) int {
	groups := ceil(min(u.rows, rowBlock), tileRows)
	return (groups - 1) * ceil(u.panels, 2) * ceil(max(1, p.depth), p.depthAtOnce(&p.parts[0]))
}

// unit computes a unit of all parts' panels, counted through, before the unit after.
func (p *product) unit(u, after unit, s *scratch) {
	for u.panels > 0 {
		q, here := p.groupAt(u)
		u.panel, u.panels = u.panel+here.panels, u.panels-here.panels
		if s.after = u; u.panels == 0 {
			s.after = after
		}
		p.panelsOf(q, here, s)
	}
}

// groupAt is the first panels of a unit that are computed together, counted in their part.
func (p *product) groupAt(u unit) (*part, unit) {
	first := 0
	for i := range p.parts {
		q := &p.parts[i]
		if panels := panelsOf(q.width); u.panel < first+panels {
			lo := u.panel - first
			return q, unit{u.row, u.rows, lo, min(p.panelsAtOnce(q), u.panels, panels-lo)}
		}
		first += panelsOf(q.width)
	}
	panic("kernel: a unit beyond the last panel")
}

// panelsAtOnce is how many panels of a part are computed together.
func (p *product) panelsAtOnce(q *part) int {
	switch {
	case p.tiles && q.steps == nil && p.rows > rowBlock:
		return panelsOf(q.width) // blocksAt goes through them for each block of depth
	case q.load == nil:
		return max(blockPanels, blockPanels*depthBlock/max(1, p.depth))
	case p.tiles && p.rows <= streamRows:
		return tilesFew
	case p.rows <= streamRows:
		return 2
	}
	return blockPanels
}

// depthAtOnce is the depth of a block: all of it where that is small, else blocks of nearly the same size.
func (p *product) depthAtOnce(q *part) int {
	if p.lhs.apart > 0 {
		return p.lhs.blockDepth
	}
	most := depthBlock * blockPanels / min(blockPanels, panelsOf(q.width)) // the same memory
	if p.rows <= streamRows {
		if q.load == nil {
			return max(p.depth, 1)
		}
		if most = streamDepth; p.tiles {
			most = tilesBlock
		}
	}
	return evenDepth(p.depth, most)
}

// panelsOf computes some rows of at most panelsAtOnce panels of a part.
func (p *product) panelsOf(q *part, u unit, s *scratch) {
	if q.steps != nil {
		p.scaled(q, u, s)
		return
	}
	p.blocksAt(q, u, u, s)
}

// scaled computes sums aside, multiplies them with the steps of their columns and only then adds them to c.
func (p *product) scaled(q *part, u unit, s *scratch) {
	width := even(u.panels) * panelWidth
	sums := grown(&s.sums, u.rows*width)
	if q.stream != nil && p.rows <= fewRows {
		q.stream.multiply(block{c: sums, ldc: width, a: p.lhs.at(u.row, 0), lda: p.lhs.lda, depth: p.depth, rows: u.rows, panels: u.panels}, u.panel)
	} else {
		aside := part{c: sums, width: width, panels: q.panels, load: q.load, totalPanels: panelsOf(q.width)}
		p.blocksAt(&aside, u, unit{0, u.rows, 0, u.panels}, s)
	}
	from := u.panel * panelWidth
	columns := min(u.panels*panelWidth, q.width-from)
	for r := range u.rows {
		c := q.c[(u.row+r)*q.width+from:][:columns]
		if !q.accumulate {
			clear(c)
		}
		p.addScaled(c, sums[r*width:], q.steps[from:])
	}
	for row := 0; row < u.rows; row += rowBlock {
		p.addLowRank(q, unit{u.row + row, min(rowBlock, u.rows-row), u.panel, u.panels}, s)
	}
}

// blocksAt computes the rows and panels of u, and puts them where those of to are: panels that stay in the caches together, one after the
// other, for each block of depth.
func (p *product) blocksAt(q *part, u, to unit, s *scratch) {
	size, most := p.depthAtOnce(q), u.panels
	if p.tiles && p.rows > streamRows {
		most = tilesPanels
	}
	for d := 0; d < max(p.depth, 1); d += size {
		for at := 0; at < u.panels; at += most {
			n := min(most, u.panels-at)
			here := unit{u.row, u.rows, u.panel + at, n}
			p.blockAt(q, here, unit{to.row, to.rows, to.panel + at, n}, d, size, p.after(q, u, here, d, size), s)
		}
	}
}

// blockAt does so for size words of depth from d on, before what is loaded next.
func (p *product) blockAt(q *part, u, to unit, d, size int, next upcoming, s *scratch) {
	b := block{lda: p.lhs.lda, depth: min(size, p.depth-d), accumulate: q.accumulate || d > 0, flush: p.flush, linear: p.linear(q)}
	panels := q.panels
	if q.load == nil {
		b.pairs, b.ldb = q.pairs, q.words(p.depth)*panelWidth
		panels = panels[u.panel*b.ldb+q.words(d)*panelWidth:]
	} else {
		b.ldb = ceil(b.depth, panelWidth) * panelWidth * panelWidth
		panels = grown(&s.right, u.panels*b.ldb)
		q.load.load(panels, b.ldb, u.panel, u.panels, d, b.depth, s)
	}
	rows := p.rowsAtOnce(q, u.rows)
	if p.paced && u.rows > tileRows && p.depth > 0 {
		b.paced = &s.paced
		p.pacePanels(b.paced, panelGroup{q, u, d, size}, s)
	}
	for row := 0; row < u.rows; row += rows {
		if b.next = (upcoming{}); row == max(0, u.rows/rows-1)*rows {
			b.next = next
		}
		b.a, b.rows, b.queue = p.lhs.at(u.row+row, d), min(rows, u.rows-row), &s.queue
		if b.paced != nil {
			p.paceRows(b.paced, panelGroup{q, u, d, size}, row, s)
		}
		here := unit{to.row + row, b.rows, to.panel, to.panels}
		p.columns(b, q.c, q.width, here, panels, s)
		if d+size >= p.depth {
			p.addLowRank(q, here, s)
		}
	}
}

// rowsAtOnce is how many of so many rows are multiplied with the panels in turn.
func (p *product) rowsAtOnce(q *part, rows int) int {
	if p.tiles {
		return ceil(ceil(rows, ceil(rows, tilesBlock)), 2*panelWidth) * 2 * panelWidth
	}
	if q.load == nil && p.depth <= shallow && q.width >= longWords {
		return tileRows
	}
	if aliased(p.lhs.lda) {
		return aliasedRows
	}
	if p.paced {
		return pacedTileRows(rows, pacedRows)
	}
	return rowBlock
}

// linear says whether reading the weights of q in order is what counts.
func (p *product) linear(q *part) bool {
	return q.load == nil && p.rows <= linearRows && q.words(p.depth)*panelsOf(q.width)*panelWidth >= linearWords
}

// after is what is loaded after so much depth of some panels of u.
func (p *product) after(q *part, u, here unit, d, size int) upcoming {
	next := here.panel + here.panels
	switch {
	case q.load == nil || p.depth == 0:
		return upcoming{}
	case next < u.panel+u.panels:
		return q.load.next(next, d)
	case d+size < p.depth:
		return q.load.next(u.panel, d+size)
	case next < q.rightPanels():
		return q.load.next(next, 0)
	}
	return upcoming{}
}

// columns runs b for the panels of u, the first of which has its weights at panels. c is the whole result [.., width]; a panel
// that width cuts off goes through a tile, with the one before it where that would be alone.
func (p *product) columns(b block, c []float32, width int, u unit, panels []float32, s *scratch) {
	full := min(u.panels, width/panelWidth-u.panel)
	if full < u.panels {
		full &^= 1
	}
	if full > 0 {
		b.b, b.panels = panels, full
		b.c, b.ldc = c[u.row*width+u.panel*panelWidth:], width
		p.multiply(b)
	}
	if full == u.panels {
		return
	}
	column, wide, rows, a := (u.panel+full)*panelWidth, (u.panels-full)*panelWidth, b.rows, b.a
	b.b, b.panels = panels[full*b.ldb:], u.panels-full
	b.half = b.panels == 1 && width-column <= panelWidth/2
	for r := 0; r < rows; r += rowBlock {
		edge := c[(u.row+r)*width+column:]
		b.a, b.rows = a[r*b.lda:], min(rowBlock, rows-r)
		if b.accumulate {
			copyRows(s.tile[:], wide, edge, width, b.rows, width-column)
		}
		b.c, b.ldc = s.tile[:], wide
		p.multiply(b)
		copyRows(edge, width, s.tile[:], wide, b.rows, width-column)
	}
}

// copyRows copies the first columns of each row.
func copyRows(dst []float32, ldd int, src []float32, lds, rows, columns int) {
	for r := range rows {
		copy(dst[r*ldd:][:columns], src[r*lds:][:columns])
	}
}
