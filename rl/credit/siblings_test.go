package credit_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/credit"
)

// tree makes three roles out of leaves such as "110 100 111": drafts of groups of refinements. All texts differ.
func tree(drafts ...[]string) []credit.SiblingNode {
	var out []credit.SiblingNode
	for g, critiques := range drafts {
		draft := credit.SiblingNode{Text: fmt.Sprint("g", g)}
		for v, leaves := range critiques {
			critique := credit.SiblingNode{Text: fmt.Sprint("v", g, v)}
			for r, leaf := range leaves {
				critique.Children = append(critique.Children, credit.SiblingNode{Text: fmt.Sprint("r", g, v, r), Right: leaf == '1'})
			}
			draft.Children = append(draft.Children, critique)
		}
		out = append(out, draft)
	}
	return out
}

// TestTreeOfThePaper: the tree of the specification, in numbers of rows and pairs by role.
func TestTreeOfThePaper(t *testing.T) {
	nodes := tree([]string{"110", "100", "111"}, []string{"000", "001", "011"}, []string{"111", "000", "101"})
	rows, pairs := map[int]int{}, map[int]int{}
	var values []float64
	for _, v := range credit.JudgeSiblings(nodes) {
		if len(v.Path) == 1 {
			values = append(values, v.Value())
		}
		if v.Positive() {
			rows[len(v.Path)]++
		}
	}
	for _, p := range credit.SiblingPairs(nodes) {
		pairs[len(p.Parent)+1]++
	}
	if want := []float64{2. / 3, 1. / 3, 5. / 9}; !slices.Equal(values, want) {
		t.Errorf("values of drafts %v, want %v", values, want)
	}
	if fmt.Sprint(rows) != "map[1:2 2:5 3:14]" || fmt.Sprint(pairs) != "map[1:2 2:6 3:10]" {
		t.Errorf("rows %v, pairs %v", rows, pairs)
	}
}

func TestHalfIsNotPositive(t *testing.T) {
	nodes := tree([]string{"10", "10"}, []string{"11", "10"})
	for _, v := range credit.JudgeSiblings(nodes) {
		if half := v.Value() == 0.5; half && v.Positive() {
			t.Errorf("%+v is positive", v)
		}
	}
	if got := credit.SiblingPairs(nodes)[0]; got.Chosen != 1 || got.Rejected != 0 {
		t.Errorf("%+v", got)
	}
}

func TestUnscoredLeavesTakeNoPart(t *testing.T) {
	lost := credit.SiblingNode{Text: "lost", Unscored: true}
	nodes := []credit.SiblingNode{{Text: "a", Children: []credit.SiblingNode{lost, {Text: "b", Right: true}}}, {Text: "c", Children: []credit.SiblingNode{lost}}}
	v := credit.JudgeSiblings(nodes)
	if !v[0].Positive() || v[0].Leaves != 1 || v[3].Scored() || v[3].Positive() {
		t.Errorf("%+v", v)
	}
	if pairs := credit.SiblingPairs(nodes); len(pairs) != 0 {
		t.Errorf("pairs with what nobody scored: %v", pairs)
	}
}

// drawn is a tree of any shape with texts of a few letters, so that some are equal.
func drawn(t *rapid.T, depth int) []credit.SiblingNode {
	out := make([]credit.SiblingNode, rapid.IntRange(1, 4).Draw(t, "alternatives"))
	for i := range out {
		out[i] = credit.SiblingNode{Text: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "text"), Right: rapid.Bool().Draw(t, "right")}
		if depth > 1 {
			out[i].Children = drawn(t, depth-1)
		}
	}
	return out
}

// reversed is the tree with every family of siblings in the opposite order.
func reversed(nodes []credit.SiblingNode) []credit.SiblingNode {
	out := slices.Clone(nodes)
	slices.Reverse(out)
	for i := range out {
		out[i].Children = reversed(out[i].Children)
	}
	return out
}

// said are the pairs as texts from the first message on: the same for every order of siblings, as a set with numbers.
func said(nodes []credit.SiblingNode) map[string]int {
	out := map[string]int{}
	for _, p := range credit.SiblingPairs(nodes) {
		at, path := nodes, ""
		for _, i := range p.Parent {
			path += at[i].Text + "/"
			at = at[i].Children
		}
		out[path+at[p.Chosen].Text+">"+at[p.Rejected].Text]++
	}
	return out
}

func TestOrderDoesNotChangeThePairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := drawn(t, rapid.IntRange(1, 3).Draw(t, "depth"))
		if a, b := fmt.Sprint(said(nodes)), fmt.Sprint(said(reversed(nodes))); a != b {
			t.Fatalf("%s, and reversed %s", a, b)
		}
	})
}

// TestPairsAreOfOneFamily: a chosen child is positive, a rejected one is not, the texts differ, and families of one kind have no pair.
func TestPairsAreOfOneFamily(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := drawn(t, 3)
		positive := map[string]bool{}
		for _, v := range credit.JudgeSiblings(nodes) {
			positive[fmt.Sprint(v.Path)] = v.Positive()
		}
		of := func(p credit.SiblingPair, child int) string { return fmt.Sprint(append(slices.Clone(p.Parent), child)) }
		for _, p := range credit.SiblingPairs(nodes) {
			if !positive[of(p, p.Chosen)] || positive[of(p, p.Rejected)] {
				t.Fatalf("%+v", p)
			}
		}
		for i := range nodes {
			nodes[i].Text = "same"
		}
		for _, p := range credit.SiblingPairs(nodes) {
			if len(p.Parent) == 0 {
				t.Fatalf("%+v is of two equal texts", p)
			}
		}
	})
}
