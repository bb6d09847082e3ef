package credit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawTree draws a tree of at most turns turns whose nodes terminate early on their own mean reward, as a rollout grows it.
func drawTree(t *rapid.T, actions, turns int, threshold *float64) Tree {
	n := Tree{Values: rapid.SliceOfN(rapid.Float64Range(-2, 2), actions, actions).Draw(t, "rewards")}
	if turns == 1 || Terminate(n.Values, threshold, 4) {
		return n
	}
	for range actions {
		n.Children = append(n.Children, drawTree(t, actions, turns-1, threshold))
	}
	return n
}

// Accounting with early termination (MAGRPO §2.2): every node's b environment steps either lead to b nodes or are leaves.
func TestCountsWithEarlyTermination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents, group := rapid.IntRange(1, 3).Draw(t, "agents"), rapid.IntRange(2, 3).Draw(t, "group")
		turns := rapid.IntRange(1, 3).Draw(t, "turns")
		threshold := rapid.Float64Range(-1, 1).Draw(t, "threshold")
		tree := drawTree(t, group, turns, &threshold)
		got := counts(tree, agents, group)
		full, err := TreeSize(Aligned, agents, group, turns)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case got.EnvSteps != got.Nodes*group, got.NodeSamples != got.Nodes*agents, got.Generations != got.NodeSamples*group:
			t.Fatalf("counts do not fit together: %+v", got)
		case got.Nodes != 1+got.EnvSteps-got.Leaves:
			t.Fatalf("%d nodes with %d steps and %d leaves", got.Nodes, got.EnvSteps, got.Leaves)
		case got.Nodes > full.Nodes || got.Generations > full.Generations:
			t.Fatalf("%+v is larger than the full tree %+v", got, full)
		}
		tree.Walk(func(depth int, n Tree) {
			if math.Abs(average(n.Values)-threshold) < 1e-8 {
				return // equal but for rounding: it goes on
			}
			if inner := len(n.Children) > 0; inner == (depth == turns-1 || average(n.Values) > threshold) {
				t.Fatalf("node of depth %d with mean %v expanded: %v", depth, average(n.Values), inner)
			}
		})
	})
}

func TestTreeSizeIsThatOfFullTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents, group := rapid.IntRange(1, 2).Draw(t, "agents"), rapid.IntRange(2, 3).Draw(t, "group")
		turns := rapid.IntRange(1, 3).Draw(t, "turns")
		mode := rapid.SampledFrom([]JointMode{Aligned, Cross}).Draw(t, "mode")
		want, err := TreeSize(mode, agents, group, turns)
		if err != nil {
			t.Fatal(err)
		}
		got := counts(fullTree(len(JointActions(mode, agents, group)), turns, 1), agents, group)
		if got.Branching = want.Branching; got != want {
			t.Fatalf("full tree has %+v, TreeSize says %+v", got, want)
		}
	})
}

// counts is the size of a tree, node by node, for agents that drew group samples each at every node.
func counts(t Tree, agents, group int) Size {
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

func fullTree(actions, turns int, reward float64) Tree {
	n := Tree{Values: slices.Repeat([]float64{reward}, actions)}
	if turns > 1 {
		n.Children = slices.Repeat([]Tree{fullTree(actions, turns-1, reward)}, actions)
	}
	return n
}

// With reward 1 everywhere the return is the sum of the discounts.
func TestReturnsOfConstantReward(t *testing.T) {
	const discount = 0.9
	returns, err := fullTree(3, 4, 1).Returns(discount)
	if err != nil {
		t.Fatal(err)
	}
	returns.Walk(func(depth int, n Tree) {
		want := (1 - math.Pow(discount, float64(4-depth))) / (1 - discount)
		for _, r := range n.Values {
			if math.Abs(r-want) > 1e-12 {
				t.Errorf("return %v at depth %d, want %v", r, depth, want)
			}
		}
	})
}

func TestReturnsLeaveRewardsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := drawTree(t, 2, 3, nil)
		root := slices.Clone(tree.Values)
		zero, err := tree.Returns(0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tree.Returns(0.9); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(tree.Values, root) || !slices.Equal(zero.Values, root) {
			t.Fatalf("rewards %v, now %v, returns without discount %v", root, tree.Values, zero.Values)
		}
	})
}

func TestReturnsErrors(t *testing.T) {
	leaf := Tree{Values: []float64{1, 2}}
	for name, tree := range map[string]Tree{
		"no joint actions": {},
		"one child of two": {Values: []float64{1, 2}, Children: []Tree{leaf}},
		"bad grandchild":   {Values: []float64{1}, Children: []Tree{{Values: []float64{}}}},
	} {
		if _, err := tree.Returns(1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestWalkIsDepthFirst(t *testing.T) {
	tree := Tree{Values: []float64{1, 1}, Children: []Tree{
		{Values: []float64{2, 2}, Children: []Tree{{Values: []float64{3}}, {Values: []float64{4}}}},
		{Values: []float64{5, 5}},
	}}
	var order []float64
	tree.Walk(func(_ int, n Tree) { order = append(order, n.Values[0]) })
	if want := []float64{1, 2, 3, 4, 5}; !slices.Equal(order, want) {
		t.Errorf("visited %v, want %v", order, want)
	}
}

func TestSizeRefusal(t *testing.T) {
	size, err := TreeSize(Cross, 2, 4, 2) // 136 generations
	if err != nil {
		t.Fatal(err)
	}
	if err := size.Refuse(136); err != nil {
		t.Errorf("refused at its own size: %v", err)
	}
	if err := size.Refuse(0); err != nil {
		t.Errorf("refused without a limit: %v", err)
	}
	if size.Refuse(135) == nil {
		t.Error("not refused")
	}
	if _, err := TreeSize(Cross, 4, 8, 6); err == nil {
		t.Error("a size beyond the range of int is returned")
	}
	for _, c := range [][3]int{{0, 2, 1}, {1, 0, 1}, {1, 2, 0}} {
		if _, err := TreeSize(Aligned, c[0], c[1], c[2]); err == nil {
			t.Errorf("agents, group, turns %v are accepted", c)
		}
		if _, err := ChainSize(c[0], c[1], c[2]); err == nil {
			t.Errorf("chain with agents, group, turns %v is accepted", c)
		}
	}
}

func TestRelativeThreshold(t *testing.T) {
	// A shift of the reward moves the threshold with it: the same nodes terminate.
	rewards, shifted := []float64{3.9, 3.8}, []float64{-0.1, -0.2}
	at, atShifted := RelativeThreshold(0.95, 0, 4), RelativeThreshold(0.95, -4, 0)
	if !Terminate(rewards, &at, 1) || !Terminate(shifted, &atShifted, 1) {
		t.Errorf("thresholds %v and %v do not terminate alike", at, atShifted)
	}
}

func TestChainErrorsAndDefaults(t *testing.T) {
	chain := released()
	if _, err := chain.Turn(0, 2, nil); err == nil {
		t.Error("an empty group is credited")
	}
	last, err := chain.Turn(1, 2, []float64{4, 4})
	if err != nil || last.Stop {
		t.Errorf("the last turn stops early: %+v, %v", last, err)
	}
	third, err := Chain{}.Turn(2, 3, []float64{50, -50})
	if err != nil || third.Weight != 1 || third.Advantages[0] != 50 {
		t.Errorf("a plain chain has no weights, clip or early end: %+v, %v", third, err)
	}
}

// TestTreeOfUnevenLength: where an episode ends with one joint action and goes on with the other, the former keeps its reward.
func TestTreeOfUnevenLength(t *testing.T) {
	tree := Tree{Values: []float64{1, 0}, Children: []Tree{{}, {Values: []float64{3, 1}}}}
	got, err := tree.Returns(0.5)
	if err != nil || got.Values[0] != 1 || got.Values[1] != 1 {
		t.Errorf("returns %v, %v; want 1 and 1", got.Values, err)
	}
	nodes := 0
	got.Walk(func(int, Tree) { nodes++ })
	if nodes != 2 {
		t.Errorf("%d nodes are walked, want 2", nodes)
	}
}

// TestUnevenTreeSize: a writer with 3 samples, two critics with 2 each, an editor with 1.
func TestUnevenTreeSize(t *testing.T) {
	for mode, want := range map[JointMode]Size{
		Aligned: {Nodes: 1 + 3 + 6, EnvSteps: 3 + 6 + 6, Generations: 3 + 3*4 + 6, Leaves: 6, NodeSamples: 1 + 6 + 6, Branching: 3},
		Cross:   {Nodes: 1 + 3 + 12, EnvSteps: 3 + 12 + 12, Generations: 3 + 3*4 + 12, Leaves: 12, NodeSamples: 1 + 6 + 12, Branching: 4},
	} {
		if got, err := UnevenTreeSize(mode, []int{1, 2, 1}, []int{3, 2, 1}); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", mode, got, err, want)
		}
	}
	got, err := EpisodesSize([]int{1, 2, 1}, 4)
	if want := (Size{Nodes: 12, EnvSteps: 12, Generations: 16, Leaves: 4, NodeSamples: 16, Branching: 1}); err != nil || got != want {
		t.Errorf("episodes: %+v, %v, want %+v", got, err, want)
	}
}
