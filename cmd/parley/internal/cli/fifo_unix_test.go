//go:build unix

package cli

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipeIsInterrupted: ^C ends the wait for somebody who writes to a named pipe.
func TestPipeIsInterrupted(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := (&App{Ctx: ctx}).OpenInput(pipe); exitCode(err) != exitInterrupted || !strings.Contains(err.Error(), pipe) {
		t.Errorf("error %v, want one of an interrupt", err)
	}
}
