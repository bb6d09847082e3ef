// Package bounded runs Starlark, a small dialect of Python, for texts that nobody vouches for. Starlark has no files, no network and no clock;
// its interpreter counts steps. But one step can make a text of a gigabyte, ask for the order of a billion numbers, or compare two small
// lists that hold each other a million times over.
//
//	limits := bounded.Limits{Steps: 1_000_000, Bytes: 64 << 20, Time: 10 * time.Second}
//	globals, err := bounded.Exec(limits.Thread("score"), "score.star", text, known)
//	value, err := starlark.Call(limits.Thread("score"), globals["score"], args, nil)
//
// So every call has an account of bytes beside its steps. A text is rewritten before it is compiled (rewrite.go): operators, attributes, keys
// and slices become calls of guards (guards.go), and functions such as list and str are replaced (functions.go). A guard takes what its work
// makes or looks at from the account first, and works then. What is taken depends on the values alone, so that the same call with the same
// values ends in the same way on every machine. A step that no guard sees makes and looks at some words, no more. What is left to the clock are
// tables that grow key by key, all with one hash (alike.go).
//
// Templates of prompts are bounded beside it: see [Prompt].
package bounded

import (
	"errors"
	"fmt"
	"strings"
	"time"

	starjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Limits bound one call.
type Limits struct {
	Steps uint64
	Bytes int           // that it makes or looks at, as the guards count them
	Time  time.Duration // on the clock. Steps and bytes end a call before, but where single steps are slow: a table of keys that are alike looks at all of them for each
}

// mostText bounds a text, whose parts may hold each other as deep as it is long.
const mostText = 128 << 10

// accountKey is where a thread holds its account.
const accountKey = "account"

// tooManySteps begins the reason of a thread that has used up its steps.
const tooManySteps = "too many steps: "

// Thread is one for one call.
func (l Limits) Thread(name string) *starlark.Thread {
	t := &starlark.Thread{Name: name, Print: func(*starlark.Thread, string) {}}
	l.watched(t)
	t.SetLocal(accountKey, &account{left: l.Bytes, all: l.Bytes})
	return t
}

var dialect = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true}

// CheckExpression says why a text is no expression.
func CheckExpression(place, text string) error {
	if len(text) > mostText {
		return fmt.Errorf("%s has %d bytes, at most %d can be read", place, len(text), mostText)
	}
	_, err := dialect.ParseExpr(place, text, 0)
	return err
}

// Exec runs a text, which sees what is known, and gives its globals, frozen.
func Exec(t *starlark.Thread, place, text string, known starlark.StringDict) (starlark.StringDict, error) {
	if len(text) > mostText {
		return nil, fmt.Errorf("%s has %d bytes, at most %d can be read", place, len(text), mostText)
	}
	file, err := dialect.Parse(place, text, 0)
	if err != nil {
		return nil, err
	}
	rewrite(file)
	all := guards()
	for name, v := range known {
		all[name] = v
		if b, ok := v.(*starlark.Builtin); ok {
			all[name] = Guard(b)
		}
	}
	program, err := starlark.FileProgram(file, all.Has)
	if err != nil {
		return nil, err
	}
	globals, err := program.Init(t, all)
	if err != nil {
		return nil, err
	}
	return globals, freeze(t, globals)
}

// freeze freezes globals that the account can pay for: freezing looks at all that they hold.
func freeze(t *starlark.Thread, globals starlark.StringDict) error {
	a := of(t)
	for name, v := range globals {
		if err := a.look(v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	globals.Freeze()
	return nil
}

// Plainly is an error as the reader of a text needs it: one line about a limit, with the place; else the lines that it came through.
func Plainly(err error) error {
	var failed *starlark.EvalError
	if !errors.As(err, &failed) {
		return err
	}
	if _, why, ended := strings.Cut(failed.Msg, "Starlark computation cancelled: "); ended {
		return errors.New(strings.TrimPrefix(why, tooManySteps))
	}
	if out, ok := errors.AsType[*Exhausted](err); ok {
		return fmt.Errorf("line %d: %w", line(failed.CallStack), out)
	}
	return Trace(err)
}

// Trace is an error with the lines that it came through, without those of guards.
func Trace(err error) error {
	var failed *starlark.EvalError
	if !errors.As(err, &failed) {
		return err
	}
	own := &starlark.EvalError{Msg: failed.Msg}
	guards := guards()
	for _, frame := range failed.CallStack {
		_, guard := guards[frame.Name]
		if _, function := functions[frame.Name]; frame.Pos.Line > 0 || !guard || function {
			own.CallStack = append(own.CallStack, frame)
		}
	}
	return errors.New(own.Backtrace())
}

// line is that of the innermost frame which is in the text.
func line(stack starlark.CallStack) int {
	for i := range stack {
		if at := stack.At(i).Pos; at.Line > 0 {
			return int(at.Line)
		}
	}
	return 0
}

// Show is a value as an error says it: in a few letters, or by its type where it is large.
func Show(v starlark.Value) string {
	const most, letters = 64 << 10, 80
	if (&account{left: most, all: most}).look(v) != nil {
		return v.Type()
	}
	return fmt.Sprintf("%.*s", letters, v.String())
}

// Encode is a value in JSON.
func Encode(t *starlark.Thread, v starlark.Value) (string, error) {
	encode, err := getMethod(t, starjson.Module, "encode")
	if err != nil {
		return "", err
	}
	text, err := starlark.Call(t, encode, starlark.Tuple{v}, nil)
	if err != nil {
		return "", err
	}
	return string(text.(starlark.String)), nil
}

// Texts reads a text, or a list of texts.
func Texts(v starlark.Value) ([]string, error) {
	if one, ok := starlark.AsString(v); ok {
		return []string{one}, nil
	}
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("it gives %s, expected a name or a list of names", v.Type())
	}
	var out []string
	it := list.Iterate()
	defer it.Done()
	for item := starlark.Value(starlark.None); it.Next(&item); {
		text, ok := starlark.AsString(item)
		if !ok {
			return nil, fmt.Errorf("it gives a list with %s in it, expected names", item.Type())
		}
		out = append(out, text)
	}
	return out, nil
}
