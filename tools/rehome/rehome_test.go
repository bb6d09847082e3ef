package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestRehome moves a small module and compares every file with what it should say afterwards.
func TestRehome(t *testing.T) {
	before, after := archive(t, "before.txtar"), archive(t, "after.txtar")
	root := t.TempDir()
	for _, f := range before.Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "picture.png"), []byte("\x00 parley/a"), 0o755); err != nil {
		t.Fatal(err)
	}
	changed, err := rehome(root, "example.com/you/parley")
	if err != nil {
		t.Fatal(err)
	}
	different := 0
	for i, f := range after.Files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.Name)))
		if err != nil || !bytes.Equal(got, f.Data) {
			t.Errorf("%s: %v\n got %s\nwant %s", f.Name, err, got, f.Data)
		}
		if !bytes.Equal(before.Files[i].Data, f.Data) {
			different++
		}
	}
	if changed != different || len(before.Files) != len(after.Files) {
		t.Errorf("%d files were changed, should be %d", changed, different)
	}
	if got, err := os.ReadFile(filepath.Join(root, "picture.png")); err != nil || string(got) != "\x00 parley/a" {
		t.Errorf("a picture is %q, %v", got, err)
	}
	if changed, err := rehome(root, "example.com/you/parley"); err != nil || changed != 0 {
		t.Errorf("once more: %d files were changed, %v", changed, err)
	}
}

func archive(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestModulePath(t *testing.T) {
	for path, good := range map[string]bool{
		"github.com/you/parley": true, "example.com/you/parley/v2": true, "go.example.org": true, "example.com/~you/p_1.x": true,
		"": false, "parley": false, "you/parley": false, "https://github.com/you/parley": false, "github.com/you/": false, "github.com//parley": false, "github.com/you/../x": false,
	} {
		if modulePath(path) != good {
			t.Errorf("%q: %v", path, !good)
		}
	}
	for _, args := range [][]string{nil, {""}, {"parley"}, {"a.b/c", "d.e/f"}} {
		if err := run(args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

func TestNoModule(t *testing.T) {
	root := t.TempDir()
	if _, err := rehome(root, "example.com/x"); err == nil {
		t.Error("a folder without go.mod is accepted")
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("go 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := rehome(root, "example.com/x"); err == nil {
		t.Error("a go.mod without a path is accepted")
	}
}
