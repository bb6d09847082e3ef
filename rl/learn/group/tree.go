package group

import (
	"math"
	"slices"

	"parley/rl/credit"
	"parley/rl/rollout"
)

// returnsOf computes the discounted returns of all joint actions, [node][joint action] with nodes indexed as in the episode. Its nodes name
// their parents; reward is what a joint action earns. [credit.Tree] wants a child for every joint action of a node, or none.
func returnsOf(e *rollout.Episode, discount float64, reward func(n *rollout.Node, j int) float64) ([][]float64, error) {
	children := make([]map[int]int, len(e.Nodes)) // joint action → child
	for i := range children {
		children[i] = map[int]int{}
	}
	for i, n := range e.Nodes {
		if n.Parent >= 0 {
			children[n.Parent][n.ParentAction] = i
		}
	}
	var order []int // nodes in the order in which credit's trees are walked
	var build func(i int) credit.Tree
	build = func(i int) credit.Tree {
		order = append(order, i)
		t := credit.Tree{Values: make([]float64, len(e.Nodes[i].Joint))}
		for j := range e.Nodes[i].Joint {
			t.Values[j] = reward(e.Nodes[i], j)
			if len(children[i]) == 0 {
				continue
			}
			child := credit.Tree{} // nothing follows
			if c, ok := children[i][j]; ok {
				child = build(c)
			}
			t.Children = append(t.Children, child)
		}
		return t
	}
	out := make([][]float64, len(e.Nodes))
	for root, n := range e.Nodes {
		if n.Parent >= 0 || e.FailedSample(n.Sample) {
			continue
		}
		order = order[:0]
		tree, err := build(root).Returns(discount)
		if err != nil {
			return nil, err
		}
		at := 0
		tree.Walk(func(_ int, n credit.Tree) {
			out[order[at]] = n.Values
			at++
		})
	}
	return out, nil
}

// depthFirst lists the nodes of an episode, by index, in the order of their environment steps: a node before its children, a
// whole child before the next (MAGRPO §2.4). A rollout advances turn by turn, so an episode has them breadth first. Buffers that fill
// up in the middle of an episode make the order matter.
func depthFirst(e *rollout.Episode) []int {
	children := make([][]int, len(e.Nodes))
	for i, n := range e.Nodes {
		if n.Parent >= 0 {
			children[n.Parent] = append(children[n.Parent], i)
		}
	}
	var out []int
	var visit func(i int)
	visit = func(i int) {
		out = append(out, i)
		for _, c := range children[i] {
			visit(c)
		}
	}
	for i, n := range e.Nodes {
		if n.Parent < 0 {
			visit(i)
		}
	}
	return out
}

// deadGroups returns the share of groups whose advantages are all zero, to 1e−6 of the width of what they are differences of: they teach
// nothing (MAGRPO §13).
func deadGroups(episodes []*rollout.Episode, width float64) float64 {
	dead, all := 0.0, 0.0
	for _, e := range episodes {
		if e.Samples() > 1 { // they are one group
			all++
			if !teaches(e, width) {
				dead++
			}
			continue
		}
		for _, n := range e.Nodes {
			for _, asked := range n.Agents {
				all++
				if !slices.ContainsFunc(asked.Completions, func(c rollout.Completion) bool { return math.Abs(c.Advantage) > 1e-6*width }) {
					dead++
				}
			}
		}
	}
	return dead / max(all, 1)
}

// teaches says that a completion of a problem's episodes has an advantage.
func teaches(e *rollout.Episode, width float64) bool {
	for _, n := range e.Nodes {
		for _, asked := range n.Agents {
			for _, c := range asked.Completions {
				if math.Abs(c.Advantage) > 1e-6*width {
					return true
				}
			}
		}
	}
	return false
}
