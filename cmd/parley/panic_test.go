package main

import (
	"bytes"
	"strings"
	"testing"

	"parley/cmd/parley/internal/cli"
)

// A bug is told with its place, and never ends as if the work were done.
func TestPanicIsAFailure(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"version"}, strings.NewReader(""), brokenWriter{}, &stderr); code != cli.ExitFailed {
		t.Errorf("exit code %d, want %d", code, cli.ExitFailed)
	}
	if s := stderr.String(); !strings.Contains(s, "internal error: a bug") || !strings.Contains(s, "panic_test.go") {
		t.Errorf("stderr is %q", s)
	}
}

// brokenWriter panics.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { panic("a bug") }
