package native

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A forest holds each sequence as the chain that ends at its segment, shares every common prefix, and packs each token once.
func TestForestSharesPrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := &net{}
		policies := []*policy{{net: n}, {net: n}}
		type sequence struct {
			policy *policy
			tokens []int
			end    *segment
		}
		var f forest
		var all []sequence
		for range rapid.IntRange(1, 12).Draw(t, "sequences") {
			s := sequence{
				policy: rapid.SampledFrom(policies).Draw(t, "policy"),
				tokens: rapid.SliceOfN(rapid.IntRange(0, 2), 1, 8).Draw(t, "tokens"),
			}
			before, missing := f.tokens, f.missing(s.policy, s.tokens, 0)
			s.end = f.insert(s.policy, s.tokens, 0)
			if f.tokens-before != missing {
				t.Fatalf("%d tokens were missing, %d were added", missing, f.tokens-before)
			}
			all = append(all, s)
		}
		p := f.packed(n)
		prefixes := map[*policy]map[string]bool{policies[0]: {}, policies[1]: {}}
		for _, s := range all {
			checkSequence(t, p, s.policy, s.tokens, s.end)
			for i := range s.tokens {
				prefixes[s.policy][string(runes(s.tokens[:i+1]))] = true
			}
		}
		if want := len(prefixes[policies[0]]) + len(prefixes[policies[1]]); p.rows() != want || f.tokens != want {
			t.Fatalf("%d rows and %d tokens for %d different prefixes", p.rows(), f.tokens, want)
		}
	})
}

func runes(tokens []int) []rune {
	r := make([]rune, len(tokens))
	for i, t := range tokens {
		r[i] = rune('a' + t)
	}
	return r
}

// checkSequence follows a sequence through the packed rows.
func checkSequence(t *rapid.T, p *pass, pol *policy, tokens []int, end *segment) {
	if end.end() != len(tokens) {
		t.Fatalf("the segment of %v ends at %d", tokens, end.end())
	}
	var along []int
	for _, s := range end.path() {
		along = append(along, s.tokens...)
	}
	if !slices.Equal(along, tokens) {
		t.Fatalf("the path holds %v, want %v", along, tokens)
	}
	for i, id := range tokens {
		r := end.at(i)
		if p.tokens[r] != id || p.at[r] != i {
			t.Fatalf("position %d of %v is row %d, which holds token %d at position %d", i, tokens, r, p.tokens[r], p.at[r])
		}
		if !slices.ContainsFunc(p.runs, func(u run) bool { return u.policy == pol && u.from <= r && r < u.to }) {
			t.Fatalf("row %d is in no run of its policy", r)
		}
	}
}

// Trees are whole: no chunk sees a segment of another tree.
func TestTreesAreIndependent(t *testing.T) {
	var f forest
	p := &policy{net: &net{}}
	for _, s := range [][]int{{1, 2, 3}, {2, 2}, {1, 2, 4}, {1}, {2, 5, 6}} {
		f.insert(p, s, 0)
	}
	packed := f.packed(p.net)
	trees := packed.trees()
	if len(trees) != 2 {
		t.Fatalf("%d trees, want 2", len(trees))
	}
	for i, tree := range trees {
		for _, c := range packed.chunks[tree.from:tree.to] {
			if first := c.path[0].tokens[0]; first != i+1 {
				t.Errorf("tree %d has a chunk that begins with %d", i, first)
			}
		}
	}
}

// trees groups the chunks into whole trees: nothing in one depends on another. Bounds are indices of chunks.
func (p *pass) trees() []run {
	var t []run
	for i, c := range p.chunks {
		if i > 0 && c.path[0] == p.chunks[i-1].path[0] {
			t[len(t)-1].to++
			continue
		}
		t = append(t, run{from: i, to: i + 1})
	}
	return t
}

// packed is pack in new memory.
func (f *forest) packed(n *net) *pass { return f.pack(&pass{}, n) }

func TestArenaReuse(t *testing.T) {
	var a arena
	first := a.floats(10)
	m := a.mark
	second := a.floats(blockFloats)
	first[0], second[0] = 1, 2
	a.release(m)
	again := a.floats(5)
	if clear(again); first[0] != 1 {
		t.Error("a released buffer overlaps one that was kept")
	}
	blocks := len(a.blocks)
	a.reset()
	a.floats(10)
	a.floats(blockFloats)
	if len(a.blocks) != blocks || a.peak < blockFloats {
		t.Errorf("%d blocks for what %d held; the peak was %d values", len(a.blocks), blocks, a.peak)
	}
	if a.close(); len(a.blocks) != 0 {
		t.Error("a closed arena has blocks")
	}
}
