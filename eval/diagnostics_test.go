package eval

import (
	"slices"
	"testing"
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
	influence := func(k int, reward float64) Finding {
		return DiagnoseCooperation(JointActions{AuxInfluence: of(k, 100), Rewards: []float64{reward}, Max: 4})
	}
	gains := func(k int) Finding {
		joint := make([]float64, 100)
		for i := range k {
			joint[i] = 0.05
		}
		return DiagnoseStructure(joint, make([]float64, 100))
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
		got  Finding
		want []string
	}{
		{"half usable", DiagnoseCooperation(JointActions{Usable: [][]bool{of(9, 10), of(5, 10)}}), []string{"agent1:unusable"}},
		{"more than half usable", DiagnoseCooperation(JointActions{Usable: [][]bool{of(6, 10)}}), nil},
		{"5 % of the tokens", DiagnoseCooperation(JointActions{Tokens: two(5, 95)}), nil},
		{"fewer tokens", DiagnoseCooperation(JointActions{Tokens: two(96, 4)}), []string{"agent1:token_share"}},
		{"no tokens at all", DiagnoseCooperation(JointActions{Tokens: two(0, 0)}), nil},
		{"10 % influence", influence(10, 4), nil},
		{"9 % influence at half the maximum", influence(9, 2), []string{"aux_without_influence"}},
		{"9 % influence, low reward", influence(9, 1.9), nil},
		{"turn drop of 5 %", DiagnoseTurns([][]float64{{2, 1.8}}, 4), nil},
		{"later turn drops", DiagnoseTurns([][]float64{{2, 2, 1.7}, {2}}, 4), []string{"turn3:drop"}},
		{"switch drop of 10 %", DiagnoseSwitch([]float64{2}, []float64{1.6}, 4), nil},
		{"switch drop", DiagnoseSwitch([]float64{2}, []float64{1.5}, 4), []string{"switch:drop"}},
		{"spread doubles", DiagnoseSwitch([]float64{1, 2}, []float64{1, 3}, 4), nil},
		{"spread more than doubles", DiagnoseSwitch([]float64{1, 2}, []float64{0.9, 3.1}, 4), []string{"switch:variance"}},
		{"small rise", DiagnoseHacking([]float64{1, 1.1}, []float64{1, 1}, nil, 4), nil},
		{"rise without audit", DiagnoseHacking([]float64{1, 1.2}, []float64{1, 1.05}, nil, 4), []string{"audit_gap"}},
		{"rise with audit", DiagnoseHacking([]float64{1, 1.2}, []float64{1, 1.06}, nil, 4), nil},
		{"20 % flagged", DiagnoseHacking(nil, nil, of(20, 100), 4), []string{"flag_share"}},
		{"19 % flagged", DiagnoseHacking(nil, nil, of(19, 100), 4), nil},
		{"20 % gain", gains(20), nil},
		{"19 % gain", gains(19), []string{"few_items_gain"}},
		{"10 % cascades", DiagnoseCascade(of(90, 100), of(100, 100), of(90, 100)), []string{"cascade_share"}},
		{"9 % cascades", DiagnoseCascade(of(91, 100), of(100, 100), of(91, 100)), nil},
		{"main broken too", DiagnoseCascade(of(0, 10), of(0, 10), of(0, 10)), nil},
		{"half of the groups dead", DiagnoseGroups([][]float64{{1, 1}, {1, 2}}), []string{"dead_groups"}},
		{"fewer dead groups", DiagnoseGroups([][]float64{{1, 1}, {1, 2}, {0, 2}}), nil},
		{"quarter of the groups tiny", DiagnoseWhitening(tiny(5, 0.01), 4, true), []string{"tiny_spread_whitened"}},
		{"fewer tiny groups", DiagnoseWhitening(tiny(4, 0.01), 4, true), nil},
		{"equal groups are not tiny", DiagnoseWhitening(tiny(20, 0), 4, true), nil},
		{"no normalisation", DiagnoseWhitening(tiny(20, 0.01), 4, false), nil},
		{"nothing seen", DiagnoseCooperation(JointActions{}), nil},
		{"nothing played", DiagnoseTurns(nil, 4), nil},
		{"no groups", DiagnoseGroups(nil), nil},
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
		got  Finding
		want []int
	}{
		{"unusable responses", DiagnoseCooperation(JointActions{Usable: [][]bool{{true, false, false}}}), []int{1, 2}},
		{"episodes that got worse", DiagnoseTurns([][]float64{{2, 3}, {2, 0}, {2}}, 4), []int{1}},
		{"flagged samples", DiagnoseHacking(nil, nil, []bool{false, true}, 4), []int{1}},
		{"cascades", DiagnoseCascade([]bool{true, false}, []bool{true, true}, []bool{true, false}), []int{1}},
		{"dead groups", DiagnoseGroups([][]float64{{1, 2}, {3, 3}}), []int{1}},
	} {
		if !slices.Equal(c.got.Evidence, c.want) {
			t.Errorf("%s: evidence %v, want %v", c.name, c.got.Evidence, c.want)
		}
	}
}
