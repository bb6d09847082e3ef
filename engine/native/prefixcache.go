package native

import (
	"cmp"
	"slices"
)

// A prefixCache keeps the keys and values of what policies read and wrote from call to call, in a forest of segments (a radix tree for each
// policy). The next turn of a debate, which begins with the turns before it, computes only what is new.
//
// A segment is valid as long as the policy's parameters are those that computed it: a step or a load forgets the policy. When
// the pages reach their limit, the segments that were not used for longest are dropped first. Segments that a request in
// flight sees stay.
type prefixCache struct {
	forest forest
	pages  pagePool
	limit  int // tokens that all pages together have room for
	clock  int
}

// acquire returns the segment that tokens end with. It and its ancestors have pages, and stay until they are released. own is a segment that the
// caller holds already, or nil.
func (t *prefixCache) acquire(e *Engine, p *policy, tokens []int, variant int, own *segment) *segment {
	end := t.lengthen(e, p, tokens, variant, own)
	if end == nil {
		end = t.forest.insert(p, tokens, variant)
	}
	t.clock++
	for g := end; g.parent != nil; g = g.parent {
		g.lastUsed = t.clock
		g.pins++
	}
	if end.page == nil && len(end.tokens) > 0 {
		t.makeRoom(pageCapacity(len(end.tokens)))
		end.page = t.pages.get(&e.shape, p.net, len(end.tokens))
	}
	return end
}

// lengthen lets the segment that tokens go on from have all of them, where nothing else continues it and nobody but the caller holds it: a chat of
// many turns, of which each adds a little, has its keys and values in a few long runs, over which attention is fast. It moves to a page of
// pageTokens and then of joinedTokens once its own is full. nil: it goes on in a segment of its own.
func (t *prefixCache) lengthen(e *Engine, p *policy, tokens []int, variant int, own *segment) *segment {
	at, matched, rest := t.forest.find(p, tokens, variant)
	if at == nil || at.page == nil || matched < len(at.tokens) || len(rest) == 0 || len(at.children) > 0 || at.pins > 1 || at.pins == 1 && at != own {
		return nil
	}
	n := len(at.tokens) + len(rest)
	if at.offset+n > at.page.capacity {
		if n > joinedTokens || own != nil && at != own { // the pages that a completion has filled stay as they are
			return nil
		}
		room := pageTokens // beside what it has, no more than a completion takes while it grows
		if n > room {
			room = joinedTokens
		}
		t.move(e, p.net, at, room)
	}
	clear(at.page.cachedFrom(at.offset + len(at.tokens)))
	at.tokens = slices.Concat(at.tokens, rest)
	t.forest.tokens += len(rest)
	return at
}

// move brings a segment to a page of its own with room for n tokens.
func (t *prefixCache) move(e *Engine, of *net, g *segment, n int) {
	g.pins++ // it has to stay
	t.makeRoom(n)
	g.pins--
	to := t.pages.get(&e.shape, of, n)
	to.copyTokens(e.k, &e.shape, 0, g.page, g.offset, len(g.tokens))
	to.copyCached(0, g.page, g.offset, len(g.tokens))
	t.pages.release(g.page)
	g.page, g.offset = to, 0
}

// adopt makes g, whose parent is in the cache and whose keys and values are all computed, a part of it.
func (t *prefixCache) adopt(g *segment) {
	t.clock++
	g.lastUsed, g.computed = t.clock, len(g.tokens)
	g.parent.children = append(g.parent.children, g)
	t.forest.tokens += len(g.tokens)
}

// release ends the claim of a request on its segments.
func (t *prefixCache) release(end *segment) {
	for g := end; g != nil && g.parent != nil; g = g.parent {
		g.pins--
	}
}

// unpinned counts those of the tokens that no request in flight holds, cached or not.
func (t *prefixCache) unpinned(p *policy, tokens []int, variant int) int {
	at, matched, rest := t.forest.find(p, tokens, variant)
	n := len(rest)
	for ; at != nil && at.parent != nil; at = at.parent {
		if at.pins == 0 {
			n += matched
		}
		matched = len(at.parent.tokens)
	}
	return n
}

// makeRoom evicts segments until the pages have room for n more tokens within the limit, as far as requests in flight allow.
func (t *prefixCache) makeRoom(n int) {
	if t.pages.tokens+n <= t.limit {
		return
	}
	t.evict(t.limit - t.limit/8 - n) // a little more than needed, so that it is seldom
}

// evict forgets segments, the least recently used first, until the pages have room for at most so many tokens, as far as requests in flight allow.
func (t *prefixCache) evict(target int) {
	if busy := t.pages.tokens - t.pages.freeTokens; busy > target {
		var leaves []*segment
		t.forest.walk(func(_ *policy, g *segment) {
			if len(g.children) == 0 && g.pins == 0 {
				leaves = append(leaves, g)
			}
		})
		slices.SortFunc(leaves, func(a, b *segment) int { return cmp.Compare(a.lastUsed, b.lastUsed) })
		for _, g := range leaves {
			t.prune(g, target)
		}
	}
	t.pages.drop(target)
}

// prune forgets a segment that nobody continues or holds, and then its ancestors likewise, while pages for more than most tokens
// are in use.
func (t *prefixCache) prune(g *segment, most int) {
	for t.pages.tokens-t.pages.freeTokens > most && g.parent != nil && len(g.children) == 0 && g.pins == 0 {
		t.remove(g)
		g = g.parent
	}
}

// remove takes a segment without children out of its tree.
func (t *prefixCache) remove(g *segment) {
	t.pages.release(g.page)
	t.forest.tokens -= len(g.tokens)
	g.parent.children = slices.DeleteFunc(g.parent.children, func(c *segment) bool { return c == g })
}

// forget drops all segments of a policy.
func (t *prefixCache) forget(p *policy) {
	top := t.forest.trees[p]
	if top == nil {
		return
	}
	top.walk(func(g *segment) {
		if g != top {
			t.pages.release(g.page)
			t.forest.tokens -= len(g.tokens)
		}
	})
	delete(t.forest.trees, p)
	t.forest.policies = slices.DeleteFunc(t.forest.policies, func(q *policy) bool { return q == p })
}

// forget drops all that is cached of a policy that has changed, and lets the next sampling empty the activation cache.
func (e *Engine) forget(p *policy) {
	e.prefixCache.forget(p)
	e.activations.stale = true
}

// clear drops everything, and gives the memory of all pages back, also of those that requests hold.
func (t *prefixCache) clear() {
	t.pages.close()
	*t = prefixCache{limit: t.limit}
}
