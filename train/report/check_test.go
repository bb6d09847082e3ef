package report

import (
	"testing"

	"parley/rl/eval"
	"parley/runs"
)

// TestCheck: a report has rows, and each of them something for every turn.
func TestCheck(t *testing.T) {
	whole := runs.Row{System: runs.Trained, PerTurn: []float64{0.25, 0.5}, Turns: make([]runs.TurnResult, 2), Transitions: make([]runs.Transition, 1)}
	if err := Check(runs.Report{Rows: []runs.Row{{System: runs.Single, PerTurn: []float64{1}}, whole}}); err != nil {
		t.Error(err)
	}
	right := eval.Accuracy()
	for _, also := range []*runs.Also{{Rows: []runs.Row{whole}}, {Measure: &right}, {Measure: &right, Rows: []runs.Row{{}}}} {
		if Check(runs.Report{Rows: []runs.Row{whole}, Also: also}) == nil {
			t.Errorf("also %+v is taken", also)
		}
	}
	nameless, silent, short, moved := whole, whole, whole, whole
	nameless.System, silent.PerTurn, short.Turns, moved.Transitions = "", nil, short.Turns[:1], make([]runs.Transition, 2)
	for _, rows := range [][]runs.Row{nil, {nameless}, {silent}, {whole, short}, {moved}} {
		if Check(runs.Report{Rows: rows}) == nil {
			t.Errorf("%+v is taken", rows)
		}
	}
}
