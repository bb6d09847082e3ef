package wasm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/task/sandbox"
)

// TestInterpreter: without the very file that is meant nothing is run, and the error says how to get it.
func TestInterpreter(t *testing.T) {
	other := filepath.Join(t.TempDir(), "python.wasm")
	if err := os.WriteFile(other, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{other: "is another file than expected", other + "x": "no such file"} {
		t.Setenv(Variable, file)
		p, err := sandbox.Open(t.Context(), sandbox.Options{Backend: Name})
		var missing *sandbox.Unavailable
		if p != nil || !errors.As(err, &missing) || !strings.Contains(missing.Reason, want) || !strings.Contains(missing.Remedy, "npm pack") {
			t.Errorf("%s: %v, %v", file, p, err)
		}
	}
	t.Setenv(sandbox.BackendVariable, "none")
	if _, err := sandbox.Open(t.Context(), sandbox.Options{}); err == nil || !strings.Contains(err.Error(), "write one of bubblewrap, wasm") {
		t.Errorf("%v", err)
	}
}
