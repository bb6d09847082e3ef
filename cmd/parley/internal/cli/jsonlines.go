package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"parley/internal/service"
)

const (
	longestLine = 64 << 20 // bytes
	mostAtOnce  = 64       // lines that are worked on together
)

// An inputLine is a line of an input. Blank ones are left out, but counted.
type inputLine struct {
	number int // from 1
	text   []byte
	err    error // of reading it; it is then the last
}

// OpenInput opens FILE, or stdin where it is empty. A named pipe opens when somebody writes to it, or not at all: the end of the run is not waited
// for.
func (a *App) OpenInput(file string) (io.ReadCloser, error) {
	if file == "" {
		return io.NopCloser(a.Stdin), nil
	}
	var (
		f    *os.File
		err  error
		done = make(chan struct{})
	)
	go func() {
		f, err = os.Open(file)
		close(done)
	}()
	select {
	case <-done:
	case <-a.Ctx.Done():
		return nil, service.Left(a.Ctx, "somebody who writes to "+file)
	}
	if err != nil {
		return nil, Usagef("--in: %v", err)
	}
	return f, nil
}

// readLines sends the lines of r until its end, an error, or the end of ctx.
func readLines(ctx context.Context, r io.Reader) <-chan inputLine {
	lines := make(chan inputLine, mostAtOnce)
	go func() {
		defer close(lines)
		scanner, number := bufio.NewScanner(r), 0
		scanner.Buffer(nil, longestLine)
		for scanner.Scan() {
			number++
			text := bytes.TrimSpace(scanner.Bytes())
			if len(text) > 0 && !send(ctx, lines, inputLine{number: number, text: bytes.Clone(text)}) {
				return
			}
		}
		err := scanner.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("it has more than %d bytes", longestLine)
		}
		if err != nil {
			send(ctx, lines, inputLine{number: number + 1, err: err})
		}
	}()
	return lines
}

func send(ctx context.Context, lines chan<- inputLine, l inputLine) bool {
	select {
	case lines <- l:
		return true
	case <-ctx.Done():
		return false
	}
}

// take waits for a line and returns it with those that follow without waiting; none at the end. So a program that waits for
// each answer gets it, and a file is worked on many lines at once.
func take(ctx context.Context, lines <-chan inputLine) ([]inputLine, error) {
	var batch []inputLine
	select {
	case l, ok := <-lines:
		if !ok {
			return nil, ctx.Err()
		}
		batch = append(batch, l)
	case <-ctx.Done():
		return nil, service.Left(ctx, "the next line of the input")
	}
	for len(batch) < mostAtOnce {
		select {
		case l, ok := <-lines:
			if !ok {
				return batch, nil
			}
			batch = append(batch, l)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// parseLines parses lines up to the first that is wrong.
func parseLines[In any](lines []inputLine, parse func([]byte) (In, error)) (parsed []In, wrong error) {
	for _, l := range lines {
		var in In
		err := l.err
		if err == nil {
			in, err = parse(l.text)
		}
		if err != nil {
			return parsed, Usagef("input line %d: %v", l.number, err)
		}
		parsed = append(parsed, in)
	}
	return parsed, nil
}

// Convert answers JSON lines from input with JSON lines in the same order. work gets lines that are there at the same time
// together, and returns an answer for each; what it returns must not depend on which lines come together. A line that is
// wrong ends it, after the lines before it have been answered.
func Convert[In, Out any](a *App, input io.Reader, parse func([]byte) (In, error), work func([]In) ([]Out, error)) error {
	ctx, stop := context.WithCancel(a.Ctx)
	defer stop()
	lines := readLines(ctx, input)
	for {
		batch, err := take(ctx, lines)
		if err != nil || len(batch) == 0 {
			return err
		}
		in, wrong := parseLines(batch, parse)
		if len(in) > 0 {
			out, err := work(in)
			if err == nil {
				err = WriteLines(a.Stdout, out)
			}
			if err != nil {
				return err
			}
		}
		if wrong != nil {
			return wrong
		}
	}
}

// HearLines calls hear with each line of stdin as it comes, until stdin ends, an error of hear, or the end of the run.
func (a *App) HearLines(hear func(line string) error) error {
	ctx, stop := context.WithCancel(a.Ctx)
	defer stop()
	lines := readLines(ctx, a.Stdin)
	for {
		batch, err := take(ctx, lines)
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, l := range batch {
			if l.err != nil {
				return fmt.Errorf("read line %d of stdin: %w", l.number, l.err)
			}
			if err := hear(string(l.text)); err != nil {
				return err
			}
		}
	}
}

// EachLine is the work of [Convert] that takes one line at a time.
func EachLine[In, Out any](f func(In) (Out, error)) func([]In) ([]Out, error) {
	return func(in []In) (out []Out, err error) {
		for _, l := range in {
			o, err := f(l)
			if err != nil {
				return nil, err
			}
			out = append(out, o)
		}
		return out, nil
	}
}

// ReadAll parses all lines of input.
func ReadAll[In any](a *App, input io.Reader, parse func([]byte) (In, error)) ([]In, error) {
	ctx, stop := context.WithCancel(a.Ctx)
	defer stop()
	var all []In
	lines := readLines(ctx, input)
	for {
		batch, err := take(ctx, lines)
		if err != nil || len(batch) == 0 {
			return all, err
		}
		in, err := parseLines(batch, parse)
		if err != nil {
			return nil, err
		}
		all = append(all, in...)
	}
}

// WriteLines writes each value as one line of JSON. What turns writing around is an escape: a terminal may be there, and JSON means the same.
func WriteLines[Out any](w io.Writer, list []Out) error {
	buffered := bufio.NewWriter(w)
	enc := json.NewEncoder(printable{buffered})
	enc.SetEscapeHTML(false)
	for _, v := range list {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// ReadObject reads one JSON object whose every field v has.
func ReadObject(line []byte, v any) error {
	if line[0] != '{' {
		return errors.New("a line is one JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) && other.Field != "" {
		return fmt.Errorf("%s is or holds a JSON %s, where %s belongs", other.Field, other.Value, belongs(other.Type))
	}
	if err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("there is more after the JSON object, from byte %d on", dec.InputOffset())
	}
	return nil
}

// belongs names what JSON has for a type.
func belongs(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "a number"
}

// LinesHelp begins the help of a verb that reads JSON lines.
const LinesHelp = "Reads JSON lines and writes one JSON line for each, in the same order. It stops at the first line that is wrong; the lines before it have been answered.\n\n"
