package measure

import (
	"reflect"
	"strings"
	"testing"

	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/runs"
	"parley/task"
)

// some is a measurement of problems of which those with a negative score could not be scored.
func some(system string, scores ...float64) *Measurement {
	m := &Measurement{System: system, Measure: eval.Accuracy(), Scores: [][]float64{nil}}
	var episodes []*rollout.Episode
	for i, s := range scores {
		e := &rollout.Episode{Index: i, Problem: task.Problem{ID: string(rune('a' + i))}, Nodes: []*rollout.Node{{Rewards: []float64{s}}}}
		if s < 0 {
			e.Nodes[0].Fail("Traceback\nValueError: no ice")
		}
		episodes = append(episodes, e)
	}
	for _, e := range m.leaveOut(episodes, 0) {
		m.Scores[0], m.Tokens = append(m.Scores[0], e.Nodes[0].Rewards[0]), append(m.Tokens, 1)
	}
	return m
}

// TestMissing: a problem that could not be scored is no number. Systems are compared on what both have.
func TestMissing(t *testing.T) {
	a, b := some("trained", 1, -1, 0.5, 1, -1), some("off-the-shelf", 0, 0, -1, 0.5, -1)
	if err := a.Check(); err != nil || a.Problems() != 5 || a.Score() != 2.5/3 {
		t.Errorf("%v, %d problems, score %v", err, a.Problems(), a.Score())
	}
	numbers, ours, theirs := Common(a, b)
	if !reflect.DeepEqual([][]int{numbers, ours, theirs}, [][]int{{0, 3}, {0, 2}, {0, 2}}) {
		t.Errorf("both have %v, at %v and %v", numbers, ours, theirs)
	}
	if gain, err := Gain(a, b); gain != 0.75 || err != nil {
		t.Errorf("gain %v, %v", gain, err)
	}
	if c, ok, err := Compare(a, b, 1); !ok || c.Difference != 0.75 || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
	if _, ok, err := Compare(some("x", 1, -1), some("y", -1, 1), 1); ok || err != nil {
		t.Error("nothing in common is compared")
	}
	// Nor are two measures.
	b.Measure = eval.Earned("reward", -1, 1)
	_, _, err := Compare(a, b, 1)
	_, less := Gain(a, b)
	if mixed := Tables(new(runs.Report), a, []*Measurement{a, b}, "", 1); err == nil || less == nil || mixed == nil {
		t.Errorf("accuracy and a share of the range are compared: %v, %v, %v", err, less, mixed)
	}
	if row, err := Row(a, "", 1); err != nil || row.Unscored != 2 {
		t.Errorf("row %+v, %v", row, err)
	}
	if got := a.Notes(); len(got) != 1 || got[0] != "the score of trained leaves out b, e, which could not be scored: Traceback\nValueError: no ice" {
		t.Errorf("notes %q", got)
	}
	if got := a.Reasons(); !reflect.DeepEqual(got, map[string]string{"b": "ValueError: no ice", "e": "ValueError: no ice"}) {
		t.Errorf("reasons %v", got)
	}
}

// TestEnough: a measurement of too few problems is none.
func TestEnough(t *testing.T) {
	for _, c := range []struct {
		m    *Measurement
		most float64
		want string
	}{
		{some("x", 1, 1), 0, ""},
		{some("x", 1, 1, 1, 1, -1), 0.2, ""},
		{some("x", 1, 1, 1, -1), 0.2, "measure x: 1 of 4 held-out problems could not be scored, more than the share that training.failed_share allows, 0.2; the first, d: Traceback"},
		{some("x", 1, -1), 1, ""},
		{some("x", -1, -1), 1, "none of 2 held-out problems"},
	} {
		err := c.m.enough(c.m.Problems(), c.most)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestMissingNumbers: numbers of a file that stand for no problem are refused.
func TestMissingNumbers(t *testing.T) {
	for _, numbers := range [][]int{{-1}, {3}, {1, 1}, {2, 1}} {
		m := some("x", 1, 1)
		for _, n := range numbers {
			m.Missing = append(m.Missing, Missing{Number: n})
		}
		if m.Check() == nil {
			t.Errorf("problems %v of %d are missing", numbers, m.Problems())
		}
	}
}
