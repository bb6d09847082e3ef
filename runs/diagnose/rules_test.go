package diagnose_test

import (
	"slices"
	"testing"

	"parley/runs/diagnose"
)

// of returns n values, the first k of them true.
func of(k, n int) []bool {
	x := make([]bool, n)
	for i := range k {
		x[i] = true
	}
	return x
}

// Each rule of MAGRPO §13 exactly at its threshold and just beyond it.
func TestDiagnosticThresholds(t *testing.T) {
	two := func(a, b float64) [][]float64 { return [][]float64{{a}, {b}} }
	influence := func(k int, reward float64) diagnose.Finding {
		return diagnose.CheckCooperation(diagnose.JointActions{AuxInfluence: of(k, 100), Rewards: []float64{reward}, Max: 4})
	}
	gains := func(k int) diagnose.Finding {
		joint := make([]float64, 100)
		for i := range k {
			joint[i] = 0.05
		}
		return diagnose.CheckStructure(joint, make([]float64, 100))
	}
	tiny := func(k int, spread float64) [][]float64 {
		groups := slices.Repeat([][]float64{{0, 2}}, 20)
		for i := range k {
			groups[i] = []float64{1, 1 + 2*spread}
		}
		return groups
	}
	for _, c := range []struct {
		name string
		got  diagnose.Finding
		want []string
	}{
		{"half usable", diagnose.CheckCooperation(diagnose.JointActions{Usable: [][]bool{of(9, 10), of(5, 10)}}), []string{"agent1:unusable"}},
		{"more than half usable", diagnose.CheckCooperation(diagnose.JointActions{Usable: [][]bool{of(6, 10)}}), nil},
		{"5 % of the tokens", diagnose.CheckCooperation(diagnose.JointActions{Tokens: two(5, 95)}), nil},
		{"fewer tokens", diagnose.CheckCooperation(diagnose.JointActions{Tokens: two(96, 4)}), []string{"agent1:token_share"}},
		{"no tokens at all", diagnose.CheckCooperation(diagnose.JointActions{Tokens: two(0, 0)}), nil},
		{"10 % influence", influence(10, 4), nil},
		{"9 % influence at half the maximum", influence(9, 2), []string{"aux_without_influence"}},
		{"9 % influence, low reward", influence(9, 1.9), nil},
		{"turn drop of 5 %", diagnose.CheckTurns([][]float64{{2, 1.8}}, 4), nil},
		{"later turn drops", diagnose.CheckTurns([][]float64{{2, 2, 1.7}, {2}}, 4), []string{"turn3:drop"}},
		{"switch drop of 10 %", diagnose.CheckSwitch([]float64{2}, []float64{1.6}, 4), nil},
		{"switch drop", diagnose.CheckSwitch([]float64{2}, []float64{1.5}, 4), []string{"switch:drop"}},
		{"spread doubles", diagnose.CheckSwitch([]float64{1, 2}, []float64{1, 3}, 4), nil},
		{"spread more than doubles", diagnose.CheckSwitch([]float64{1, 2}, []float64{0.9, 3.1}, 4), []string{"switch:variance"}},
		{"small rise", diagnose.CheckHacking([]float64{1, 1.1}, []float64{1, 1}, nil, 4), nil},
		{"rise without audit", diagnose.CheckHacking([]float64{1, 1.2}, []float64{1, 1.05}, nil, 4), []string{"audit_gap"}},
		{"rise with audit", diagnose.CheckHacking([]float64{1, 1.2}, []float64{1, 1.06}, nil, 4), nil},
		{"20 % flagged", diagnose.CheckHacking(nil, nil, of(20, 100), 4), []string{"flag_share"}},
		{"19 % flagged", diagnose.CheckHacking(nil, nil, of(19, 100), 4), nil},
		{"20 % gain", gains(20), nil},
		{"19 % gain", gains(19), []string{"few_items_gain"}},
		{"10 % cascades", diagnose.CheckCascade(of(90, 100), of(100, 100), of(90, 100)), []string{"cascade_share"}},
		{"9 % cascades", diagnose.CheckCascade(of(91, 100), of(100, 100), of(91, 100)), nil},
		{"main broken too", diagnose.CheckCascade(of(0, 10), of(0, 10), of(0, 10)), nil},
		{"half of the groups dead", diagnose.CheckGroups([][]float64{{1, 1}, {1, 2}}), []string{"dead_groups"}},
		{"fewer dead groups", diagnose.CheckGroups([][]float64{{1, 1}, {1, 2}, {0, 2}}), nil},
		{"quarter of the groups tiny", diagnose.CheckWhitening(tiny(5, 0.01), 4, true), []string{"tiny_spread_whitened"}},
		{"fewer tiny groups", diagnose.CheckWhitening(tiny(4, 0.01), 4, true), nil},
		{"equal groups are not tiny", diagnose.CheckWhitening(tiny(20, 0), 4, true), nil},
		{"no normalisation", diagnose.CheckWhitening(tiny(20, 0.01), 4, false), nil},
		{"nothing seen", diagnose.CheckCooperation(diagnose.JointActions{}), nil},
		{"nothing played", diagnose.CheckTurns(nil, 4), nil},
		{"no groups", diagnose.CheckGroups(nil), nil},
	} {
		if !slices.Equal(c.got.Reasons, c.want) {
			t.Errorf("%s: reasons %v, want %v", c.name, c.got.Reasons, c.want)
		}
	}
}

// A finding shows where to look.
func TestDiagnosticEvidence(t *testing.T) {
	for _, c := range []struct {
		name string
		got  diagnose.Finding
		want []int
	}{
		{"unusable responses", diagnose.CheckCooperation(diagnose.JointActions{Usable: [][]bool{{true, false, false}}}), []int{1, 2}},
		{"episodes that got worse", diagnose.CheckTurns([][]float64{{2, 3}, {2, 0}, {2}}, 4), []int{1}},
		{"flagged samples", diagnose.CheckHacking(nil, nil, []bool{false, true}, 4), []int{1}},
		{"cascades", diagnose.CheckCascade([]bool{true, false}, []bool{true, true}, []bool{true, false}), []int{1}},
		{"dead groups", diagnose.CheckGroups([][]float64{{1, 2}, {3, 3}}), []int{1}},
	} {
		if !slices.Equal(c.got.Evidence, c.want) {
			t.Errorf("%s: evidence %v, want %v", c.name, c.got.Evidence, c.want)
		}
	}
}
