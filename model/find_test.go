package model

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCachedPrefersMain: of two pulled revisions a name means the one that the branch main points to.
func TestCachedPrefersMain(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HF_HOME", home)
	t.Setenv("HF_HUB_CACHE", "")
	repo := filepath.Join(home, "hub", "models--org--tiny")
	for _, commit := range []string{"aaa", "bbb"} {
		write(t, filepath.Join(repo, "snapshots", commit, "config.json"), "{}")
	}
	write(t, filepath.Join(repo, "refs", "main"), "bbb\n")
	path, err := Find("org/tiny")
	if err != nil || filepath.Base(path) != "bbb" {
		t.Errorf("org/tiny is %s, %v: want the snapshot bbb", path, err)
	}
	if err := os.RemoveAll(filepath.Join(repo, "refs")); err != nil {
		t.Fatal(err)
	}
	if path, err := Find("tiny"); err != nil || filepath.Base(path) != "aaa" {
		t.Errorf("without a branch tiny is %s, %v", path, err)
	}
	if _, err := Find("nobody/nothing"); err == nil {
		t.Error("a model that is not there was found")
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
