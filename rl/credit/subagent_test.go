package credit_test

import (
	"math"
	"testing"

	"parley/rl/credit"
)

// TestWeightsAreTheExpectation: on average over all draws a call is kept as often as its weight says.
func TestWeightsAreTheExpectation(t *testing.T) {
	for _, c := range []struct{ slots, calls int }{{2, 3}, {1, 4}, {4, 2}, {3, 3}, {5, 1}} {
		draws := max(c.calls-c.slots, c.slots-c.calls)
		// 12 equal parts of [0, 1) hold each of 1 to 4 indices equally often.
		const parts = 12
		sums, n := make([]float64, c.calls), 0
		row := make([]float64, draws)
		var visit func(i int)
		visit = func(i int) {
			if i == draws {
				n++
				for k, w := range credit.SampleCalls(c.slots, []int{c.calls}, [][]float64{row}).Weights[0] {
					sums[k] += w
				}
				return
			}
			for p := range parts {
				row[i] = (float64(p) + 0.5) / parts
				visit(i + 1)
			}
		}
		visit(0)
		want := credit.WeighCalls(c.slots, []int{c.calls}).Weights[0]
		for k := range sums {
			if math.Abs(sums[k]/float64(n)-want[k]) > 1e-12 {
				t.Errorf("%d calls for %d slots: call %d is kept %v times, its weight is %v", c.calls, c.slots, k, sums[k]/float64(n), want[k])
			}
		}
	}
}

// TestRolloutsWithoutCalls: they count for the main agent and give the sub-agent nothing.
func TestRolloutsWithoutCalls(t *testing.T) {
	rule := credit.CallRule{A: [2]float64{0.1, 0.9}, B: [3]float64{0.2, 0.6, 0.2}}
	rollouts := []credit.MainRun{{Format: 1, Correct: 1}, {Format: 1}}
	a := credit.WeighCalls(2, []int{1, 0})
	got := rule.Credit(rollouts, [][]credit.SubCall{{{Format: 1, Judge: 1}}, nil}, a.Weights)
	if a.Empty != 1 || math.Abs(got.MainAdvantages[0]-0.45) > 1e-12 || got.SubAdvantages[0][0] != 0 || len(got.SubAdvantages[1]) != 0 {
		t.Errorf("%+v, %+v", a, got)
	}
}
