package bounded

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// mostDepth is how deep values may hold each other where something looks at all of one.
const mostDepth = 1000

// Bytes that an entry takes, in a list and in a table.
const (
	entry = 16
	row   = 64
)

// An Exhausted error says that a call makes or looks at too much.
type Exhausted struct {
	Bytes int // the limit
	deep  bool
}

func (e *Exhausted) Error() string {
	if e.deep {
		return fmt.Sprintf("it works on values that hold each other more than %d deep", mostDepth)
	}
	return fmt.Sprintf("it works on more than %d MiB of texts, lists and numbers: make them shorter, or fewer", e.Bytes>>20)
}

// An account is what a call may still make and look at.
type account struct{ left, all int }

// of is the account of a thread.
func of(t *starlark.Thread) *account { return t.Local(accountKey).(*account) }

// take takes n bytes. Fewer than none is a product that was too large for a number.
func (a *account) take(n int) error {
	if n < 0 || n > a.left {
		return &Exhausted{Bytes: a.all}
	}
	a.left -= n
	return nil
}

// times takes n times m bytes.
func (a *account) times(n, m int) error {
	if n > 0 && m > a.left/n {
		return &Exhausted{Bytes: a.all}
	}
	return a.take(n * m)
}

// look takes what it costs to look at all of a value: what it holds several times counts as often, and a range has all its numbers.
func (a *account) look(v starlark.Value) error { return a.lookInto(v, 0) }

func (a *account) lookInto(v starlark.Value, depth int) error {
	if depth > mostDepth {
		return &Exhausted{Bytes: a.all, deep: true}
	}
	switch v := v.(type) {
	case starlark.String:
		return a.take(1 + len(v))
	case starlark.Bytes:
		return a.take(1 + len(v))
	case starlark.Int:
		return a.digits(size(v))
	}
	return a.lookAtParts(v, depth)
}

// digits takes what it costs to write, read, multiply or divide a number of n bytes: about the square.
func (a *account) digits(n int) error { return a.times(1+n, 1+n/64) }

// lookAtParts looks at what a value holds.
func (a *account) lookAtParts(v starlark.Value, depth int) error {
	if err := a.times(entry, 1+length(v)); err != nil {
		return err
	}
	switch v := v.(type) {
	case *starlark.List:
		for i := range v.Len() {
			if err := a.lookInto(v.Index(i), depth+1); err != nil {
				return err
			}
		}
	case starlark.Tuple:
		return a.lookAtAll(v, depth)
	case *starlark.Set:
		for x := range v.Elements() {
			if err := a.lookInto(x, depth+1); err != nil {
				return err
			}
		}
	case *starlark.Dict:
		for key, x := range v.Entries() {
			if err := a.lookAtAll([]starlark.Value{key, x}, depth); err != nil {
				return err
			}
		}
	case *starlarkstruct.Struct:
		for _, name := range v.AttrNames() {
			x, err := v.Attr(name)
			if err == nil {
				err = a.lookInto(x, depth+1)
			}
			if err != nil {
				return err
			}
		}
	case *starlark.Function:
		return a.lookAtAll(held(v), depth)
	case *starlark.Builtin:
		if v.Receiver() != nil {
			return a.lookInto(v.Receiver(), depth+1)
		}
	}
	return nil
}

func (a *account) lookAtAll(list []starlark.Value, depth int) error {
	for _, x := range list {
		if err := a.lookInto(x, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// held are the values that a function holds.
func held(f *starlark.Function) (out []starlark.Value) {
	for i := range f.NumParams() {
		if v := f.ParamDefault(i); v != nil {
			out = append(out, v)
		}
	}
	for i := range f.NumFreeVars() {
		if _, v := f.FreeVar(i); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// size is that of a number, in bytes.
func size(i starlark.Int) int {
	if _, small := i.Int64(); small {
		return 0
	}
	return i.BigInt().BitLen() / 8
}

// length is how many entries a value has, or bytes; 0 where it has none.
func length(v starlark.Value) int { return max(0, starlark.Len(v)) }
