package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"parley/cmd/parley/internal/cli"
)

// A bug is told without what is inside, which is in a file with its place, and never ends as if the work were done.
func TestPanicIsAFailure(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"version"}, strings.NewReader(""), brokenWriter{}, &stderr); code != cli.ExitFailed {
		t.Errorf("exit code %d, want %d", code, cli.ExitFailed)
	}
	_, file, _ := strings.Cut(strings.TrimSpace(stderr.String()), "internal error, which is a mistake in parley; the whole text is in ")
	told, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(told), "a bug") || !strings.Contains(string(told), "panic_test.go") || strings.Contains(stderr.String(), "goroutine") {
		t.Errorf("stderr is %q, the file says %q, %v", stderr.String(), told, err)
	}
}

// brokenWriter panics.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { panic("a bug") }
