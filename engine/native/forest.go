package native

import "slices"

// A segment is a run of tokens that continues its parent: what policies read and write is a forest of segments, one tree for each policy,
// first token and variant of rotary frequencies. A token sees the tokens of its segment's ancestors, root first, then those of its own segment up to itself.
// Sequences that begin with the same tokens share the segments of their common prefix.
type segment struct {
	parent   *segment // nil: a root
	tokens   []int
	start    int        // position of tokens[0] in its sequence: the tokens of all ancestors come before
	children []*segment // in order of their appearance in the data
	variant  int        // of the rotary frequencies, see Rope
	row      int        // packed row of tokens[0] in the current pass, where page is nil
	page     *page      // keys and values that outlive a pass; nil: they are in the panels of the pass, from token slot on
	slot     int
	offset   int // where tokens[0] is in the page
	computed int // tokens whose keys and values are in the page, or will be after the pass being put together
	pins     int // requests in flight that see the segment
	lastUsed int // when a request last asked for it, by the clock of [prefixCache]
}

func (s *segment) end() int { return s.start + len(s.tokens) }

// path returns the ancestors of s with tokens, root first, and s.
func (s *segment) path() []*segment {
	if s.parent == nil || s.parent.end() == 0 {
		return []*segment{s}
	}
	return append(s.parent.path(), s)
}

// at returns the packed row of the token at a position of the sequence that runs through s.
func (s *segment) at(position int) int {
	for position < s.start {
		s = s.parent
	}
	return s.row + position - s.start
}

// A forest grows from sequences, token by token shared where they begin alike.
type forest struct {
	policies []*policy // in order of appearance
	trees    map[*policy]*segment
	tokens   int // of all segments
	splits   int // a chain of segments is as it was as long as this number is
}

// find walks down as far as tokens are known under p in a variant. It returns the segment where the walk ends, how many of its tokens were
// matched, and the rest of tokens. A policy's top is an empty segment above its roots.
func (f *forest) find(p *policy, tokens []int, variant int) (at *segment, matched int, rest []int) {
	at = f.trees[p]
	if at == nil {
		return nil, 0, tokens
	}
	for matched == len(at.tokens) && len(tokens) > 0 {
		next := at.child(tokens[0], variant)
		if next == nil {
			break
		}
		at, matched = next, common(next.tokens, tokens)
		tokens = tokens[matched:]
	}
	return at, matched, tokens
}

func (s *segment) child(token, variant int) *segment {
	for _, c := range s.children {
		if c.tokens[0] == token && c.variant == variant {
			return c
		}
	}
	return nil
}

// common returns the length of the common prefix of a and b.
func common(a, b []int) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// missing counts the tokens that insert would add.
func (f *forest) missing(p *policy, tokens []int, variant int) int {
	_, _, rest := f.find(p, tokens, variant)
	return len(rest)
}

// follow adds a sequence and returns a segment from which [segment.at] finds its tokens. Unlike insert it cuts no segment where a sequence ends: one
// that goes on from the end of another, as the turns of a chat do, lengthens its segment, and one that is the beginning of another ends inside. Rows
// are the same as with insert, in the same order.
func (f *forest) follow(p *policy, tokens []int, variant int) *segment {
	at, matched, rest := f.find(p, tokens, variant)
	switch {
	case at == nil || at.parent == nil || matched < len(at.tokens) && len(rest) > 0 || len(at.children) > 0 && len(rest) > 0:
		return f.insert(p, tokens, variant)
	case len(rest) > 0:
		at.tokens = slices.Concat(at.tokens, rest)
		f.tokens += len(rest)
	}
	return at
}

// insert adds a sequence and returns the segment that it ends with. It stays the one when others split it later: what is
// split off is the upper part.
func (f *forest) insert(p *policy, tokens []int, variant int) *segment {
	if f.trees[p] == nil {
		if f.trees == nil {
			f.trees = map[*policy]*segment{}
		}
		f.trees[p] = &segment{}
		f.policies = append(f.policies, p)
	}
	at, matched, rest := f.find(p, tokens, variant)
	if matched < len(at.tokens) {
		at = at.split(matched)
		f.splits++
	}
	if len(rest) == 0 {
		return at
	}
	f.tokens += len(rest)
	s := &segment{parent: at, tokens: rest, start: at.end(), variant: variant}
	at.children = append(at.children, s)
	return s
}

// split cuts s after n tokens and returns the new upper part. Both go on sharing the page.
func (s *segment) split(n int) *segment {
	upper := *s
	upper.tokens, upper.computed, upper.children = s.tokens[:n:n], min(s.computed, n), []*segment{s}
	for i, c := range s.parent.children {
		if c == s {
			s.parent.children[i] = &upper
		}
	}
	if s.page != nil {
		s.page.references++
	}
	s.parent, s.tokens, s.start = &upper, s.tokens[n:], s.start+n
	s.offset, s.computed = s.offset+n, max(0, s.computed-n)
	return &upper
}

// walk calls visit for every segment, parents first, policy by policy.
func (f *forest) walk(visit func(p *policy, s *segment)) {
	for _, p := range f.policies {
		for _, root := range f.trees[p].children {
			root.walk(func(s *segment) { visit(p, s) })
		}
	}
}

func (s *segment) walk(visit func(*segment)) {
	visit(s)
	for _, c := range s.children {
		c.walk(visit)
	}
}
