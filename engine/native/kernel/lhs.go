package kernel

import "sync"

const (
	// aliasedWords is a distance of rows at which all rows of a tile share one set of the first-level cache, where they drive each other out:
	// a set holds 8 or 12 of the lines whose addresses are alike in their lowest twelve bits.
	aliasedWords = 1024
	// minCopiedOutputs is the number of outputs from which it pays to copy a float32 left operand whose rows are aliased.
	minCopiedOutputs = 256
	// aliasedRows is how many rows are taken at a time where it does not pay.
	aliasedRows = 6
)

// An lhs is the left operand of a product: rows of words, whole or in blocks of depth.
type lhs struct {
	words      []float32
	lda        int // words from one row of a block to the next
	blockDepth int // the depth of a block
	apart      int // words from one block to the next; 0: there is one
}

// wholeRows is the left operand of rows as they are, lda words apart.
func wholeRows(x []float32, lda, depth int) lhs { return lhs{x, lda, max(1, depth), 0} }

// at is what lies from a word of a row on.
func (l *lhs) at(row, d int) []float32 {
	return l.words[d/l.blockDepth*l.apart+row*l.lda+d%l.blockDepth:]
}

// inBlocks says how words of so many rows lie in blocks of at most so much depth: the rows of one follow each other, so that those of a tile are in
// sets of their own in the first-level cache, and those of a product's block in the second-level one. Few rows stay whole, and so do rows of nothing.
func inBlocks(rows, depth, most int) lhs {
	if rows <= fewRows || depth == 0 {
		return wholeRows(nil, unaliased(depth), depth)
	}
	deep := evenDepth(depth, most)
	lda := unaliased(deep)
	return lhs{lda: lda, blockDepth: deep, apart: rows * lda}
}

// size is the number of words that so many rows take.
func (l *lhs) size(rows, depth int) int {
	if l.apart == 0 {
		return rows * l.lda
	}
	return ceil(depth, l.blockDepth) * l.apart
}

func aliased(lda int) bool { return lda%aliasedWords == 0 }

// unaliased is the least distance of rows of so many words at which the lines of a tile lie in sets of their own.
func unaliased(words int) int {
	if words%(aliasedWords/2) == 0 {
		return words + panelWidth
	}
	return words
}

// evenDepth cuts a depth into blocks of at most so many words, nearly the same in all: that is their size.
func evenDepth(depth, most int) int {
	return max(ceil(ceil(depth, ceil(max(depth, 1), most)), panelWidth)*panelWidth, 1)
}

// An lhsCopy is a left operand in memory of its own: x, or x times the steps of its columns, as a product reads it.
type lhsCopy struct {
	lhs
	memory []float32
	unmap  func()    // gives it back
	scaled []float32 // x times the steps
	rows   int
	depth  int // in words
	low    *lowSet

	x, steps []float32
	ldx      int         // words from one row of x to the next
	width    int         // values of a row
	perUnit  int         // rows
	job      func(i int) // pack, bound once
}

// lhsPool keeps left operands for the products to come. They are as large as activations: a sync.Pool would let them go at every
// collection, to be allocated again.
var lhsPool struct {
	mu   sync.Mutex
	free []*lhsCopy
}

func takeLHS() *lhsCopy {
	lhsPool.mu.Lock()
	defer lhsPool.mu.Unlock()
	last := len(lhsPool.free) - 1
	if last < 0 {
		a := new(lhsCopy)
		a.job = a.pack
		return a
	}
	a := lhsPool.free[last]
	lhsPool.free = lhsPool.free[:last]
	return a
}

// lhsWork is the number of values that one thread brings together at a time.
const lhsWork = 1 << 14

// roundLHS rounds x [rows, depth], whose rows are lda words apart, times the steps of its columns where they are not nil. The
// caller frees it.
func (k *Kernels) roundLHS(x []float32, lda, rows, depth int, steps []float32) *lhsCopy {
	return k.packLHS(k.set.lowOf(rows), x, lda, rows, depth, steps)
}

// copyLHS copies x [rows, depth], whose rows are lda words apart. The caller frees it.
func (k *Kernels) copyLHS(x []float32, lda, rows, depth int) *lhsCopy {
	return k.packLHS(nil, x, lda, rows, depth, nil)
}

func (k *Kernels) packLHS(low *lowSet, x []float32, lda, rows, depth int, steps []float32) *lhsCopy {
	a := takeLHS()
	a.low, a.rows, a.depth = low, rows, depth
	most := depthBlock
	if low != nil {
		if a.depth = low.words(depth); low.tiles != nil {
			most = tilesBlock
		}
	}
	a.lhs = inBlocks(rows, a.depth, most)
	a.words = a.room(a.size(rows, a.depth))
	a.x, a.ldx, a.width, a.steps, a.perUnit = x, lda, depth, steps, max(1, lhsWork/max(1, depth))
	if steps != nil {
		grown(&a.scaled, rows*depth)
	}
	k.Run(ceil(rows, a.perUnit), a.job)
	a.x, a.steps = nil, nil
	return a
}

// room is memory for n words, in huge pages where it is large: products go over rows that lie far apart.
func (a *lhsCopy) room(n int) []float32 {
	if cap(a.memory) < n {
		if a.unmap != nil {
			a.unmap()
		}
		a.memory, a.unmap = NewFloats(n)
	}
	return a.memory[:n]
}

// pack does the rows of unit i.
func (a *lhsCopy) pack(i int) {
	for r := i * a.perUnit; r < min(a.rows, (i+1)*a.perUnit); r++ {
		row := a.x[r*a.ldx:][:a.width]
		if a.steps != nil {
			scaled := a.scaled[:cap(a.scaled)][r*a.width:][:a.width]
			clear(scaled)
			a.low.addScaled(scaled, row, a.steps)
			row = scaled
		}
		for d := 0; d < a.depth; d += a.blockDepth {
			n := min(a.blockDepth, a.depth-d)
			to := a.at(r, d)[:n]
			if a.low == nil {
				copy(to, row[d:])
				continue
			}
			values := 2 / a.low.perPair
			a.low.round(to, row[d*values:min(len(row), (d+n)*values)])
		}
	}
}

func (a *lhsCopy) free() {
	lhsPool.mu.Lock()
	defer lhsPool.mu.Unlock()
	lhsPool.free = append(lhsPool.free, a)
}

// operandOf makes a the left operand of a product: of low precision if it is rounded.
func (a *lhsCopy) operandOf(p *product) {
	p.lhs, p.depth = a.lhs, a.depth
	if a.low == nil {
		return
	}
	p.multiply, p.flush, p.addScaled = a.low.multiply, a.low.perPair == 2, a.low.addScaled
	p.paced = p.paced && a.low.tiles == nil && a.low.perPair == 2 // words are float32
	if a.low.tiles != nil {
		p.multiply, p.tiles = a.low.tiles, true
	}
}
