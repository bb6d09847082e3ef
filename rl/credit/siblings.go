package credit

// This file says which messages of a tree of alternatives were good, and pairs them with their siblings (MALT, arXiv 2412.01928, §3.2).
//
// Each role of a chain draws several alternatives to every message above it, down to the leaves, which are right or wrong. A value goes up as the
// share of right leaves below a message. With equal fan-outs it is the mean of the children's values:
//
//	V(leaf) = 1[right]
//	V(node) = right leaves below / scored leaves below
//
// A message is positive iff V > ½, and exactly ½ is not. Counts are compared, 2·right > leaves: a sum of thirds is not exact.
//
// Two things are learned from:
//
//	rows    every positive message, for supervised training          [Judge]
//	pairs   a positive and another message of one parent, for DPO    [Pairs]
//
// SiblingPairs are made among siblings alone: they answer one prompt. Two that say the same are no pair. Under DPO the binarised value has the optimum
// π*(a|h) ∝ π_ref(a|h)·exp(Q/β).
//
// Package [parley/rl/credit/workflow] credits the same trees with numbers, for a policy gradient.

import "slices"

// A SiblingNode is one alternative of a message. A node without children is a leaf.
type SiblingNode struct {
	Text     string // what was said
	Right    bool   // of a leaf
	Unscored bool   // a leaf that could not be scored: it does not count
	Children []SiblingNode
}

// A SiblingVerdict is what the leaves below a message say of it.
type SiblingVerdict struct {
	Path          []int // indices of the alternatives from the first message on; its length is the depth
	Right, Leaves int   // scored leaves below it, or itself
}

// Scored says whether anything below was scored. Otherwise the message takes no part.
func (v SiblingVerdict) Scored() bool { return v.Leaves > 0 }

// Value is the share of right leaves; 0 without scored ones.
func (v SiblingVerdict) Value() float64 { return float64(v.Right) / float64(max(v.Leaves, 1)) }

// Positive says whether more than half of the leaves are right.
func (v SiblingVerdict) Positive() bool { return 2*v.Right > v.Leaves }

// JudgeSiblings returns the verdict on every message of a tree, depth first, so that those of one depth are in the order of their paths. tree lists the
// alternatives of the first message.
func JudgeSiblings(tree []SiblingNode) []SiblingVerdict {
	var out []SiblingVerdict
	walk(tree, nil, func(v SiblingVerdict, _ SiblingNode) { out = append(out, v) }, func([]int, []SiblingNode, []SiblingVerdict) {})
	return out
}

// A SiblingPair is a positive message and one that is not, under the same parent.
type SiblingPair struct {
	Parent           []int // path; empty: the first message
	Chosen, Rejected int   // indices among the parent's children
}

// SiblingPairs returns all pairs of siblings with different texts. Those of one depth are in the order of their parents, then of the chosen and of the
// rejected one.
func SiblingPairs(tree []SiblingNode) []SiblingPair {
	var out []SiblingPair
	walk(tree, nil, func(SiblingVerdict, SiblingNode) {}, func(parent []int, nodes []SiblingNode, verdicts []SiblingVerdict) {
		for c, chosen := range verdicts {
			for r, rejected := range verdicts {
				if chosen.Positive() && rejected.Scored() && !rejected.Positive() && nodes[c].Text != nodes[r].Text {
					out = append(out, SiblingPair{Parent: parent, Chosen: c, Rejected: r})
				}
			}
		}
	})
	return out
}

// walk visits every message before those below it, and each family of siblings before the families below it.
func walk(nodes []SiblingNode, parent []int, message func(SiblingVerdict, SiblingNode), family func(parent []int, nodes []SiblingNode, verdicts []SiblingVerdict)) {
	verdicts := make([]SiblingVerdict, len(nodes))
	for i, n := range nodes {
		verdicts[i].Path = append(slices.Clone(parent), i)
		verdicts[i].Right, verdicts[i].Leaves = n.count()
	}
	family(parent, nodes, verdicts)
	for i, n := range nodes {
		message(verdicts[i], n)
		if len(n.Children) > 0 {
			walk(n.Children, verdicts[i].Path, message, family)
		}
	}
}

// count returns how many scored leaves are below a message, and how many of them are right.
func (n SiblingNode) count() (right, leaves int) {
	switch {
	case len(n.Children) > 0:
	case n.Unscored:
		return 0, 0
	case n.Right:
		return 1, 1
	default:
		return 0, 1
	}
	for _, c := range n.Children {
		r, l := c.count()
		right, leaves = right+r, leaves+l
	}
	return right, leaves
}
