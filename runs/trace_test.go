package runs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func traceOf(update int, names ...string) []map[string]any {
	var out []map[string]any
	for _, n := range names {
		out = append(out, map[string]any{"name": n, "args": map[string]int{"update": update}})
	}
	return out
}

// wantTrace checks that trace.json is JSON and holds the events with these names.
func wantTrace(t *testing.T, r *Run, want ...string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir(), "trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	var events []struct{ Name string }
	if err := json.Unmarshal(data, &events); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	var names []string
	for _, e := range events {
		names = append(names, e.Name)
	}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("events %v, want %v", names, want)
	}
}

// TestTrace appends, cuts back and appends again.
func TestTrace(t *testing.T) {
	r, err := Create(filepath.Join(t.TempDir(), "run"), Meta{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	add := func(update int, names ...string) {
		t.Helper()
		if err := r.AppendTrace(update, traceOf(update, names...)); err != nil {
			t.Fatal(err)
		}
	}
	add(1)
	add(1, "a", "b")
	wantTrace(t, r, "a", "b")
	add(2, "c")
	wantTrace(t, r, "a", "b", "c")
	if err := r.trace.Cut(1); err != nil {
		t.Fatal(err)
	}
	wantTrace(t, r, "a", "b")
	add(2, "d")
	wantTrace(t, r, "a", "b", "d")
	if err := r.trace.Cut(0); err != nil {
		t.Fatal(err)
	}
	add(1, "e")
	wantTrace(t, r, "e")
	if err := r.AppendTrace(1, "no list"); err == nil {
		t.Error("a trace that is no list was written")
	}
}

// TestTornTrace cuts the file after every byte, as a killed process may leave it: the next append keeps what is whole, and the
// file is JSON again.
func TestTornTrace(t *testing.T) {
	r, err := Create(filepath.Join(t.TempDir(), "run"), Meta{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.AppendTrace(1, traceOf(1, "a", "b")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(r.trace.Path())
	if err != nil {
		t.Fatal(err)
	}
	first := len("[\n" + `{"args":{"update":1},"name":"a"}`)
	second := first + len(",\n"+`{"args":{"update":1},"name":"b"}`)
	for n := range len(whole) {
		if err := r.trace.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.trace.Path(), whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if err := r.AppendTrace(2, traceOf(2, "c")); err != nil {
			t.Fatal(err)
		}
		switch {
		case n < first:
			wantTrace(t, r, "c")
		case n < second:
			wantTrace(t, r, "a", "c")
		default:
			wantTrace(t, r, "a", "b", "c")
		}
	}
}
