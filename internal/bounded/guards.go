package bounded

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// operators are those of two values, by the guard's name.
var operators = []syntax.Token{
	syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT, syntax.AMP, syntax.PIPE, syntax.CIRCUMFLEX,
	syntax.LTLT, syntax.GTGT, syntax.IN, syntax.NOT_IN, syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE,
}

// guards are what a rewritten text calls, and the functions that take the place of Starlark's own.
func guards() starlark.StringDict {
	all := starlark.StringDict{
		attribute: starlark.NewBuiltin(attribute, getAttribute),
		key:       starlark.NewBuiltin(key, getKey),
		slice:     starlark.NewBuiltin(slice, getSlice),
		spread:    starlark.NewBuiltin(spread, getSpread),
		update:    starlark.NewBuiltin(update, setEntry),
	}
	for _, op := range operators {
		all[op.String()] = starlark.NewBuiltin(op.String(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return binary(t, op, args[0], args[1])
		})
	}
	for _, op := range operators[:11] {
		name := op.String() + "="
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return inPlace(t, op, args[0], args[1])
		})
	}
	for name := range functions {
		all[name] = Guard(starlark.Universe[name].(*starlark.Builtin))
	}
	all["getattr"] = starlark.NewBuiltin("getattr", getAttributeByName)
	return all
}

// binary is x op y.
func binary(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if err := of(t).operation(op, x, y); err != nil {
		return nil, err
	}
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
		is, err := starlark.Compare(op, x, y)
		return starlark.Bool(is), err
	}
	return starlark.Binary(op, x, y)
}

// operation takes the bytes of x op y.
func (a *account) operation(op syntax.Token, x, y starlark.Value) error {
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
		return a.comparison(x, y)
	case syntax.IN, syntax.NOT_IN:
		return a.search(x, y)
	case syntax.STAR:
		return a.product(x, y)
	case syntax.PERCENT:
		if format, ok := x.(starlark.String); ok {
			return a.fill(string(format), "%", y)
		}
	}
	if i, j, ok := numbers(x, y); ok {
		if op == syntax.SLASHSLASH || op == syntax.PERCENT {
			return a.times(1+size(i), 1+size(j)/64)
		}
		return a.take(1 + size(i) + size(j))
	}
	return a.both(x, y)
}

// both takes the bytes of all entries of two values, which a third gets.
func (a *account) both(x, y starlark.Value) error {
	if err := a.times(width(x), length(x)); err != nil {
		return err
	}
	return a.times(width(y), 1+length(y))
}

// width is what an entry of a value takes.
func width(v starlark.Value) int {
	switch v.(type) {
	case starlark.String, starlark.Bytes:
		return 1
	case *starlark.Dict, *starlark.Set:
		return row
	}
	return entry
}

// comparison takes what two values cost to compare: texts the shorter of both, all else all of one.
func (a *account) comparison(x, y starlark.Value) error {
	if s, ok := x.(starlark.String); ok {
		return a.take(1 + min(len(s), length(y)))
	}
	return a.look(x)
}

// search takes what x in y costs.
func (a *account) search(x, y starlark.Value) error {
	switch y.(type) {
	case *starlark.List, starlark.Tuple:
		return a.look(y)
	case starlark.String, starlark.Bytes:
		return a.take(1 + length(y))
	}
	return a.look(x)
}

// product takes the bytes of x * y: of two numbers, or of as many of a text or list.
func (a *account) product(x, y starlark.Value) error {
	if i, j, ok := numbers(x, y); ok {
		if err := a.take(size(i) + size(j)); err != nil {
			return err
		}
		return a.times(1+size(i), 1+size(j)/64)
	}
	if _, ok := x.(starlark.Int); ok {
		x, y = y, x
	}
	n, ok := y.(starlark.Int)
	if !ok || n.Sign() < 0 {
		return a.take(1)
	}
	times, ok := n.Int64()
	if !ok {
		times = int64(a.all) // more than there is
	}
	return a.times(int(times), width(x)*length(x))
}

// fill takes the bytes of a text in whose places parts are filled: every part once, or where places name parts, all of them at each.
func (a *account) fill(format, place string, parts starlark.Value) error {
	if err := a.take(1 + len(format)); err != nil {
		return err
	}
	before := a.left
	if err := written(a, nil, []starlark.Value{parts}); err != nil {
		return err
	}
	if _, ordered := parts.(starlark.Tuple); ordered && place == "%" {
		return nil
	}
	return a.times(before-a.left, strings.Count(format, place))
}

func numbers(x, y starlark.Value) (i, j starlark.Int, ok bool) {
	i, first := x.(starlark.Int)
	j, second := y.(starlark.Int)
	return i, j, first && second
}

// inPlace is what x op= y gives: a list is made longer and a table gets more, as in Starlark; else it is x op y.
func inPlace(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	method := ""
	switch x.(type) {
	case *starlark.List:
		if _, ok := y.(starlark.Iterable); ok && op == syntax.PLUS {
			method = "extend"
		}
	case *starlark.Dict:
		if _, ok := y.(*starlark.Dict); ok && op == syntax.PIPE {
			method = "update"
		}
	}
	if method == "" {
		return binary(t, op, x, y)
	}
	f, err := getMethod(t, x, method)
	if err != nil {
		return nil, err
	}
	_, err = starlark.Call(t, f, starlark.Tuple{y}, nil)
	return x, err
}

// setEntry is x[i] op= y, for the arguments x, i, "op=" and a function that gives y.
func setEntry(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	x, i, word := args[0], args[1], string(args[2].(starlark.String))
	old, err := getEntry(x, i)
	if err != nil {
		return nil, err
	}
	y, err := starlark.Call(t, args[3], nil, nil)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(operators, func(op syntax.Token) bool { return op.String()+"=" == word })
	v, err := inPlace(t, operators[at], old, y)
	if err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case starlark.HasSetKey:
		return starlark.None, x.SetKey(i, v)
	case starlark.HasSetIndex:
		n, err := position(x, i)
		if err != nil {
			return nil, err
		}
		return starlark.None, x.SetIndex(n, v)
	}
	return nil, fmt.Errorf("%s value does not support item assignment", x.Type())
}

// getEntry is x[i].
func getEntry(x, i starlark.Value) (starlark.Value, error) {
	switch x := x.(type) {
	case starlark.Mapping:
		v, found, err := x.Get(i)
		if err == nil && !found {
			err = fmt.Errorf("key %v not in %s", i, x.Type())
		}
		return v, err
	case starlark.Indexable:
		n, err := position(x, i)
		if err != nil {
			return nil, err
		}
		return x.Index(n), nil
	}
	return nil, fmt.Errorf("unhandled index operation %s[%s]", x.Type(), i.Type())
}

// position is where an entry of a list lies; from its end, if the number is below 0.
func position(x starlark.Indexable, i starlark.Value) (int, error) {
	at, err := starlark.AsInt32(i)
	if err != nil {
		return 0, fmt.Errorf("%s index: %w", x.Type(), err)
	}
	n := at
	if n < 0 {
		n += x.Len()
	}
	if n < 0 || n >= x.Len() {
		return 0, fmt.Errorf("%s index %d out of range [%d:%d]", x.Type(), at, -x.Len(), x.Len()-1)
	}
	return n, nil
}

// getKey is a key, which a table looks at all of.
func getKey(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	switch args[0].(type) {
	case starlark.String, starlark.Tuple, starlark.Bytes, starlark.Int:
		return args[0], of(t).look(args[0])
	}
	return args[0], nil
}

// getSlice is a part of a list or text, which has been made from what was there.
func getSlice(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if _, text := args[0].(starlark.String); text {
		return args[0], nil // it shares its bytes
	}
	return args[0], of(t).times(width(args[0]), length(args[0]))
}

// getSpread is a list or table whose entries become the arguments of a call.
func getSpread(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], of(t).times(row, length(args[0]))
}
