package service

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A Start is how a program is started that leads a process group of its own. Where the system can, the program ends when parley does.
type Start struct {
	Command []string
	Dir     string    // in which it runs; empty: parley's
	Env     []string  // nil: parley's
	Output  io.Writer // gets what it writes to stdout
	Stdin   *os.File  // its stdin, which is the program's alone from then on; nil: what [Group.Say] says
}

// A Group is a program that was started so, with all that it starts.
type Group struct {
	cmd    *exec.Cmd
	input  io.WriteCloser
	stderr tail
	ended  chan struct{} // closed once it has ended
	err    error         // how; read behind ended
}

// Sizes of what is kept of stderr, and how long its last words may take once a program has ended.
const (
	errorBytes = 16 << 10
	lastWords  = time.Second / 4
)

// Group starts the program.
func (s Start) Group() (*Group, error) {
	g := &Group{cmd: exec.Command(s.Command[0], s.Command[1:]...), ended: make(chan struct{}), stderr: tail{most: errorBytes}}
	g.cmd.Dir, g.cmd.Env, g.cmd.Stdout, g.cmd.Stderr, g.cmd.WaitDelay = s.Dir, s.Env, s.Output, &g.stderr, lastWords
	var err error
	if s.Stdin != nil {
		g.cmd.Stdin, g.input = s.Stdin, s.Stdin
		defer s.Stdin.Close()
	} else if g.input, err = g.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := startGroup(g.cmd); err != nil {
		_ = g.input.Close()
		return nil, fmt.Errorf("start it: %w", err)
	}
	go func() {
		defer close(g.ended)
		if g.err = g.cmd.Wait(); errors.Is(g.err, exec.ErrWaitDelay) {
			g.err = nil // it ended well, and something that it has started holds its output
		}
	}()
	return g, nil
}

// Say writes to the program while it goes on, for it may wait with reading; last closes its stdin behind that.
func (g *Group) Say(text []byte, last bool) {
	go func() {
		_, _ = g.input.Write(text) // a program that does not read shows by what it does
		if last {
			_ = g.input.Close()
		}
	}()
}

// Ended is closed once the program has ended, and all that it wrote was taken.
func (g *Group) Ended() <-chan struct{} { return g.ended }

// Err is how a program that has ended did, with its last words on stderr; nil: well.
func (g *Group) Err() error {
	<-g.ended
	if g.err == nil {
		return nil
	}
	return fmt.Errorf("it ended (%w)%s", g.err, g.Words())
}

// Words are its last ones on stderr, for an error; empty: it wrote none.
func (g *Group) Words() string {
	said := g.stderr.String()
	if said == "" {
		return ""
	}
	return ", after these words on stderr:\n" + strings.ToValidUTF8(said[max(0, len(said)-tailBytes):], "")
}

// Errors is the end of what it has written to stderr since it was asked last.
func (g *Group) Errors() string { return g.stderr.take() }

// patience is how long a program may take to end that was asked to.
const patience = 2 * time.Second

// Stop ends the program and all of its group: they are asked to, and after a while made to.
func (g *Group) Stop() {
	_ = g.input.Close()
	_ = EndGroup(g.cmd.Process.Pid, false)
	if !g.leaves() {
		_ = EndGroup(g.cmd.Process.Pid, true)
		g.leaves()
	}
	<-g.ended
}

// leaves waits for the end of all, and says whether it came in time.
func (g *Group) leaves() bool {
	for over := time.Now().Add(patience); goesOn(g.cmd, g.ended); time.Sleep(patience / 200) {
		if time.Now().After(over) {
			return false
		}
	}
	return true
}

// Lines are what a program writes, line by line. What nobody takes in time is dropped. It implements [io.Writer].
type Lines struct {
	mu   sync.Mutex
	line []byte
	out  chan []byte
}

// NewLines returns the lines of a program, of which so many wait to be taken.
func NewLines(waiting int) *Lines { return &Lines{out: make(chan []byte, waiting)} }

// C are the lines. One of more than 1 MiB has a byte more, and has lost the rest.
func (l *Lines) C() <-chan []byte { return l.out }

// Forget drops what was written so far, a line without its end too.
func (l *Lines) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.line = l.line[:0]; len(l.out) > 0; {
		<-l.out
	}
}

// Write implements [io.Writer].
func (l *Lines) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := data; len(rest) > 0; {
		part, more, whole := bytes.Cut(rest, []byte{'\n'})
		l.line = append(l.line, part[:min(len(part), longestLine+1-len(l.line))]...)
		if rest = more; !whole {
			break
		}
		if line := bytes.TrimSpace(l.line); len(line) > 0 {
			select {
			case l.out <- bytes.Clone(line):
			default:
			}
		}
		l.line = l.line[:0]
	}
	return len(data), nil
}
