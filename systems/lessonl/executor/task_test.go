package executor

import (
	"bytes"
	"strings"
	"testing"

	"parley/task"
)

// TestShipped: each program has its function, says what it is for, and makes its inputs; one in four trains.
func TestShipped(t *testing.T) {
	all, err := ReadPrograms("shipped", bytes.NewReader(shipped))
	if err != nil {
		t.Fatal(err)
	}
	train, held := parted(all)
	if len(train) != 7 || len(held) != 21 {
		t.Errorf("%d and %d programs", len(train), len(held))
	}
	for _, p := range all {
		if !strings.HasPrefix(p.Question, "# ") || !strings.Contains(p.Question, "def "+p.Fields[FieldEntry]+"(") || !strings.Contains(p.Fields[FieldInputs], "def inputs():") {
			t.Errorf("%s: %v", p.ID, p)
		}
		if _, shown := p.Fields["source"]; !shown && p.Truth != "" {
			t.Errorf("%s has a truth", p.ID)
		}
	}
}

// TestRows: a row without what is needed is refused by the name of what it lacks.
func TestRows(t *testing.T) {
	const row = `{"id":"a","source":"def f(): pass","entry":"f","inputs":"def inputs(): return [()]"}`
	for _, c := range []struct{ without, want string }{
		{`"source":"def f(): pass",`, "source"}, {`"entry":"f",`, "entry"}, {`,"inputs":"def inputs(): return [()]"`, "inputs"},
	} {
		if _, err := ReadPrograms("rows", strings.NewReader(strings.Replace(row, c.without, "", 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("without %s: %v", c.want, err)
		}
	}
	list, err := ReadPrograms("rows", strings.NewReader(row))
	if err != nil || len(list) != 1 || list[0].ID != "a" || list[0].Question != "def f(): pass" {
		t.Errorf("%v, %v", list, err)
	}
}

var _ task.JointScorer = (*Task)(nil)
