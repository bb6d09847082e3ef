package parley_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// scratch copies a module of testdata into a folder of the test, beside this module in a workspace.
func scratch(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "go.mod.txt"), filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	work := "go " + goVersion(t) + "\n\nuse (\n\t.\n\t" + strconv.Quote(root) + "\n)\n"
	if err := os.WriteFile(filepath.Join(dir, "go.work"), []byte(work), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// goVersion is the one that go.mod asks for.
func goVersion(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if version, ok := strings.CutPrefix(line, "go "); ok {
			return strings.TrimSpace(version)
		}
	}
	t.Fatal("go.mod names no version of Go")
	return ""
}

// goIn runs the go tool in a folder and returns what it printed.
func goIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	flags := "" // but for the one with which packages compile to what is compiled already
	if strings.Contains(os.Getenv("GOFLAGS"), "-trimpath") {
		flags = "-trimpath"
	}
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"), "GOFLAGS="+flags)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// tinyBase is the model that the tests of extensions train.
func tinyBase(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("train", "testdata", "tiny-base"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNewTask: a folder and a line in the register are a new task. Recipes have its keys and its prompts, it passes the conformance suite, and a
// team trains on it, without a change to any other file.
func TestNewTask(t *testing.T) {
	dir := scratch(t, "newtask")
	goIn(t, dir, "test", "./parity")
	if out := goIn(t, dir, "run", ".", "model="+tinyBase(t)); !strings.HasSuffix(out, "parity 1\n") {
		t.Errorf("it printed %q", out)
	}
}
