package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo-terminal: what is written to the first file is typed into the second.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	return keyboard, terminal
}

// A screen collects what is written to a terminal.
type screen struct {
	sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.Lock()
	defer s.Unlock()
	return s.text.String()
}

// TestLiveOnTerminal draws on a real terminal, types ^C, and checks that the terminal is given back as it was.
func TestLiveOnTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	keyboard, terminal := openTerminal(t)
	before, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	seen := new(screen)
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
	l := startLive(terminal, terminal, sync.OnceFunc(func() { close(interrupted) }))
	for _, e := range events(4) {
		l.observe(e)
	}
	wait(t, "the last update on the screen", func() bool { return strings.Contains(seen.String(), "turn 2") })
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

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 1000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}
