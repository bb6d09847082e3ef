package runs_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"parley/runs"
)

// TestOldWords: a recipe that was recorded before normalised told 1/2 from 12 compares as it did, and its file stays as it is.
func TestOldWords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	const text = "name: x\ntask:\n  name: data\n  match: normalised\n"
	r, err := runs.Create(dir, runs.Meta{Name: "x", Recipe: text})
	if err != nil {
		t.Fatal(err)
	}
	read := func(want, recorded string) {
		t.Helper()
		meta, err := runs.Read(dir)
		if err != nil || !strings.Contains(meta.Recipe, want) || !strings.Contains(meta.Recorded(), recorded) {
			t.Errorf("%q, recorded %q, %v", meta.Recipe, meta.Recorded(), err)
		}
	}
	read("match: normalised\n", "match: normalised\n")
	if err := errors.Join(r.Amend(func(m *runs.Meta) { m.Words = 0 }), r.Close()); err != nil { // as before there were versions
		t.Fatal(err)
	}
	read("match: squad\n", "match: normalised\n")
	if r, err = runs.Open(dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ recipe, want, recorded string }{
		{"", "match: squad\n", "match: normalised\n"},
		{text + "seed: 2\n", "match: normalised\nseed", "match: normalised\nseed"},
	} {
		if err := r.Amend(func(m *runs.Meta) {
			if m.Seed = 3; c.recipe != "" {
				m.Recipe = c.recipe
			}
		}); err != nil {
			t.Fatal(err)
		}
		read(c.want, c.recorded)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
