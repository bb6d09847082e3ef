package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRender(t *testing.T) {
	got, err := render(fstest.MapFS{
		"b.md": {Data: []byte("kind: added\n\nTwo lines\nof text.\n")},
		"c.md": {Data: []byte("kind: fixed\n\nC.\n")},

		".gitkeep": {},
		"a.md":     {Data: []byte("kind: added\n\nA.\n")},
	})
	want := "## Unreleased\n\n### Added\n\n- A.\n- Two lines\n  of text.\n\n### Fixed\n\n- C.\n"
	if err != nil || got != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
}

func TestEntries(t *testing.T) {
	for name, data := range map[string]string{
		"text.txt":  "kind: added\n\nA.\n",
		"kind.md":   "kind: nice\n\nA.\n",
		"part.md":   "kind: add\n\nA.\n",
		"none.md":   "A.\n",
		"empty.md":  "kind: added\n\n",
		"two.md":    "kind: added\n\nA.\n\nB.\n",
		"phrase.md": "kind: added\n\nA\n",
	} {
		if _, err := render(fstest.MapFS{name: {Data: []byte(data)}}); err == nil || !strings.Contains(err.Error(), "changelog/unreleased/"+name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestUnreleased reads the entries of this repository.
func TestUnreleased(t *testing.T) {
	if _, err := render(os.DirFS("../../changelog/unreleased")); err != nil {
		t.Error(err)
	}
}
