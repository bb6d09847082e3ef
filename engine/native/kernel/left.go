package kernel

import "sync"

const (
	// crowdedWords is a distance of rows at which all rows of a tile share one place of the first-level cache, where they drive each other out:
	// a place holds 8 or 12 of the lines whose addresses are alike in their lowest twelve bits.
	crowdedWords = 1024
	// copiedOutputs is the number of outputs from which it pays to copy a float32 left operand whose rows are crowded.
	copiedOutputs = 256
	// crowdedRows is how many rows are taken at a time where it does not pay.
	crowdedRows = 6
)

// A left is the left operand of a product: rows of words, whole or in blocks of depth.
type left struct {
	words []float32
	lda   int // words from one row of a block to the next
	deep  int // the depth of a block
	apart int // words from one block to the next; 0: there is one
}

// wholeRows is the left operand of rows as they are, lda words apart.
func wholeRows(x []float32, lda, depth int) left { return left{x, lda, max(1, depth), 0} }

// at is what lies from a word of a row on.
func (l *left) at(row, d int) []float32 { return l.words[d/l.deep*l.apart+row*l.lda+d%l.deep:] }

// inBlocks says how words of so many rows lie in blocks of at most so much depth: the rows of one follow each other, so that those of a tile are in
// places of their own in the first-level cache, and those of a product's block in the second-level one. Few rows stay whole, and so do rows of nothing.
func inBlocks(rows, depth, most int) left {
	if rows <= fewRows || depth == 0 {
		return wholeRows(nil, uncrowded(depth), depth)
	}
	deep := evenDepth(depth, most)
	lda := uncrowded(deep)
	return left{lda: lda, deep: deep, apart: rows * lda}
}

// size is the number of words that so many rows take.
func (l *left) size(rows, depth int) int {
	if l.apart == 0 {
		return rows * l.lda
	}
	return ceil(depth, l.deep) * l.apart
}

func crowded(lda int) bool { return lda%crowdedWords == 0 }

// uncrowded is the least distance of rows of so many words at which the lines of a tile lie in places of their own.
func uncrowded(words int) int {
	if words%(crowdedWords/2) == 0 {
		return words + panelWidth
	}
	return words
}

// evenDepth cuts a depth into blocks of at most so many words, nearly the same in all: that is their size.
func evenDepth(depth, most int) int {
	return max(ceil(ceil(depth, ceil(max(depth, 1), most)), panelWidth)*panelWidth, 1)
}

// A leftOperand is a left operand in memory of its own: x, or x times the steps of its columns, as a product reads it.
type leftOperand struct {
	left
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
	job      func(i int) // bring, bound once
}

// lefts keeps left operands for the products to come. They are as large as activations: a sync.Pool would let them go at every
// collection, to be allocated again.
var lefts struct {
	mu   sync.Mutex
	free []*leftOperand
}

func takeLeft() *leftOperand {
	lefts.mu.Lock()
	defer lefts.mu.Unlock()
	last := len(lefts.free) - 1
	if last < 0 {
		a := new(leftOperand)
		a.job = a.bring
		return a
	}
	a := lefts.free[last]
	lefts.free = lefts.free[:last]
	return a
}

// leftWork is the number of values that one thread brings together at a time.
const leftWork = 1 << 14

// roundLeft rounds x [rows, depth], whose rows are lda words apart, times the steps of its columns where they are not nil. The
// caller frees it.
func (k *Kernels) roundLeft(x []float32, lda, rows, depth int, steps []float32) *leftOperand {
	return k.bringLeft(k.set.lowOf(rows), x, lda, rows, depth, steps)
}

// copyLeft copies x [rows, depth], whose rows are lda words apart. The caller frees it.
func (k *Kernels) copyLeft(x []float32, lda, rows, depth int) *leftOperand {
	return k.bringLeft(nil, x, lda, rows, depth, nil)
}

func (k *Kernels) bringLeft(low *lowSet, x []float32, lda, rows, depth int, steps []float32) *leftOperand {
	a := takeLeft()
	a.low, a.rows, a.depth = low, rows, depth
	most := depthBlock
	if low != nil {
		if a.depth = low.words(depth); low.tiles != nil {
			most = tilesBlock
		}
	}
	a.left = inBlocks(rows, a.depth, most)
	a.words = a.room(a.size(rows, a.depth))
	a.x, a.ldx, a.width, a.steps, a.perUnit = x, lda, depth, steps, max(1, leftWork/max(1, depth))
	if steps != nil {
		grown(&a.scaled, rows*depth)
	}
	k.Run(ceil(rows, a.perUnit), a.job)
	a.x, a.steps = nil, nil
	return a
}

// room is memory for n words, in huge pages where it is large: products go over rows that lie far apart.
func (a *leftOperand) room(n int) []float32 {
	if cap(a.memory) < n {
		if a.unmap != nil {
			a.unmap()
		}
		a.memory, a.unmap = NewFloats(n)
	}
	return a.memory[:n]
}

// bring does the rows of unit i.
func (a *leftOperand) bring(i int) {
	for r := i * a.perUnit; r < min(a.rows, (i+1)*a.perUnit); r++ {
		row := a.x[r*a.ldx:][:a.width]
		if a.steps != nil {
			scaled := a.scaled[:cap(a.scaled)][r*a.width:][:a.width]
			clear(scaled)
			a.low.addScaled(scaled, row, a.steps)
			row = scaled
		}
		for d := 0; d < a.depth; d += a.deep {
			n := min(a.deep, a.depth-d)
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

func (a *leftOperand) free() {
	lefts.mu.Lock()
	defer lefts.mu.Unlock()
	lefts.free = append(lefts.free, a)
}

// operandOf makes a the left operand of a product: of low precision if it is rounded.
func (a *leftOperand) operandOf(p *product) {
	p.left, p.depth = a.left, a.depth
	if a.low == nil {
		return
	}
	p.multiply, p.flush, p.addScaled = a.low.multiply, a.low.perPair == 2, a.low.addScaled
	p.evenly = p.evenly && a.low.tiles == nil && a.low.perPair == 2 // words are float32
	if a.low.tiles != nil {
		p.multiply, p.tiles = a.low.tiles, true
	}
}
