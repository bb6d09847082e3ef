package servecmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/cmd/parley/internal/cli"
	"parley/model"
)

// An interrupter sends ^C's signal when the first piece of an answer is written to it.
type interrupter struct {
	text    strings.Builder
	arrived chan os.Signal
}

func (i *interrupter) Write(p []byte) (int, error) {
	if i.text.Len() == 0 {
		if err := unix.Kill(unix.Getpid(), unix.SIGINT); err != nil {
			return 0, err
		}
		<-i.arrived
		time.Sleep(100 * time.Millisecond) // the program's own watcher hears of it at its leisure
	}
	return i.text.Write(p)
}

// TestChatInterrupted: ^C ends one answer, not the conversation.
func TestChatInterrupted(t *testing.T) {
	out := &interrupter{arrived: make(chan os.Signal, 1)}
	signal.Notify(out.arrived, os.Interrupt)
	defer signal.Stop(out.arrived)
	often := 20000 // more than the context holds
	hot := 20.0
	cmd := &Chat{Target: model.Shipped, DType: "f32", Temperature: &hot, MaxNew: &often}
	r := &chatRoom{App: &cli.App{Ctx: t.Context(), Stdout: out, Stderr: io.Discard}, cmd: cmd}
	if err := cmd.enter(r.App, r); err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.interruptible("Count."); !errors.Is(err, context.Canceled) || out.text.Len() == 0 {
		t.Fatalf("error %v after %q", err, out.text.String())
	}
	if err := r.interruptible("/help"); err != nil || !strings.Contains(out.text.String(), "/reset") {
		t.Errorf("error %v, %q", err, out.text.String())
	}
}
