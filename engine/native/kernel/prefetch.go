package kernel

import "unsafe"

// Prefetch lists memory that is read after a product. The product prefetches it while it multiplies: arithmetic and memory work at the same
// time then, where one would wait for the other. It changes no number.
type Prefetch struct {
	spans []span
	bytes int
}

// A span is bytes of memory. They are only prefetched, never read.
type span struct {
	from  uintptr
	bytes int
}

// Clear empties the list.
func (s *Prefetch) Clear() { s.spans, s.bytes = s.spans[:0], 0 }

// Add adds the weights of a float32 matrix. Those of matrices that follow each other in memory become one span.
func (s *Prefetch) Add(m *Matrix) {
	next := span{uintptr(unsafe.Pointer(unsafe.SliceData(m.panels))), 4 * len(m.panels)}
	s.bytes += next.bytes
	if last := len(s.spans) - 1; last >= 0 && s.spans[last].from+uintptr(s.spans[last].bytes) == next.from {
		s.spans[last].bytes += next.bytes
		return
	}
	s.spans = append(s.spans, next)
}

// A prefetchQueue has what one unit of a product prefetches, and in how many calls of its tiles.
type prefetchQueue struct {
	spans []span
	at    int // bytes of the first span that have been prefetched
	left  int // bytes
	calls int
}

// part is what unit i of n prefetches.
func (s *Prefetch) part(i, n, calls int) prefetchQueue {
	if s == nil || calls == 0 {
		return prefetchQueue{}
	}
	from := s.bytes / cacheLine * i / n * cacheLine
	to := s.bytes / cacheLine * (i + 1) / n * cacheLine
	a := prefetchQueue{spans: s.spans, left: to - from, calls: calls}
	a.skip(from)
	return a
}

// skip passes over bytes, of which there are as many.
func (a *prefetchQueue) skip(bytes int) {
	for a.at += bytes; len(a.spans) > 0 && a.at >= a.spans[0].bytes; a.spans = a.spans[1:] {
		a.at -= a.spans[0].bytes
	}
}

// take returns where one call prefetches two streams of so many bytes: the second is apart from the first, and the same where a call need not prefetch
// more.
func (a *prefetchQueue) take(bytes int) prefetchStreams {
	if a.left <= 0 || len(a.spans) == 0 {
		return prefetchStreams{}
	}
	most := ceil(a.left+a.ends()*bytes, max(1, a.calls))
	a.calls--
	e := prefetchStreams{from: a.piece(bytes)}
	if most > bytes && a.left > 0 && len(a.spans) > 0 {
		e.apart = int(a.piece(bytes) - e.from)
	}
	return e
}

// ends is how many spans end before the last byte that is left: a stream that comes to such an end may prefetch next to nothing.
func (a *prefetchQueue) ends() int {
	n := 0
	for bytes := a.left + a.at; n < len(a.spans) && bytes > a.spans[n].bytes; n++ {
		bytes -= a.spans[n].bytes
	}
	return n
}

// piece returns where the next bytes are, at most so many: a piece ends where its span does.
func (a *prefetchQueue) piece(bytes int) uintptr {
	from := a.spans[0].from + uintptr(a.at)
	bytes = min(bytes, a.spans[0].bytes-a.at)
	a.left -= bytes
	a.skip(bytes)
	return from
}

// prefetchStreams is memory that a call of a tile prefetches instead of what follows its panels: two streams. The zero value: nothing.
type prefetchStreams struct {
	from  uintptr
	apart int // bytes from one stream to the other
}
