package credit

import "fmt"

// A Tree holds one number per joint action of every node of a rollout: rewards before discounting, returns after it.
// A node has no children (the last turn, or early termination) or exactly one per joint action, in the same order. Where the episode ends with
// some joint actions and goes on with others, the children of the former are empty: the zero value.
type Tree struct {
	Values   []float64 // one per joint action
	Children []Tree
}

// Returns computes discounted returns bottom-up (MAGRPO §2.1, step 7): R_j = r_j at a leaf, and
// R_j = r_j + discount·mean(returns of child j) elsewhere; nothing follows an empty child. The result has the shape of t.
func (t Tree) Returns(discount float64) (Tree, error) {
	if err := t.check(); err != nil {
		return Tree{}, err
	}
	return t.returns(discount), nil
}

func (t Tree) returns(discount float64) Tree {
	r := Tree{Values: append([]float64(nil), t.Values...)}
	for j, child := range t.Children {
		if child.empty() {
			r.Children = append(r.Children, child)
			continue
		}
		c := child.returns(discount)
		r.Values[j] += discount * average(c.Values)
		r.Children = append(r.Children, c)
	}
	return r
}

// check reports the first node whose number of children fits neither a leaf nor its joint actions.
func (t Tree) check() error {
	if len(t.Values) == 0 {
		return fmt.Errorf("reward tree: a node without joint actions")
	}
	if len(t.Children) != 0 && len(t.Children) != len(t.Values) {
		return fmt.Errorf("reward tree: a node with %d joint actions has %d children, want none or one each",
			len(t.Values), len(t.Children))
	}
	for _, c := range t.Children {
		if c.empty() {
			continue
		}
		if err := c.check(); err != nil {
			return err
		}
	}
	return nil
}

// empty says that nothing follows a joint action.
func (t Tree) empty() bool { return t.Values == nil && t.Children == nil }

// Walk visits every node in the order in which their environment steps happened: a node before its children, and a whole
// child before the next one. depth is 0 at the root. Empty children are left out.
func (t Tree) Walk(visit func(depth int, node Tree)) { t.walk(0, visit) }

func (t Tree) walk(depth int, visit func(int, Tree)) {
	visit(depth, t)
	for _, c := range t.Children {
		if !c.empty() {
			c.walk(depth+1, visit)
		}
	}
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
