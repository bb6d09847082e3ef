package form

import "slices"

// never is the distance of a node that no text leads on from to the end of its rule.
const never = 1 << 30

// measure computes how many bytes each node is from the end of its rule, a token counted as one, and takes out what leads nowhere.
func (r *rules) measure() {
	r.least = make([]int, len(r.nodes))
	for i, n := range r.nodes {
		r.least[i] = never
		if n.end {
			r.least[i] = 0
		}
	}
	// Nodes mostly lead to nodes made after them: going backwards, few rounds do.
	for changed := true; changed; {
		changed = false
		for i := len(r.nodes) - 1; i >= 0; i-- {
			if d := r.distance(&r.nodes[i]); d < r.least[i] {
				r.least[i], changed = d, true
			}
		}
	}
	for i := range r.nodes {
		r.nodes[i] = r.live(r.nodes[i])
	}
}

// distance is that of a node by those of the nodes that it leads to.
func (r *rules) distance(n *node) int {
	d := never
	if n.end {
		d = 0
	}
	for _, e := range n.edges {
		d = min(d, 1+r.least[e.next])
	}
	for _, t := range n.tokens {
		d = min(d, 1+r.least[t.next])
	}
	for _, c := range n.calls {
		d = min(d, r.shortest(c.rule)+r.least[c.next])
	}
	for _, next := range n.empty {
		d = min(d, r.least[next])
	}
	return d
}

// shortest is the least number of bytes of a text of a rule.
func (r *rules) shortest(rule int32) int { return r.least[r.start(rule)] }

// live is a node without what leads nowhere.
func (r *rules) live(n node) node {
	dead := func(next int32) bool { return r.least[next] >= never }
	return node{
		end:    n.end,
		edges:  slices.DeleteFunc(slices.Clone(n.edges), func(e edge) bool { return dead(e.next) }),
		tokens: slices.DeleteFunc(slices.Clone(n.tokens), func(t tokenEdge) bool { return dead(t.next) }),
		calls:  slices.DeleteFunc(slices.Clone(n.calls), func(c call) bool { return dead(r.start(c.rule)) || dead(c.next) }),
		empty:  slices.DeleteFunc(slices.Clone(n.empty), dead),
	}
}

// Of is the form's texts of those bytes that has holds; ok is false where there is none.
func (f *Form) Of(has *[256]bool) (own *Form, ok bool) {
	own = &Form{rules{nodes: slices.Clone(f.nodes), ends: f.ends}, f.root}
	for i := range own.nodes {
		own.nodes[i].edges = restrict(own.nodes[i].edges, has)
	}
	own.measure()
	return own, own.shortest(own.root) < never
}

// restrict cuts edges to the bytes that has holds.
func restrict(edges []edge, has *[256]bool) []edge {
	var out []edge
	for _, e := range edges {
		for b := int(e.from); b <= int(e.to); b++ {
			if !has[b] {
				continue
			}
			first := b
			for b < int(e.to) && has[b+1] {
				b++
			}
			out = append(out, edge{byte(first), byte(b), e.next})
		}
	}
	return out
}
