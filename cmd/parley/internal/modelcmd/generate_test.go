package modelcmd

import (
	"bytes"
	"testing"

	"parley/cmd/parley/internal/cli"
)

// FuzzReadObject: lines are one object with known fields or an error, and what was read can be written.
func FuzzReadObject(f *testing.F) {
	for _, s := range []string{`{"ids":[1,2],"n":3}`, `{"messages":[{"role":"user"}]}`, `{"text":"a"} {}`, `null`, `{"temperature":1e999}`, `{`, `{"seed":-1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return
		}
		var g generating
		if err := cli.ReadObject(line, &g); err != nil {
			return
		}
		if line[0] != '{' || line[len(line)-1] != '}' {
			t.Errorf("%q was read as an object", line)
		}
		if err := g.check(); err == nil && (g.N < 1 || g.MaxTokens < 0) {
			t.Errorf("%q was accepted", line)
		}
	})
}
