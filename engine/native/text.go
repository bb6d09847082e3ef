package native

import (
	"cmp"
	"slices"
)

// A text is the memory of what policies read and wrote: a forest of segments with keys and values, kept from call to call. The
// next turn of a debate, which begins with the turns before it, computes only what is new.
//
// A segment is valid as long as the policy's parameters are those that computed it: a step or a load forgets the policy. What
// was not used for longest goes first where the pages come to their limit; segments that a request in flight sees stay.
type text struct {
	forest forest
	pages  pagePool
	limit  int // tokens that all pages together have room for
	clock  int
}

// open returns the segment that tokens end with. It and its ancestors have pages, and stay until they are unpinned.
func (t *text) open(c *shape, p *policy, tokens []int, variant int) *segment {
	end := t.forest.insert(p, tokens, variant)
	t.clock++
	for g := end; g.parent != nil; g = g.parent {
		g.used = t.clock
		g.pins++
	}
	if end.page == nil && len(end.tokens) > 0 {
		t.makeRoom(roomFor(len(end.tokens)))
		end.page = t.pages.get(c, p.net, len(end.tokens))
	}
	return end
}

// adopt makes g, whose parent is in the text and whose keys and values are all computed, a part of it.
func (t *text) adopt(g *segment) {
	t.clock++
	g.used, g.filled = t.clock, len(g.tokens)
	g.parent.children = append(g.parent.children, g)
	t.forest.tokens += len(g.tokens)
}

// unpin ends the claim of a request on its text.
func (t *text) unpin(end *segment) {
	for g := end; g != nil && g.parent != nil; g = g.parent {
		g.pins--
	}
}

// unpinned counts the tokens of a text that no request in flight holds, in the memory or not.
func (t *text) unpinned(p *policy, tokens []int, variant int) int {
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

// makeRoom forgets text until the pages have room for n more tokens within the limit, as far as requests in flight allow.
func (t *text) makeRoom(n int) {
	if t.pages.tokens+n <= t.limit {
		return
	}
	t.shrink(t.limit - t.limit/8 - n) // a little more than needed, so that it is seldom
}

// shrink forgets text, what was not used for longest first, until the pages have room for at most so many tokens, as far as requests in flight allow.
func (t *text) shrink(target int) {
	if busy := t.pages.tokens - t.pages.idle; busy > target {
		var leaves []*segment
		t.forest.walk(func(_ *policy, g *segment) {
			if len(g.children) == 0 && g.pins == 0 {
				leaves = append(leaves, g)
			}
		})
		slices.SortFunc(leaves, func(a, b *segment) int { return cmp.Compare(a.used, b.used) })
		for _, g := range leaves {
			t.prune(g, target)
		}
	}
	t.pages.drop(target)
}

// prune forgets a segment that nobody continues or holds, and then its ancestors likewise, while pages for more than most tokens
// are in use.
func (t *text) prune(g *segment, most int) {
	for t.pages.tokens-t.pages.idle > most && g.parent != nil && len(g.children) == 0 && g.pins == 0 {
		t.remove(g)
		g = g.parent
	}
}

// remove takes a segment without children out of its tree.
func (t *text) remove(g *segment) {
	t.pages.put(g.page)
	t.forest.tokens -= len(g.tokens)
	g.parent.children = slices.DeleteFunc(g.parent.children, func(c *segment) bool { return c == g })
}

// forget drops all text of a policy.
func (t *text) forget(p *policy) {
	top := t.forest.trees[p]
	if top == nil {
		return
	}
	top.walk(func(g *segment) {
		if g != top {
			t.pages.put(g.page)
			t.forest.tokens -= len(g.tokens)
		}
	})
	delete(t.forest.trees, p)
	t.forest.policies = slices.DeleteFunc(t.forest.policies, func(q *policy) bool { return q == p })
}

// forget drops all text of a policy that has changed, and lets the next sampling begin anew with what is kept.
func (e *Engine) forget(p *policy) {
	e.text.forget(p)
	e.kept.over = true
}

// clear drops everything, and gives the memory of all pages back, also of those that requests hold.
func (t *text) clear() {
	t.pages.close()
	*t = text{limit: t.limit}
}
