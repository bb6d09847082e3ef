package native

import (
	"cmp"
	"maps"
	"slices"

	"parley/engine/native/kernel"
)

const (
	pageTokens = 64 // capacity of a page that a completion grows into
	pageStep   = 16 // capacities are multiples of it
	// joinedTokens is the capacity of a page that a chat grows into, turn by turn.
	joinedTokens = 128
)

// A pagePool hands pages out and keeps those that come back for the next one of the same capacity.
type pagePool struct {
	free               map[pageKind][]*page
	pages              map[*page]bool // all that there are
	tokens, freeTokens int            // capacity of all pages, and of the free ones among them
}

// A pageKind is a capacity in tokens, and whether it is for bfloat16.
type pageKind struct {
	capacity int
	bf16     bool
}

// CompletionRoom is how many tokens' memory a completion of so many keeps, and how much more it takes while it grows: its last page
// goes to the next one if a smaller one will do. Its last token has no keys and values, as nothing was drawn after it.
func CompletionRoom(tokens int) (kept, growing int) {
	stored := max(tokens-1, 0)
	kept = pageCapacity(stored)
	if last := stored % pageTokens; last > 0 && pageTokens-last >= pageStep {
		growing = pageTokens
	}
	return kept, growing
}

// pageCapacity is the capacity of the page that so many tokens get.
func pageCapacity(tokens int) int { return (tokens + pageStep - 1) / pageStep * pageStep }

// get returns a page for tokens of a net.
func (pool *pagePool) get(c *shape, n *net, tokens int) *page {
	kind := pageKind{pageCapacity(tokens), n.lowPrecision}
	if free := pool.free[kind]; len(free) > 0 {
		last := len(free) - 1
		p := free[last]
		free[last], pool.free[kind] = nil, free[:last]
		pool.freeTokens -= kind.capacity
		p.references = 1
		clear(p.cached)
		return p
	}
	pool.tokens += kind.capacity
	p := &page{pageKind: kind, data: kernel.NewStream(c.pageFloats(kind.capacity), kind.bf16), references: 1}
	if pool.pages == nil {
		pool.pages = map[*page]bool{}
	}
	pool.pages[p] = true
	return p
}

// release gives a page back that one segment no longer needs.
func (pool *pagePool) release(p *page) {
	if p.references--; p.references > 0 {
		return
	}
	if pool.free == nil {
		pool.free = map[pageKind][]*page{}
	}
	pool.free[p.pageKind] = append(pool.free[p.pageKind], p)
	pool.freeTokens += p.capacity
}

// drop lets free pages go, large ones first, until those that are left have at most so much capacity.
func (pool *pagePool) drop(most int) {
	for _, kind := range slices.SortedFunc(maps.Keys(pool.free), func(a, b pageKind) int { return cmp.Compare(b.capacity, a.capacity) }) {
		for free := pool.free[kind]; len(free) > 0 && pool.tokens > most; free = pool.free[kind] {
			free[len(free)-1].data.Free()
			delete(pool.pages, free[len(free)-1])
			free[len(free)-1] = nil
			pool.free[kind] = free[:len(free)-1]
			pool.tokens, pool.freeTokens = pool.tokens-kind.capacity, pool.freeTokens-kind.capacity
		}
	}
}

// close gives the memory of all pages back, also of those that are in use.
func (pool *pagePool) close() {
	for p := range pool.pages {
		p.data.Free()
	}
	*pool = pagePool{}
}

func (c *shape) pageFloats(tokens int) int { return c.Layers * c.panelFloats(tokens) }
