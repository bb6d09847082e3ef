package viewer

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestListingIsShared: however many watch the list of runs, the folder is read once in the time of a look.
func TestListingIsShared(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS("testdata/runs/collab-tiny")); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Options{Root: root, Poll: time.Hour})
	listed := func() int {
		t.Helper()
		rows, text, err := s.lately()
		if err != nil || len(text) != len(rows) {
			t.Fatalf("%d rows, %d texts: %v", len(rows), len(text), err)
		}
		return len(rows)
	}
	first := listed()
	if err := os.RemoveAll(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	if again := listed(); first != 2 || again != first {
		t.Errorf("%d runs, and %d within the hour", first, again)
	}
	s.listing.at = s.listing.at.Add(-time.Hour)
	if later := listed(); later != 1 {
		t.Errorf("%d runs after the hour", later)
	}
}
