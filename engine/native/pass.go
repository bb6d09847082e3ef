package native

import "sort"

// A pass is a batch of packed tokens, never padded, that goes through one net together: rows of all its chunks, one after
// another.
type pass struct {
	chunks []chunk
	runs   []run
	tokens []int // [rows]
	at     []int // [rows] position of each in its sequence
	leaves int   // chunks that are one row at the end of a sequence, which no other row sees
}

// A chunk is the part of a segment that a pass computes: tokens from, ..., from+n-1, at packed rows row, ..., row+n-1.
type chunk struct {
	*segment
	from, n, row int
	path         []*segment // the segment's ancestors with tokens, root first, and itself
	// Rotary angles of layers with Config.Rope and of those with Config.Local, from ropeTables.grow.
	global, local *ropeTable
}

// chunkOf returns the index of the chunk that a packed row belongs to.
func (p *pass) chunkOf(row int) int {
	return sort.Search(len(p.chunks), func(i int) bool { return p.chunks[i].row+p.chunks[i].n > row })
}

// A run is a number of consecutive rows of one policy.
type run struct {
	policy   *policy
	from, to int // rows
}

func (p *pass) rows() int { return len(p.tokens) }

// reset empties the pass, and keeps its memory.
func (p *pass) reset() {
	p.chunks, p.runs, p.tokens, p.at = p.chunks[:0], p.runs[:0], p.tokens[:0], p.at[:0]
	p.leaves = 0
}

// independent says whether no row sees another, as in decoding.
func (p *pass) independent() bool { return p.leaves == len(p.chunks) }

// addLeaf appends the last token of s, a segment that no other row of the pass sees.
func (p *pass) addLeaf(pol *policy, s *segment, path []*segment) {
	p.add(pol, s, path, len(s.tokens)-1, 1)
	p.leaves++
}

// add appends tokens from, ..., from+n-1 of s, whose path is given.
func (p *pass) add(pol *policy, s *segment, path []*segment, from, n int) {
	row := p.rows()
	p.chunks = append(p.chunks, chunk{segment: s, from: from, n: n, row: row, path: path})
	for i := range n {
		p.tokens = append(p.tokens, s.tokens[from+i])
		p.at = append(p.at, s.start+from+i)
	}
	if last := len(p.runs) - 1; last >= 0 && p.runs[last].policy == pol {
		p.runs[last].to += n
		return
	}
	p.runs = append(p.runs, run{policy: pol, from: row, to: row + n})
}

// pack returns the pass over all segments of the forest whose policies belong to n, in the memory of p.
func (f *forest) pack(p *pass, n *net) *pass {
	p.reset()
	f.walk(func(pol *policy, s *segment) {
		if pol.net == n {
			s.row = p.rows()
			p.add(pol, s, s.path(), 0, len(s.tokens))
		}
	})
	return p
}

// nets lists the nets of the forest's policies in order of appearance.
func (f *forest) nets() []*net {
	var nets []*net
	seen := map[*net]bool{}
	for _, p := range f.policies {
		if !seen[p.net] {
			seen[p.net] = true
			nets = append(nets, p.net)
		}
	}
	return nets
}

// ranks are those of the adapters of all runs.
func (p *pass) ranks() ranks {
	var all ranks
	for _, r := range p.runs {
		all = all.max(r.policy.ranks)
	}
	return all
}
