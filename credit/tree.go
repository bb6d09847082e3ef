package credit

import "fmt"

// A Tree holds one number per joint action of every node of a rollout: rewards before discounting, returns after it.
// A node has no children (the last turn, or early termination) or exactly one per joint action, in the same order.
type Tree struct {
	Values   []float64 // one per joint action
	Children []Tree
}

// Returns computes discounted returns bottom-up (MAGRPO §2.1, step 7): R_j = r_j at a leaf, and
// R_j = r_j + discount·mean(returns of child j) elsewhere. The result has the shape of t.
func (t Tree) Returns(discount float64) (Tree, error) {
	if err := t.check(); err != nil {
		return Tree{}, err
	}
	return t.returns(discount), nil
}

func (t Tree) returns(discount float64) Tree {
	r := Tree{Values: append([]float64(nil), t.Values...)}
	for j, child := range t.Children {
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
		if err := c.check(); err != nil {
			return err
		}
	}
	return nil
}

// Walk visits every node in the order in which their environment steps happened: a node before its children, and a whole
// child before the next one. depth is 0 at the root.
func (t Tree) Walk(visit func(depth int, node Tree)) { t.walk(0, visit) }

func (t Tree) walk(depth int, visit func(int, Tree)) {
	visit(depth, t)
	for _, c := range t.Children {
		c.walk(depth+1, visit)
	}
}

// Counts says what t really cost, early termination included, for agents that drew group samples each at every node.
func (t Tree) Counts(agents, group int) Size {
	var s Size
	t.Walk(func(_ int, n Tree) {
		s.Nodes++
		s.EnvSteps += len(n.Values)
		if len(n.Children) == 0 {
			s.Leaves += len(n.Values)
		}
	})
	s.Generations = s.Nodes * agents * group
	s.NodeSamples = s.Nodes * agents
	return s
}

// A TurnMean summarises one depth of a tree: the means over its nodes of the node's mean reward and mean return.
type TurnMean struct {
	Reward float64
	Return float64
}

// TurnMeans returns the means per depth of a reward tree and of the return tree made from it.
func TurnMeans(rewards, returns Tree) []TurnMean {
	reward, ret := depthMeans(rewards), depthMeans(returns)
	means := make([]TurnMean, len(reward))
	for d := range means {
		means[d] = TurnMean{Reward: reward[d], Return: ret[d]}
	}
	return means
}

func depthMeans(t Tree) []float64 {
	var sums []float64
	var nodes []int
	t.Walk(func(depth int, n Tree) {
		if depth == len(sums) {
			sums, nodes = append(sums, 0), append(nodes, 0)
		}
		sums[depth] += average(n.Values)
		nodes[depth]++
	})
	for d := range sums {
		sums[d] /= float64(nodes[d])
	}
	return sums
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
