package tokenizer

// heapFrom is the number of symbols from which a heap finds the next merge faster than looking at all pairs.
const heapFrom = 48

// mergeAll applies merges to symbols until none applies, and returns what is left (in place).
func (t *pairTable) mergeAll(symbols []int32, w *worker) []int32 {
	if len(symbols) < 2 {
		return symbols
	}
	if len(symbols) < heapFrom {
		return t.mergeScan(symbols, w)
	}
	return t.mergeHeap(symbols, w)
}

// mergeScan looks at all pairs for each merge.
func (t *pairTable) mergeScan(symbols []int32, w *worker) []int32 {
	pairs := w.pairs[:0] // pairs[i] is symbols[i], symbols[i+1]
	for i := range len(symbols) - 1 {
		pairs = append(pairs, t.pair(symbols, i))
	}
	for {
		best, at := int32(noMerge), -1
		for i := range pairs {
			if pairs[i].rank < best {
				best, at = pairs[i].rank, i
			}
		}
		if at < 0 {
			w.pairs = pairs
			return symbols
		}
		symbols[at] = pairs[at].into
		symbols = append(symbols[:at+1], symbols[at+2:]...)
		pairs = append(pairs[:at], pairs[at+1:]...)
		if at > 0 {
			pairs[at-1] = t.pair(symbols, at-1)
		}
		if at < len(pairs) {
			pairs[at] = t.pair(symbols, at)
		}
	}
}

// candidate is what the pair at one place would become.
type candidate struct{ rank, into int32 }

func (t *pairTable) pair(symbols []int32, i int) candidate {
	rank, into := t.get(symbols[i], symbols[i+1])
	return candidate{rank, into}
}

// A link is a symbol in a list of those that are left.
type link struct {
	symbol     int32 // -1: joined to the one before
	prev, next int32 // -1: none
}

// A place is a candidate in the heap, ordered by rank, then from left to right.
type place struct {
	rank, at int32
	into     int32
}

func (a place) before(b place) bool { return a.rank < b.rank || a.rank == b.rank && a.at < b.at }

// mergeHeap keeps the candidates in a heap, for long words: n symbols take O(n log n).
func (t *pairTable) mergeHeap(symbols []int32, w *worker) []int32 {
	links := w.links[:0]
	for i, s := range symbols {
		links = append(links, link{s, int32(i - 1), int32(i + 1)})
	}
	links[len(links)-1].next = -1
	w.links = links
	h := placeHeap{w.places[:0]}
	for i := range len(links) - 1 {
		h.add(t, links, int32(i))
	}
	h.order()
	for len(h.places) > 0 {
		p := h.pop()
		if t.join(links, p) {
			h.push(t, links, links[p.at].prev)
			h.push(t, links, p.at)
		}
	}
	w.places = h.places
	out := symbols[:0]
	for i := int32(0); i >= 0; i = links[i].next {
		out = append(out, links[i].symbol)
	}
	return out
}

// join merges the pair at p, unless its symbols have changed since p entered the heap.
func (t *pairTable) join(links []link, p place) bool {
	left := &links[p.at]
	if left.symbol < 0 || left.next < 0 {
		return false
	}
	right := &links[left.next]
	if _, into := t.get(left.symbol, right.symbol); into != p.into {
		return false
	}
	left.symbol, right.symbol = p.into, -1
	left.next = right.next
	if left.next >= 0 {
		links[left.next].prev = p.at
	}
	return true
}

// placeHeap is a binary heap.
type placeHeap struct{ places []place }

// add appends the candidate at i, if there is one, without keeping the order.
func (h *placeHeap) add(t *pairTable, links []link, i int32) bool {
	if i < 0 || links[i].next < 0 {
		return false
	}
	rank, into := t.get(links[i].symbol, links[links[i].next].symbol)
	if into < 0 {
		return false
	}
	h.places = append(h.places, place{rank, i, into})
	return true
}

func (h *placeHeap) push(t *pairTable, links []link, i int32) {
	if !h.add(t, links, i) {
		return
	}
	for c := len(h.places) - 1; c > 0; {
		parent := (c - 1) / 2
		if !h.places[c].before(h.places[parent]) {
			return
		}
		h.places[c], h.places[parent] = h.places[parent], h.places[c]
		c = parent
	}
}

func (h *placeHeap) pop() place {
	top, last := h.places[0], len(h.places)-1
	h.places[0] = h.places[last]
	h.places = h.places[:last]
	h.down(0)
	return top
}

// order makes a heap of places in any order.
func (h *placeHeap) order() {
	for i := len(h.places)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *placeHeap) down(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h.places); c++ {
			if h.places[c].before(h.places[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		h.places[i], h.places[least] = h.places[least], h.places[i]
		i = least
	}
}
