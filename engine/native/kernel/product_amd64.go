package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// A tileFunc computes rows of one or several panels of a product.
type tileFunc func(c, a, b *float32, ldc, lda, ldb, depth, rows, accumulate, ahead, apart, skip, flush, quiet int)

// call runs f on n panels of b from p on.
func (b *block) call(f tileFunc, p, n int) {
	ahead, apart, skip := b.ahead(p, n)
	f(&b.c[p*panelWidth], first(b.a), first(b.b[p*b.ldb:]), b.ldc, b.lda, b.ldb, b.depth, b.rows, word(b.accumulate), ahead, apart, skip, word(b.flush), word(b.noPrefetch))
}

const (
	// nearAhead is on the same page of 4 KiB more often than not.
	nearAhead = 2 << 10
	// pairRows is the number of rows from which two panels at a time are the faster way, though memory answers best to one: with one, a core
	// is busy broadcasting the left operand.
	pairRows = 7
	// shallowRows is the most rows of a shallow product that goes along all panels in one call.
	shallowRows = 8
	// leastAhead is how far ahead, in bytes, shallow panels are prefetched, of which memory answers too late for the next ones.
	leastAhead = 4096
)

// linearAhead is how far ahead, in bytes, memory is prefetched that is read from one end to the other: what a core can wait for at a time,
// and no more than lies in the first-level cache beside the left operand. pairAhead is the same for two panels side by side, which go into the
// second-level cache. Where what is prefetched has to be on the same page, it is near.
var linearAhead, pairAhead = func() (one, two int) {
	if madeByIntel {
		return nearAhead, nearAhead
	}
	return 12 << 10, 16 << 10
}()

// shallowAhead is the same for a shallow product, in pairs of panels.
var shallowAhead = func() int {
	if madeByIntel {
		return 2
	}
	return 4
}()

// slowToPrefetch says whether a tile of 512 bits is worse off prefetching what follows in memory than not prefetching: those of one or two rows prefetch past the
// second-level cache, which Intel's processors do at half the rate.
func (b *block) slowToPrefetch() bool { return madeByIntel && b.linear && b.rows <= 2 }

// reach is how far ahead n panels that come from memory are prefetched, one or two.
func (b *block) reach(n int) int {
	if n == 2 {
		return pairAhead + b.beyond
	}
	return linearAhead
}

// ahead says, in bytes, what will be needed after n panels from p on. The address is only prefetched, never read.
func (b *block) ahead(p, n int) (ahead, apart, skip int) {
	if b.streams.from != 0 {
		return int(b.streams.from - uintptr(unsafe.Pointer(&b.b[p*b.ldb]))), b.streams.apart, 0
	}
	if b.linear {
		return b.reach(n), 4 * b.ldb * (n - 1), 0
	}
	if b.next.words == nil || b.depth == 0 {
		return max(4*n*b.ldb, leastAhead), 4 * b.ldb, 0
	}
	from := uintptr(unsafe.Pointer(&b.b[p*b.ldb]))
	to := uintptr(unsafe.Pointer(unsafe.SliceData(b.next.words)))
	return int(to-from) + 4*(p*b.next.apart-b.next.skip), 4 * b.next.apart, 4 * b.next.skip
}

// inPairs computes every two panels that are computed at once, and returns how many panels those are. low: words are pairs of bfloat16.
func (b *block) inPairs(low bool) int {
	p := 0
	if !b.linear {
		for ; p+2 <= b.panels; p += 2 {
			b.inGroups(low, p)
		}
	} else if b.rows >= pairRows {
		near, far := b.cut()
		for ; p+2 <= b.panels; p += 2 {
			if near.depth > 0 {
				near.two(low, p)
			}
			far.two(low, p)
		}
	}
	return p
}

// two computes the panels p and p+1.
func (b *block) two(low bool, p int) {
	switch {
	case low:
		b.callPairs(multiply2PairsAVX512, p, 2)
	case b.paced != nil:
		b.twoPaced(p)
	default:
		b.call(multiply2AVX512, p, 2)
	}
}

// twoPaced computes them and prefetches what paced says.
func (b *block) twoPaced(p int) {
	c := &b.c[p*panelWidth]
	b.paced.nextResults = uintptr(unsafe.Pointer(c)) + 4*2*panelWidth
	multiply2PacedAVX512(c, first(b.a), first(b.b[p*b.ldb:]), b.ldc, b.lda, b.ldb, b.depth, b.rows, word(b.accumulate), word(b.flush), b.paced)
}

// inGroups computes the panels p and p+1: all rows at once, or those of one tile after the other where all but the first of those prefetch what
// is needed after the product.
func (b *block) inGroups(low bool, p int) {
	if b.queue == nil || b.queue.left <= 0 || b.rows <= tileRows || b.depth == 0 {
		b.two(low, p)
		return
	}
	size := ceil(b.rows, ceil(b.rows, tileRows))
	g := *b
	g.paced = nil
	for r := 0; r < b.rows; r += size {
		g.c, g.a, g.rows = b.c[r*b.ldc:], b.a[r*b.lda:], min(size, b.rows-r)
		if r > 0 {
			g.streams = b.queue.take(4 * panelWidth * b.depth)
		}
		g.two(low, p)
	}
}

// cut cuts the depth of panels that come from memory, two at a time, where the panels behind them come within reach: far prefetches those.
func (b *block) cut() (near, far block) {
	near, far = *b, *b
	near.depth = max(0, b.depth-pairAhead/(4*panelWidth))
	far.depth -= near.depth
	far.a, far.b = b.a[near.depth:], b.b[near.depth*panelWidth:]
	far.accumulate = b.accumulate || near.depth > 0
	far.beyond = 4 * b.ldb
	return near, far
}

// wideAVX2 are the tiles of several panels, by their rows; wideWidenedAVX2 those of pairs that are widened.
var (
	wideAVX2        = [...]tileFunc{1: multiply1x4AVX2, 2: multiply2x2AVX2, 3: multiply3x2AVX2}
	wideWidenedAVX2 = [...]tileFunc{1: multiplyWidened1x4AVX2, 2: multiplyWidened2x2AVX2, 3: multiplyWidened3x2AVX2}
)

// prefetchOnce says whether tiles of AVX2 are best off prefetching rows with the first panel of a block alone. Those that have AVX-512 wait for memory
// more than they do for loads.
var prefetchOnce = !cpu.X86.HasAVX512F

func multiplyBlockAVX2(b block) {
	if b.rows == 0 {
		return
	}
	b.check()
	if b.half && !b.pairs {
		b.call(multiplyHalfAVX2, 0, 1)
		return
	}
	one, several := tileFunc(multiplyAVX2), wideAVX2[:]
	if b.pairs {
		one, several = multiplyWidenedAVX2, wideWidenedAVX2[:]
	}
	p := 0
	if step := panelsOfTile(b.rows); step > 1 && !b.linear {
		for ; p+step <= b.panels; p += step {
			b.call(several[b.rows], p, step)
		}
	}
	for ; p < b.panels; p++ {
		b.call(one, p, 1)
		b.noPrefetch = !b.linear && prefetchOnce
	}
}

func multiplyBlockAVX512(b block) {
	if b.rows == 0 {
		return
	}
	b.check()
	if b.half {
		b.call(multiplyHalfAVX2, 0, 1)
		return
	}
	if b.accumulate && b.depth <= shallow && b.rows <= shallowRows && !b.linear && !b.flush {
		multiplyShallowAVX512(first(b.c), first(b.a), first(b.b), b.ldc, b.lda, b.ldb, b.depth, b.rows, b.panels/2, 2*4*b.ldb*shallowAhead)
		if b.panels%2 != 0 {
			b.call(multiplyAVX512, b.panels-1, 1)
		}
		return
	}
	if b.slowToPrefetch() {
		multiplyBlockAVX2(b) // which prefetches into the second-level cache, and has the same bits
		return
	}
	for p := b.inPairs(false); p < b.panels; p++ {
		b.call(multiplyAVX512, p, 1)
	}
}

func outerBlockAVX2(b outerBlock) {
	b.check()
	for p := range b.panels {
		b.call(outerAVX2, p)
	}
}

func outerBlockAVX512(b outerBlock) { b.sweep(outer2AVX512, outerAVX512) }

func outerPairsBlock(b outerBlock) { b.sweep(outer2PairsAVX512, outerPairsAVX512) }

// sweep runs two on the panels by twos, and one on what is left.
func (b *outerBlock) sweep(two, one func(c, a, b *float32, ldc, lda, ldb, depth, rows int)) {
	b.check()
	p := 0
	for ; p+2 <= b.panels; p += 2 {
		b.call(two, p)
	}
	if p < b.panels {
		b.call(one, p)
	}
}

func packAVX2(panel, w []float32, in, rows int) {
	blocks := in / 8
	if rows < panelWidth || blocks == 0 {
		genericPack(panel, w, in, rows)
		return
	}
	_ = w[panelWidth*in-1]
	transposeAVX2(&panel[0], &w[0], panelWidth, in, blocks)
	transposeAVX2(&panel[8], &w[8*in], panelWidth, in, blocks)
	for i := blocks * 8; i < in; i++ {
		for o := range panelWidth {
			panel[i*panelWidth+o] = w[o*in+i]
		}
	}
}

func transposeBlocksAVX2(dst, src []float32, ldd, blocks int) {
	checkTranspose(dst, src, ldd, blocks)
	for j := range blocks {
		to, from := dst[j*ldd:], src[j*panelWidth*panelWidth:]
		transposeAVX2(&to[0], &from[0], panelWidth, panelWidth, 2)
		transposeAVX2(&to[8], &from[8*panelWidth], panelWidth, panelWidth, 2)
	}
}

func prefetchWordsAVX2(words []float32) {
	if len(words) > 0 {
		prefetchAVX2(&words[0], len(words)*4/cacheLine)
	}
}

func transposeBlocksAVX512(dst, src []float32, ldd, blocks int) {
	checkTranspose(dst, src, ldd, blocks)
	transpose16AVX512(&dst[0], &src[0], ldd, blocks)
}
