package jinja

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Bounds on what one rendering may use. Real conversations stay far below; templates come from strangers.
const (
	maxSteps  = 4_000_000 // expressions, statements, items made, and every 64 bytes handled
	maxOutput = 16 << 20  // bytes of the text, and of any one string
	maxNested = 3000      // expressions and statements within each other, macro calls included
	maxRange  = 100_000   // items of range(), Jinja's own limit
)

var (
	errSteps  = errors.New("the template takes too many steps")
	errOutput = errors.New("the template makes too much text")
	errNested = errors.New("the template recurses too deeply")
)

// run is one rendering.
type run struct {
	out   *strings.Builder // what is being written: the text itself, or a captured part
	text  *strings.Builder // the text itself
	spans []Span
	steps int
	depth int
	now   time.Time
}

// scope holds the variables of a macro, a loop's turn or a block; the outermost those of the template.
type scope struct {
	vars  map[string]any
	outer *scope
}

func (s *scope) inner() *scope { return &scope{outer: s} }

func (s *scope) set(name string, v any) {
	if s.vars == nil {
		s.vars = map[string]any{}
	}
	s.vars[name] = v
}

func (s *scope) get(name string) any {
	for ; s != nil; s = s.outer {
		if v, ok := s.vars[name]; ok {
			return v
		}
	}
	if f, ok := functions[name]; ok {
		return f
	}
	return undefined{fmt.Sprintf("'%s' is undefined", name)}
}

// charge counts work, so that a loop over cheap-looking operations on long values ends too.
func (r *run) charge(steps int) error {
	r.steps += steps
	if r.steps > maxSteps || steps < 0 {
		return errSteps
	}
	return nil
}

// enter counts a step one level deeper.
func (r *run) enter() error {
	r.depth++
	if r.depth > maxNested {
		return errNested
	}
	return r.charge(1)
}

// eval computes x.
func (r *run) eval(x expr, s *scope) (any, error) {
	defer func() { r.depth-- }()
	if err := r.enter(); err != nil {
		return nil, err
	}
	return x.eval(r, s)
}

// exec carries out body. An error is marked with the line of the innermost statement.
func (r *run) exec(body []stmt, s *scope) error {
	defer func() { r.depth-- }()
	if err := r.enter(); err != nil {
		return err
	}
	for _, st := range body {
		err := r.charge(1)
		if err == nil {
			err = st.exec(r, s)
		}
		if err != nil {
			return atLine(err, st.lineNumber())
		}
	}
	return nil
}

// atLine marks an error with its line unless it has one, or is no error but a jump.
func atLine(err error, line int) error {
	var marked *Error
	if err == errBreak || err == errContinue || errors.As(err, &marked) {
		return err
	}
	return &Error{Line: line, Err: err}
}

// capture carries out body and returns what it writes.
func (r *run) capture(body []stmt, s *scope) (string, error) {
	out := r.out
	r.out = &strings.Builder{}
	defer func() { r.out = out }()
	err := r.exec(body, s)
	return r.out.String(), err
}

// write adds to the output.
func (r *run) write(text string) error {
	if r.out.Len()+len(text) > maxOutput {
		return errOutput
	}
	r.out.WriteString(text)
	return r.charge(len(text) / 64)
}

// str is what v prints as, its length counted.
func (r *run) str(v any) (string, error) {
	s, err := str(v)
	if err != nil {
		return "", err
	}
	return s, r.charge(len(s) / 64)
}

// iterate lists the items of v, their number counted.
func (r *run) iterate(v any) ([]any, error) {
	if s, ok := text(v); ok {
		if err := r.charge(len(s)); err != nil {
			return nil, err
		}
	}
	list, err := iterate(v)
	if err != nil {
		return nil, err
	}
	return list, r.charge(len(list) / 8)
}
