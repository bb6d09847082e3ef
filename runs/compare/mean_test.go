package compare

import (
	"reflect"
	"testing"

	"parley/runs"
)

func TestMeanRow(t *testing.T) {
	got, err := MeanRow([]runs.Row{
		{System: "trained", Score: 0.5, PerTurn: []float64{0.25, 0.5}, TokensPerProblem: 10},
		{System: "trained", Score: 1, PerTurn: []float64{0.5, 1}, TokensPerProblem: 20},
		{System: "trained", Score: 0.75, TokensPerProblem: 30},
	})
	want := runs.Row{System: "trained", Score: 0.75, PerTurn: []float64{0.375, 0.75}, TokensPerProblem: 20}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// TestMeanOfUnequalRows: a row that lacks a turn, a part or an interval takes nothing from the others, whichever comes first.
func TestMeanOfUnequalRows(t *testing.T) {
	half, whole := 0.5, 1.0
	long := runs.Row{
		Score: 1, PerTurn: []float64{0.5, 1}, Parts: map[string]float64{"length": 2, "style": 4},
		Transitions: []runs.Transition{{FromTurn: 1, ToTurn: 2, Own: runs.Conditions{Joint: runs.Conditioned{RWR: &whole}}}},
	}
	short := runs.Row{
		Score: 0, PerTurn: []float64{0.25}, Parts: map[string]float64{"length": 1},
		Transitions: []runs.Transition{{FromTurn: 1, ToTurn: 2, Own: runs.Conditions{Joint: runs.Conditioned{WRW: &half}}}},
	}
	want := runs.Row{
		Score: 0.5, PerTurn: []float64{0.375, 1}, Parts: map[string]float64{"length": 1.5, "style": 4},
		Transitions: []runs.Transition{{FromTurn: 1, ToTurn: 2, Own: runs.Conditions{Joint: runs.Conditioned{RWR: &whole, WRW: &half}}}},
	}
	for _, rows := range [][]runs.Row{{long, short}, {short, long}} {
		if got, err := MeanRow(rows); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
}
