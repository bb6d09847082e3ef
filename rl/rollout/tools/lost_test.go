package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/task/sandbox"
)

// losing is a backend whose sandboxes are lost at some calls, as when the kernel kills them.
type losing struct {
	lost  map[int]bool
	calls int
}

func (l *losing) Run(context.Context, sandbox.Program) (sandbox.Result, error) {
	l.calls++
	if l.lost[l.calls] {
		return sandbox.Result{Status: sandbox.Lost}, nil
	}
	return sandbox.Result{Status: sandbox.Exited, Stdout: []byte("42\n")}, nil
}

func (*losing) Close() error   { return nil }
func (*losing) String() string { return "losing" }

// TestLost: a call whose sandbox is lost is made once more. Where that is lost too, the call is an error, which ends its episode, and the next
// call is answered.
func TestLost(t *testing.T) {
	backend := &losing{lost: map[int]bool{1: true, 3: true, 4: true}}
	f := &Functions{limits: Limits{Deadline: time.Second, Output: 100}, pool: &sandbox.Pool{Backend: backend}}
	for i, want := range []string{"42", "it took its sandbox with it", "42"} {
		r, err := f.snippet(t.Context(), json.RawMessage(`{"code": "6 * 7"}`))
		got := r.Text
		if err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, want) {
			t.Errorf("call %d: %q, want %q", i, got, want)
		}
	}
	if backend.calls != 5 {
		t.Errorf("%d sandboxes, expected 5", backend.calls)
	}
}
