package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCachedPrefersMain: of two pulled revisions a name means the one that the branch main points to.
func TestCachedPrefersMain(t *testing.T) {
	home := filepath.Join(t.TempDir(), "[caches] of *")
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
	if _, err := Find("nobody/nothing"); err == nil || !strings.HasSuffix(err.Error(), "get it with: parley model pull nobody/nothing") {
		t.Errorf("a model that is not there: %v", err)
	}
}

// TestCachedFile: the only .gguf file of a snapshot is the model.
func TestCachedFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "[a]")
	t.Setenv("HF_HUB_CACHE", home)
	file := filepath.Join(home, "models--org--packed", "snapshots", "ccc", "m.Q4_1.gguf")
	write(t, file, "")
	if path, err := Find("packed"); err != nil || path != file {
		t.Errorf("packed is %s, %v: want %s", path, err, file)
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
