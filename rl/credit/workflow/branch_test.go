package workflow_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/credit"
	"parley/rl/credit/workflow"
)

// tree draws alternatives with as many children at every depth as fan says, and the same tree for package credit.
func tree(t *rapid.T, fan []int) (nodes []workflow.BranchNode, same credit.Tree) {
	for range fan[0] {
		n := workflow.BranchNode{Agent: "a", Reward: float64(rapid.IntRange(-8, 8).Draw(t, "reward")) / 4, Q: float64(rapid.IntRange(-8, 8).Draw(t, "q")) / 4}
		same.Values = append(same.Values, n.Reward)
		if len(fan) > 1 {
			var below credit.Tree
			n.Children, below = tree(t, fan[1:])
			same.Children = append(same.Children, below)
		}
		nodes = append(nodes, n)
	}
	return nodes, same
}

func creditOf(t rapid.TB, r workflow.BranchRule, nodes []workflow.BranchNode) []*workflow.CreditedNode {
	t.Helper()
	out, _, err := r.Credit(nodes)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var plainBranch = workflow.BranchRule{Variant: workflow.RewardOnly, Alpha: 1, Baseline: workflow.LeaveOne, Backup: workflow.BackupChildren, Gamma: 0.9}

// TestTreesOfEqualFanOut: the values are the returns of an aligned tree of one agent a node, and with full_mean the advantages are those of its groups.
func TestTreesOfEqualFanOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fan := []int{rapid.IntRange(2, 4).Draw(t, "f1"), rapid.IntRange(2, 3).Draw(t, "f2")}
		nodes, same := tree(t, fan)
		returns, err := same.Returns(0.9)
		if err != nil {
			t.Fatal(err)
		}
		rule := plainBranch
		rule.Baseline = workflow.FullMean
		got := creditOf(t, rule, nodes)
		want, err := credit.Advantages(returns.Values, credit.ModeMean, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			c := got[i*(1+fan[1])]
			if math.Abs(c.Value-returns.Values[i]) > 1e-12 || math.Abs(c.Advantage-w) > 1e-12 {
				t.Fatalf("alternative %d: %+v, want the value %v and the advantage %v", i, c, returns.Values[i], w)
			}
		}
	})
}

// TestNormalisedLeaveOneOut: divided by the deviation, leave-one-out and the full mean are the same but for what is added to the variance.
func TestNormalisedLeaveOneOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, _ := tree(t, []int{rapid.IntRange(2, 5).Draw(t, "f1"), 2})
		for _, variant := range []workflow.BranchVariant{workflow.RewardOnly, workflow.ValueOnly} {
			rule := plainBranch
			rule.Variant, rule.Normalize, rule.Gamma = variant, true, 1
			loo := creditOf(t, rule, nodes)
			rule.Baseline = workflow.FullMean
			for i, c := range creditOf(t, rule, nodes) {
				if math.Abs(c.Advantage-loo[i].Advantage) > 1e-5 {
					t.Fatalf("%s: %v with the full mean, %v without itself", variant, c.Advantage, loo[i].Advantage)
				}
			}
		}
	})
}

// TestFailedLeaves: what could not be scored has no value, and an only sibling with one is compared with nobody.
func TestFailedLeaves(t *testing.T) {
	nodes := []workflow.BranchNode{{Children: []workflow.BranchNode{{Failed: true}, {Reward: 1}}}, {Children: []workflow.BranchNode{{Failed: true}}}}
	got := creditOf(t, plainBranch, nodes)
	if !got[0].Valued || got[0].Value != 0.9 || got[0].Advantage != 0 || got[2].Advantage != 0 || got[3].Valued {
		t.Errorf("%+v %+v %+v", *got[0], *got[2], *got[3])
	}
	for _, change := range []func(*workflow.BranchRule){
		func(r *workflow.BranchRule) { r.Variant = "reward" },
		func(r *workflow.BranchRule) { r.Baseline = "mean" },
		func(r *workflow.BranchRule) { r.Backup = "max" },
	} {
		rule := plainBranch
		change(&rule)
		if _, _, err := rule.Credit(nodes); err == nil {
			t.Errorf("no error for %+v", rule)
		}
	}
}
