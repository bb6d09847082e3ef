package kernel

import "math"

// A lowSet are the functions of a set for products of low precision. Their operands are words of 32 bits, of which a pair of
// depth takes one (two bfloat16, the odd one in the upper half) or two (as float32, the odd one first): then they are float32
// products that take the denormal numbers as zero.
type lowSet struct {
	perPair  int
	multiply func(block)
	// tiles takes the place of multiply in products with weights; nil: multiply does those too. It begins anew, with chains of its own,
	// every tileDepth words.
	tiles func(block)
	// widens says whether multiply takes weights in pairs of bfloat16 too, though an operand word is a float32.
	widens bool
	// prefetchesCodes says whether tiles prefetch the codes of int8 that operands are made of next; else what makes them does.
	prefetchesCodes bool
	// round writes the operand words of a row x, as many pairs as it takes.
	round func(dst, x []float32)
	// outer computes one block of a gradient from operands whose pairs lie along the depth, in words one above the other; nil: as in float32, which
	// differs only where a sum is denormal.
	outer func(outerBlock)
	// roundRows writes the operand words of pairs that lie in two rows; nil: two rows of words, each rounded by itself.
	roundRows func(dst, even, odd []float32)
	// addScaled adds x·steps to c, element by element, the products rounded first.
	addScaled func(c, x, steps []float32)
	// spread makes operand words of pairs.
	spread func(dst []float32, pairs []uint32)
	// int8 makes operand words of n pairs of codes, from the beginning of a block on.
	int8 func(dst []float32, codes []byte, n int)
	// int8Few multiplies up to fewRows rows with panels of codes, the given number of bytes apart; nil: it does not pay.
	int8Few func(b block, codes []byte, apart int)
	// nf4 makes operand words of rows of 16 words of codes, which have one scale for each output.
	nf4 func(dst []float32, codes []uint32, scale []float32)
	// transpose transposes blocks of 16 inputs and outputs: dst[j·ldd..] = [16·perPair/2][16 inputs] from src [blocks][16·perPair/2][16 outputs].
	transpose func(dst, src []float32, ldd, blocks int)
	// peak does n steps of multiply-adds in registers and returns the number of operations.
	peak func(n int) int
}

// words is the number of operand words that a depth takes.
func (s *lowSet) words(depth int) int { return ceil(depth, 2) * s.perPair }

func even(n int) int { return n + n%2 }

// lowPart sets the right operand of a product of so many rows with f.
func (k *Kernels) lowPart(q *part, f *factor, rows int) {
	set, w, first := k.set.lowOf(rows), f.w.low, f.from/panelWidth
	q.steps = w.steps(f.from, f.to)
	q.panels = w.direct(set, first)
	if m, ok := w.(*bf16Panels); ok && set.widens {
		q.panels, q.pairs = m.operands(first), true
	}
	if q.panels == nil {
		q.load = lowSource{set, w, first}
	}
	if m, ok := w.(*int8Panels); ok && set.int8Few != nil {
		q.stream = int8Stream{set, m, first}
	}
}

// store writes the words of a pair of inputs of one output to its lane.
func (s *lowSet) store(dst []float32, pair, lane int, even, odd float32) {
	at := pair*s.perPair*panelWidth + lane
	if s.perPair == 1 {
		dst[at] = math.Float32frombits(math.Float32bits(odd)&^0xffff | math.Float32bits(even)>>16)
		return
	}
	dst[at], dst[at+panelWidth] = odd, even
}

// lowSource is the right operand of a product with W from panel first on.
type lowSource struct {
	set   *lowSet
	w     lowPanels
	first int
}

func (l lowSource) load(dst []float32, ldd int, panel, panels, from, n int, _ *scratch) {
	per := l.set.perPair
	for p := range panels {
		l.w.load(l.set, dst[p*ldd:], l.first+panel+p, from/per, n/per)
	}
}

// next leaves it to the codes' decoders to prefetch what they read next, unless the set says otherwise. Panels of int8 follow each other, and the tiles
// of one panel prefetch as many bytes as its operands take: those are the codes of four, as many as are made together.
func (l lowSource) next(panel, from int) upcoming {
	if m, ok := l.w.(*int8Panels); ok && l.set.prefetchesCodes {
		return upcoming{words: m.codesFrom(l.first+panel, from/l.set.perPair)}
	}
	return upcoming{}
}

// transposedLow is the right operand of MulT: W [.., in] from panel first on, depth along the outputs.
type transposedLow struct {
	set      *lowSet
	prefetch func(words []float32) // nil: nobody prefetches weights that are not operands as they are
	w        lowPanels
	in       int
	first    int
}

func (t transposedLow) next(panel, from int) upcoming {
	const size = panelWidth * panelWidth / 2
	if direct := t.w.direct(t.set, t.first+2*from/panelWidth); direct != nil {
		return upcoming{direct[panel*size:], size, (ceil(t.in, 2) - panelWidth/2) * panelWidth}
	}
	return upcoming{}
}

// prefetchSources prefetches what blocks of the panel at of W are made of.
func (t transposedLow) prefetchSources(at, panel, panels int) {
	const size = panelWidth * panelWidth / 2
	if m, ok := t.w.(*bf16Panels); ok && t.prefetch != nil {
		words := m.operands(at)[panel*size:]
		t.prefetch(words[:min(panels*size, len(words))])
	}
}

func (t transposedLow) load(dst []float32, ldd int, panel, panels, from, n int, s *scratch) {
	const pairs = panelWidth / 2
	per := t.set.perPair
	size := pairs * per * panelWidth // words of a block
	inside := (panel+panels)*panelWidth <= t.in
	for o := 0; o < n; o += pairs * per {
		at := t.first + (from+o)/(pairs*per)
		var source []float32
		if direct := t.w.direct(t.set, at); direct != nil && inside {
			source = direct[panel*size:]
		} else {
			source = s.corner[:panels*size]
			if o+prefetchBlocks*pairs*per < n {
				t.prefetchSources(at+prefetchBlocks, panel, panels)
			}
			have := min(pairs*panels, ceil(t.in, 2)-pairs*panel)
			t.w.load(t.set, source, at, pairs*panel, have)
			clear(source[have*per*panelWidth:])
		}
		t.set.transpose(dst[o*panelWidth:], source, ldd, panels)
	}
}
