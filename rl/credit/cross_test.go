package credit

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestJointActions(t *testing.T) {
	for _, c := range []struct {
		mode          JointMode
		agents, group int
		want          [][]int
	}{
		{Aligned, 2, 3, [][]int{{0, 0}, {1, 1}, {2, 2}}},
		{Cross, 2, 2, [][]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}}},
		{Cross, 3, 2, [][]int{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}}},
		{Cross, 1, 3, [][]int{{0}, {1}, {2}}},
		{Aligned, 1, 3, [][]int{{0}, {1}, {2}}},
	} {
		if got := JointActions(c.mode, c.agents, c.group); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %d agents, group %d: %v, want %v", c.mode, c.agents, c.group, got, c.want)
		}
	}
}

func TestParseJointMode(t *testing.T) {
	for text, want := range map[string]JointMode{"aligned": Aligned, "cross": Cross, "crossed": Cross, "Crossed": Cross} {
		if got, err := ParseJointMode(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if _, err := ParseJointMode("crosswise"); err == nil {
		t.Error("crosswise is read")
	}
}

func TestNodeCreditAligned(t *testing.T) {
	got, err := NodeCredit([]float64{1, 5}, Aligned, 3, 2, CrossSum)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]float64{{1, 5}, {1, 5}, {1, 5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("credit %v, want %v", got, want)
	}
}

func TestCreditErrors(t *testing.T) {
	if _, err := NodeCredit([]float64{1, 2, 3}, Cross, 2, 2, CrossMean); err == nil {
		t.Error("3 joint returns of 4 are credited")
	}
	if _, err := NodeCredit([]float64{1, 2}, Aligned, 2, 2, "median"); err == nil {
		t.Error("cross credit median is known")
	}
	if _, err := Counterfactual([]float64{1, 2, 3}, 2, 2); err == nil {
		t.Error("3 joint returns of 4 have counterfactuals")
	}
}

// drawJoint draws the returns of a cross-mode node.
func drawJoint(t *rapid.T) (joint []float64, agents, group int) {
	agents, group = rapid.IntRange(1, 3).Draw(t, "agents"), rapid.IntRange(2, 4).Draw(t, "group")
	n := power(group, agents)
	return rapid.SliceOfN(rapid.Float64Range(-5, 5), n, n).Draw(t, "joint"), agents, group
}

// Averaged over partners, counterfactual credit is the mean advantage (MAGRPO §16).
func TestCounterfactualAveragesToAdvantage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		joint, agents, group := drawJoint(t)
		counterfactual, err := NodeCredit(joint, Cross, agents, group, CrossCounterfactual)
		if err != nil {
			t.Fatal(err)
		}
		credits, err := NodeCredit(joint, Cross, agents, group, CrossMean)
		if err != nil {
			t.Fatal(err)
		}
		for i := range agents {
			if want := advantages(t, credits[i], ModeMean, false); !closeTo(counterfactual[i], want) {
				t.Fatalf("agent %d: %v, want %v", i, counterfactual[i], want)
			}
		}
	})
}

// An agent whose sample makes no difference has no counterfactual credit, whatever its partner does.
func TestCounterfactualOfIrrelevantAgent(t *testing.T) {
	got, err := Counterfactual([]float64{1, 1, 4, 4}, 2, 2) // only agent 0's sample matters
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]float64{{-1.5, -1.5, 1.5, 1.5}, {0, 0, 0, 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("credit %v, want %v", got, want)
	}
}

// Sum credit is mean credit times G^(n−1).
func TestCrossSumScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		joint, agents, group := drawJoint(t)
		mean, err1 := NodeCredit(joint, Cross, agents, group, CrossMean)
		sum, err2 := NodeCredit(joint, Cross, agents, group, CrossSum)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for i := range mean {
			for k := range mean[i] {
				mean[i][k] *= float64(power(group, agents-1))
			}
			if !closeTo(sum[i], mean[i]) {
				t.Fatalf("agent %d: sum %v, scaled mean %v", i, sum[i], mean[i])
			}
		}
	})
}
