package main

import (
	"io"
	"strings"
	"testing"

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
