package runs

import (
	"reflect"
	"testing"
)

func TestMeanRow(t *testing.T) {
	got, err := MeanRow([]Row{
		{System: "trained", Score: 0.5, PerTurn: []float64{0.25, 0.5}, TokensPerProblem: 10},
		{System: "trained", Score: 1, PerTurn: []float64{0.5, 1}, TokensPerProblem: 20},
		{System: "trained", Score: 0.75, TokensPerProblem: 30},
	})
	want := Row{System: "trained", Score: 0.75, PerTurn: []float64{0.375, 0.75}, TokensPerProblem: 20}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}
