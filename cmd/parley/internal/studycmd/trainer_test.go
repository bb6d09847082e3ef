//go:build unix

package studycmd

import (
	"os/exec"
	"strings"
	"testing"
)

// TestMessage: why a run ended is its own last message; notes before it are none, nor is what quotes the word parley in a line.
func TestMessage(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"says why":    {"echo 'note: a' >&2; printf 'parley: no disk\\n  at all\\n' >&2; exit 1", "no disk\n  at all"},
		"quotes":      {"echo 'parley: wrong: it says parley: x' >&2; exit 2", "wrong: it says parley: x"},
		"killed":      {"echo 'note: diagnostic of the team: endless_answers' >&2; kill -9 $$", "its process was killed"},
		"last line":   {"printf 'panic\\nexit of a thread\\n' >&2; exit 2", "exit of a thread"},
		"not a word":  {"exit 3", "it ended without a word"},
		"not started": {"", "it ended without a word"},
	} {
		var last tail
		cmd := exec.Command("sh", "-c", c.script)
		if c.script == "" {
			cmd = exec.Command("no-such-program")
		}
		said := &strings.Builder{}
		cmd.Stderr = said
		err := cmd.Run()
		last.add([]byte(said.String()))
		if got := last.message(err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
