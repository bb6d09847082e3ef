package main

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

	"parley/cmd/parley/internal/chatcmd"
	"parley/cmd/parley/internal/cli"
	"parley/internal/terminal/terminaltest"
)

// typedChat begins a conversation on a terminal.
func typedChat(t *testing.T, args ...string) (keyboard io.Writer, seen *terminaltest.Screen, code <-chan int) {
	t.Helper()
	t.Setenv("TERM", "xterm")
	keys, terminal := terminaltest.Open(t)
	seen = new(terminaltest.Screen)
	go io.Copy(seen, keys) // ends when the terminal is closed
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), append([]string{"chat", base}, args...), terminal, terminal, seen)
	}()
	return keys, seen, done
}

func typeIn(t *testing.T, keyboard io.Writer, keys string) {
	t.Helper()
	if _, err := io.WriteString(keyboard, keys); err != nil {
		t.Fatal(err)
	}
}

// TestChatOnTerminal edits lines, reads an answer and its rate, and leaves with ^C.
func TestChatOnTerminal(t *testing.T) {
	keyboard, seen, code := typedChat(t, "--max-new", "20")
	// asked is true when a prompt has come after text: before it, the terminal itself would see to what is typed.
	asked := func(text string) func() bool {
		return func() bool {
			_, after, found := strings.Cut(seen.String(), text)
			return found && strings.Contains(after, "> ")
		}
	}
	terminaltest.Wait(t, "the prompt", asked(""))
	typeIn(t, keyboard, "/hellp\x7f\x7fp\r")
	terminaltest.Wait(t, "the help", asked("forget the conversation"))
	typeIn(t, keyboard, "What is 2 + 3?\r")
	terminaltest.Wait(t, "the rate", asked(" tokens/s)"))
	typeIn(t, keyboard, "\x03")
	if got := <-code; got != cli.ExitDone {
		t.Errorf("exit code %d: %s", got, seen)
	}
}

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
	cmd := &chatcmd.Cmd{Target: base, DType: "f32", Temperature: &hot, MaxNew: &often}
	r := &chatcmd.ChatRoom{App: &cli.App{Ctx: t.Context(), Stdout: out, Stderr: io.Discard}, Cmd: cmd}
	if err := cmd.Enter(r.App, r); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Interruptible("Count."); !errors.Is(err, context.Canceled) || out.text.Len() == 0 {
		t.Fatalf("error %v after %q", err, out.text.String())
	}
	if err := r.Interruptible("/help"); err != nil || !strings.Contains(out.text.String(), "/reset") {
		t.Errorf("error %v, %q", err, out.text.String())
	}
}
