package tools

// This file is what agents may call: functions of Python files of the user, snippets of Python, a calculator, and functions of servers.
//
//	f, err := functions.Open(ctx, []string{"python", "units.py"}, functions.Limits{})
//	result, err := f.Call(ctx, "miles", json.RawMessage(`{"kilometres": 12}`))
//
// Every call of Python runs in a sandbox of its own, that knows nothing of the calls before, within limits of time and output. Whatever the
// code does, raising, looping, printing without end, leaving the interpreter, the caller gets a result that says so. An error is the
// machine's: there was no sandbox, or the context ended.

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/plainfile"
	"parley/task/sandbox"
)

//go:embed python/annotations.py
var annotations string

//go:embed python/tools.py
var driver string

// Words for functions that are not in a file.
const (
	python     = "python"     // runs a snippet
	Calculator = "calculator" // the function calculate
)

// Limits bound one call.
type Limits struct {
	Deadline time.Duration
	Output   int // bytes of a result
}

// A Function is what a model is told of something that it may call.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON schema
}

// A Result is what a call gave.
type Result struct {
	Text   string
	Failed bool // the text says what was wrong
}

// Functions are all that one agent may call.
type Functions struct {
	List   []Function
	from   map[string]caller
	pool   *sandbox.Pool // nil: nothing needs one
	limits Limits
}

// A caller runs the calls of a function.
type caller func(ctx context.Context, arguments json.RawMessage) (Result, error)

// Open reads what an agent may call: words, files and servers. Where something of it is wrong the error says all of it. Where Python is needed and
// cannot be isolated the error wraps a [*sandbox.Unavailable].
func Open(ctx context.Context, names []string, limits Limits) (*Functions, error) {
	f := &Functions{from: map[string]caller{}, limits: limits}
	var errs []error
	for _, name := range names {
		if err := f.add(ctx, name); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// add adds the functions of a word or a file.
func (f *Functions) add(ctx context.Context, name string) error {
	switch name {
	case Calculator:
		return f.put(calculate, calculator)
	case python:
		if err := f.open(ctx); err != nil {
			return err
		}
		return f.put(snippet, f.snippet)
	}
	if served(name) {
		return f.addServer(ctx, name)
	}
	source, err := plainfile.Read(name)
	if err != nil {
		return err
	}
	if err := f.open(ctx); err != nil {
		return err
	}
	list, err := f.describe(ctx, filepath.Base(name), string(source))
	if err != nil {
		return err
	}
	for _, function := range list {
		err = errors.Join(err, f.put(function, f.fileCaller(filepath.Base(name), string(source), function.Name)))
	}
	return err
}

func (f *Functions) put(function Function, c caller) error {
	if f.from[function.Name] != nil {
		return fmt.Errorf("there is a function %s already", function.Name)
	}
	f.List, f.from[function.Name] = append(f.List, function), c
	return nil
}

// Names are those of all functions, in order.
func (f *Functions) Names() []string {
	var names []string
	for _, function := range f.List {
		names = append(names, function.Name)
	}
	return names
}

// Call calls a function with an object of arguments. A text in its place is the only argument of a function that takes one.
func (f *Functions) Call(ctx context.Context, name string, arguments json.RawMessage) (Result, error) {
	i := slices.IndexFunc(f.List, func(g Function) bool { return g.Name == name })
	if i < 0 {
		return wrong("there is no function %.80q, but %s", name, strings.Join(f.Names(), ", ")), nil
	}
	arguments, err := f.List[i].accept(arguments)
	if err != nil {
		return wrong("%s: %w", name, err), nil
	}
	r, err := f.from[name](ctx, arguments)
	r.Text = bounded(r.Text, f.limits.Output)
	return r, err
}

// wrong is the result of a call that cannot be run or gave nothing.
func wrong(format string, args ...any) Result {
	return Result{Text: "error: " + fmt.Errorf(format, args...).Error(), Failed: true}
}

// bounded is a text of at most so many bytes, which says how many there were.
func bounded(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (cut: %d bytes in all)", len(text))
}

// Close ends the sandboxes.
func (f *Functions) Close() error {
	if f.pool == nil {
		return nil
	}
	return f.pool.Close()
}
