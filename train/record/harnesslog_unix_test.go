//go:build unix

package record

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestHarnessLogPipe: nobody waits for a reader of a pipe that is in the log's place.
func TestHarnessLogPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "harness.log"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (HarnessLog{dir}).Write([]byte("x")); err == nil {
		t.Error("a pipe is written to")
	}
}
