//go:build sandbox

package executor

import (
	"bytes"
	"testing"
	"time"
)

// TestSources: every shipped program runs on its inputs, and what gives other results earns nothing.
func TestSources(t *testing.T) {
	e, err := Open(t.Context(), Settings{Wall: time.Minute, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	task := &Task{executor: e}
	defer func() {
		if err := task.Close(); err != nil {
			t.Error(err)
		}
	}()
	all, err := ReadPrograms("shipped", bytes.NewReader(shipped))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all { // Speed measures the source first: one that does not run is an error
		s, err := task.Score(t.Context(), p, []string{"def " + p.Fields[FieldEntry] + "(*arguments):\n    return 'nothing'\n"})
		if err != nil || s.Reward != 0 || *s.Signals.Solved != 0 {
			t.Errorf("%s: %v, %v", p.ID, s, err)
		}
	}
}
