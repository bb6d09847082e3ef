package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestStderr: nothing on stderr drives the terminal, whatever names somebody has given.
func TestStderr(t *testing.T) {
	t.Setenv("PARLEY_RUNS", t.TempDir())
	const evil = "\x1b[31m\u202eevil\a"
	for name, args := range map[string][]string{
		"verb": {evil},
		"flag": {"train", "--" + evil},
		"run":  {"train", "magrpo-tiny", "--out", filepath.Join(t.TempDir(), evil), "--set", "training.updates=1", "--set", "training.problems=1", "--set", "eval.problems=1"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr)
			said := stderr.String()
			if !strings.Contains(said, `\u001b[31m\u202eevil`) || strings.ContainsFunc(said, func(r rune) bool {
				return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
			}) {
				t.Errorf("%q", said)
			}
		})
	}
}
