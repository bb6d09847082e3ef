// Package jinja runs programs in the template language Jinja: the part of it that the chat templates of language models use.
//
// [Parse] reads a template, and [Template.Render] runs it the way Hugging Face transformers does (a sandbox, trim_blocks and
// lstrip_blocks on, lenient undefined values), so that the text is the same byte for byte. What is not supported is an error
// that names the line, never missing text.
//
// Templates come from strangers: they can read what they are given and write text, nothing else, and a rendering that
// takes too many steps, nests too deeply or writes too much ends with an error.
//
//	lexer*.go                    a template as tokens
//	parser*.go, ast.go           tokens as statements and expressions
//	run.go, exec.go, loop.go     statements are carried out: output, scopes, and the bounds on what a rendering may use
//	eval.go, operators.go, compare.go, access.go, args.go, literal.go   expressions are computed
//	filters*.go, tests.go, functions.go, methods.go, split.go, strftime.go   what comes with the language
//	value.go, object.go, text.go, print.go   values as Python has them
//	json_read.go, json_write.go  values as JSON
package jinja

import (
	"fmt"
	"strings"
	"time"
)

// A Template is a parsed template. It may be used concurrently.
type Template struct{ body []stmt }

// A Span is a range of bytes [Start, End).
type Span struct{ Start, End int }

// An Error is a template that cannot be read or run, with the line where.
type Error struct {
	Line int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("chat template: line %d: %v", e.Line, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// A RaisedError is the template's own refusal of what it is given, by raise_exception(message).
type RaisedError struct{ Message string }

func (e *RaisedError) Error() string { return e.Message }

// Parse reads a template.
func Parse(source string) (*Template, error) {
	body, err := parse(source)
	if err != nil {
		return nil, err
	}
	return &Template{body}, nil
}

// Render runs a template over variables, whose keys are their names; now is what strftime_now tells. It returns the text, and
// what of it stands in generation blocks, in order. A refusal by the template is a [*RaisedError] inside of the error.
func (t *Template) Render(variables *Object, now time.Time) (text string, generated []Span, err error) {
	out, outermost := &strings.Builder{}, &scope{}
	for _, name := range variables.Keys() {
		v, _ := variables.Get(name)
		outermost.set(name, v)
	}
	r := &run{out: out, text: out, now: now}
	if err := r.exec(t.body, outermost); err != nil {
		return "", nil, err
	}
	return out.String(), r.spans, nil
}
