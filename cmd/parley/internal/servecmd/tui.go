package servecmd

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"parley/internal/terminal"
)

// interactive holds the conversation on a terminal. The terminal is raw while a line is edited and as usual while an answer is
// written, so that ^C is a key in the former and a signal in the latter.
func (r *chatRoom) interactive(in, out *os.File) error {
	r.rate = true
	if err := r.Printf("talking to %s; /help lists the commands\n", r.title); err != nil {
		return err
	}
	killed := make(chan os.Signal, 1)
	signal.Notify(killed, syscall.SIGTERM)
	defer signal.Stop(killed)
	editor := newLineEditor(in, out)
	for {
		line, err := editor.read(killed)
		if err == io.EOF {
			return r.Printf("\n")
		}
		if err != nil {
			return err
		}
		switch err := r.interruptible(line); {
		case err == errLeft:
			return nil
		case errors.Is(err, context.Canceled):
			err = r.Printf("\n(stopped)\n")
			if err != nil {
				return err
			}
		case err != nil:
			if err := r.Printf("\n%v\n", err); err != nil {
				return err
			}
		}
	}
}

// interruptible hears a line; ^C ends what it started, and a second ^C the program. The program's own context is left out: it is
// over after the first ^C.
func (r *chatRoom) interruptible(line string) error {
	ctx, stop := signal.NotifyContext(context.WithoutCancel(r.Ctx), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	return r.hear(ctx, line)
}

// A lineEditor reads lines from a terminal, with the usual keys and the earlier lines.
type lineEditor struct {
	in     *os.File
	editor *terminal.Editor
}

func newLineEditor(in, out *os.File) *lineEditor {
	columns := func() int {
		n, _, err := terminal.Size(out)
		if err != nil || n <= 0 {
			return 80
		}
		return n
	}
	return &lineEditor{in, terminal.NewEditor(in, out, "> ", columns)}
}

// read returns the next line, [io.EOF] for ^C and ^D, and [context.Canceled] when the program is killed.
func (l *lineEditor) read(killed <-chan os.Signal) (line string, err error) {
	restore, err := terminal.Raw(l.in)
	if err != nil {
		return "", err
	}
	defer func() { err = cmp.Or(err, restore()) }()
	type typed struct {
		line string
		err  error
	}
	done := make(chan typed, 1)
	go func() {
		line, err := l.editor.ReadLine()
		done <- typed{line, err}
	}()
	select {
	case t := <-done:
		return t.line, t.err
	case <-killed:
		return "", context.Canceled
	}
}
