package terminal

import (
	"fmt"
	"io"
	"strings"
)

// An Editor reads lines from a terminal in raw mode, with the usual keys: arrows, Home and End, Delete, ^A, ^E, ^K, ^U, ^W, and the
// earlier lines by the arrows up and down. It serves one goroutine.
type Editor struct {
	in      io.Reader
	out     io.Writer
	prompt  string
	columns func() int // of the terminal

	input []byte   // was typed and is not used yet: the rest of a paste belongs to the next line
	past  []string // the lines before, the oldest first

	line  line
	row   int    // of the cursor, below the prompt's row
	at    int    // which line is shown: an index of past, or its length for the new one
	draft string // the new line, while an earlier one is shown
}

// NewEditor returns an editor that reads keys from in and draws to out.
func NewEditor(in io.Reader, out io.Writer, prompt string, columns func() int) *Editor {
	return &Editor{in: in, out: out, prompt: prompt, columns: columns}
}

// ReadLine returns the next line, and [io.EOF] for ^C, for ^D on an empty line and at the end of the input.
func (e *Editor) ReadLine() (string, error) {
	e.line, e.row, e.at, e.draft = line{}, 0, len(e.past), ""
	for {
		done, err := e.useInput()
		if done || err != nil {
			e.line.end()
		}
		if drawErr := e.draw(); drawErr != nil {
			return "", drawErr
		}
		if err != nil {
			return "", err
		}
		if done {
			_, err := io.WriteString(e.out, "\r\n")
			return e.keep(), err
		}
		if err := e.readInput(); err != nil {
			return "", err
		}
	}
}

func (e *Editor) readInput() error {
	more := make([]byte, 256)
	n, err := e.in.Read(more)
	e.input = append(e.input, more[:n]...)
	if n > 0 {
		return nil
	}
	return err
}

// useInput follows the keys that were typed, up to the end of the line. err is [io.EOF] where one of them ends everything.
func (e *Editor) useInput() (done bool, err error) {
	for {
		k, n := nextKey(e.input)
		if n == 0 {
			return false, nil
		}
		typed := string(e.input[:n])
		e.input = e.input[n:]
		switch {
		case k == enter:
			return true, nil
		case k == leave, k == eraseOrQuit && e.line.String() == "":
			return false, io.EOF
		case k == earlier:
			e.show(e.at - 1)
		case k == later:
			e.show(e.at + 1)
		default:
			e.line.edit(k, typed)
		}
	}
}

// show replaces the line by an earlier one, or by the new line where at is one past the last.
func (e *Editor) show(at int) {
	if at < 0 || at > len(e.past) {
		return
	}
	if e.at == len(e.past) {
		e.draft = e.line.String()
	}
	e.at = at
	shown := e.draft
	if at < len(e.past) {
		shown = e.past[at]
	}
	e.line = line{before: shown}
}

// keep returns the line and remembers it, unless it is empty or was the last one too.
func (e *Editor) keep() string {
	s := e.line.String()
	if s != "" && (len(e.past) == 0 || e.past[len(e.past)-1] != s) {
		e.past = append(e.past, s)
	}
	return s
}

// draw writes prompt and line over what was drawn before, and puts the cursor where it belongs.
func (e *Editor) draw() error {
	columns := max(e.columns(), 1)
	var b strings.Builder
	if e.row > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", e.row)
	}
	b.WriteString("\r\x1b[J" + e.prompt + e.line.String())
	last, column := place(e.prompt+e.line.String(), columns)
	if column == columns { // the terminal waits at the margin
		b.WriteString("\r\n")
		last++
	}
	e.row, column = place(e.prompt+e.line.before, columns)
	if column == columns {
		e.row, column = e.row+1, 0
	}
	if up := last - e.row; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	b.WriteString("\r")
	if column > 0 {
		fmt.Fprintf(&b, "\x1b[%dC", column)
	}
	_, err := io.WriteString(e.out, b.String())
	return err
}
