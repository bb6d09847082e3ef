package live

import (
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/terminal/terminaltest"
)

// TestLiveOnTerminal draws on a real terminal, types ^C, and checks that the terminal is given back as it was.
func TestLiveOnTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	keyboard, terminal := terminaltest.Open(t)
	before, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	seen := new(terminaltest.Screen)
	go func() { // ends when the terminal is closed
		buf := make([]byte, 4096)
		for {
			n, err := keyboard.Read(buf)
			seen.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	interrupted := make(chan struct{})
	l := startLive(terminal, terminal, sync.OnceFunc(func() { close(interrupted) }), false)
	for _, e := range events(4) {
		l.observe(e)
	}
	terminaltest.Wait(t, "the last update on the screen", func() bool { return strings.Contains(seen.String(), "turn 2") })
	if _, err := keyboard.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-interrupted:
	case <-time.After(10 * time.Second):
		t.Fatal("^C did not interrupt")
	}
	l.close()
	after, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the terminal is not as it was: %+v, was %+v, %v", after, before, err)
	}
}
