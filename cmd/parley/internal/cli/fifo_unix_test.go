//go:build unix

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/train"
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

// TestEventsUnread: when the reader of a descriptor has gone, the work ends as at ^C.
func TestEventsUnread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	fd, err := syscall.Dup(int(w.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	err = Events{fmt.Sprintf("fd:%d", fd)}.While(&App{Ctx: t.Context()}, func(a *App) error {
		a.Tell(train.Event{Kind: train.Note, Message: "read"})
		line := make([]byte, 100)
		n, err := r.Read(line)
		if err != nil || string(line[:n]) != `{"event":"note","text":"read"}`+"\n" || a.Ctx.Err() != nil {
			t.Errorf("%q, %v, %v", line[:n], err, a.Ctx.Err())
		}
		r.Close()
		a.Tell(train.Event{Kind: train.Note, Message: "unread"})
		return a.Ctx.Err()
	})
	if exitCode(err) != exitInterrupted {
		t.Errorf("error %v, want one of an interrupt", err)
	}
}
