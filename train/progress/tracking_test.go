package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/recipe"
	"parley/recipe/keys"
	"parley/runs"
)

// TestEventFolder: true is the run's own folder; another one has a folder for each run, inner runs below their outer ones.
func TestEventFolder(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"pair-s1", "pair-s1/bold-s2", "pair-s1/bold-s2/trained-single"} {
		run, err := runs.Create(filepath.Join(root, "new"), runs.Meta{})
		if err != nil {
			t.Fatal(err)
		}
		run.Close()
		if err := os.Rename(filepath.Join(root, "new"), filepath.Join(root, dir)); err != nil {
			t.Fatal(err)
		}
	}
	inner := filepath.Join(root, "pair-s1", "bold-s2")
	for _, c := range []struct{ asked, dir, want string }{
		{"", inner, ""},
		{"true", inner, filepath.Join(inner, "tensorboard")},
		{"events", inner, "events/pair-s1/bold-s2"},
		{"events", filepath.Dir(inner), "events/pair-s1"},
		{"/e", filepath.Join(inner, "trained-single"), "/e/pair-s1/bold-s2/trained-single"},
	} {
		if got := eventFolder(c.asked, c.dir); got != filepath.FromSlash(c.want) {
			t.Errorf("%q for %s is %q, want %q", c.asked, c.dir, got, c.want)
		}
	}
}

// TestFollow: what a follower says comes out as notes of the run, from the goroutine that writes to it.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := runs.Create(filepath.Join(dir, "run"), runs.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	Track(t.Context(), run, &recipe.Recipe{Training: keys.Training{TensorBoard: filepath.Join(blocked, "events")}}, func(n string) { said = append(said, n) })
	for n := 1; n <= 2; n++ {
		if err := run.AppendMetrics(n, map[string]int{"update": n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Close(); err != nil || len(said) != 1 || !strings.HasPrefix(said[0], "TensorBoard: nothing more is written") {
		t.Errorf("said %q, %v", said, err)
	}
}
