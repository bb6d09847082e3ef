package bounded

import (
	"errors"
	"strings"

	starjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// A price takes what a function costs that is called with a receiver, or none, and arguments.
type price func(a *account, receiver starlark.Value, args []starlark.Value) error

// functions are those of Starlark whose work is not that of one step.
var functions = map[string]price{
	"any": entries, "all": entries, "list": entries, "tuple": entries, "reversed": entries, "enumerate": entries, "zip": entries,
	"max": everything, "min": everything, "set": tabled, "dict": tabled, "sorted": ordering,
	"str": written, "repr": written, "fail": written, "print": written, "bytes": everything, "hash": everything, "int": numeral, "float": everything,
}

// methods are those of texts, lists and tables that cost more than to look at all of them and of the arguments.
var methods = map[string]price{
	"string.join": joined, "string.replace": replaced, "string.format": formatted, "string.split": pieces, "string.rsplit": pieces,
	"string.splitlines": pieces, "string.elems": points, "string.elem_ords": points, "string.codepoints": points, "string.codepoint_ords": points,
	"list.append": constant, "list.pop": moved, "list.insert": moved, "list.extend": added, "list.clear": constant,
	"dict.get": keyOnly, "dict.pop": keyOnly, "dict.setdefault": keyOnly, "set.add": keyOnly, "set.discard": keyOnly, "set.remove": keyOnly,
	"dict.keys": entries, "dict.values": entries, "dict.items": entries, "dict.update": tabled, "set.update": tabled, "set.union": tabled,
	"dict.clear": constant, "dict.popitem": constant, "set.clear": constant, "set.pop": constant,
	"json.encode": written, "json.indent": indented, "json.decode": decoded,
}

// Guard makes a function take what its result costs. A function of Starlark's own, or a method, takes it before it works.
func Guard(b *starlark.Builtin) *starlark.Builtin {
	cost := functions[b.Name()]
	if own, ok := starlark.Universe[b.Name()]; !ok || own != starlark.Value(b) {
		cost = nil
	}
	return starlark.NewBuiltin(b.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		return priced(t, b, cost, args, named)
	})
}

// priced calls a function, which is paid for before and, where its result is long, after.
func priced(t *starlark.Thread, b *starlark.Builtin, cost price, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	a := of(t)
	if err := a.take(1); err != nil {
		return nil, err
	}
	if cost != nil {
		all := append([]starlark.Value{}, args...)
		for _, pair := range named {
			all = append(all, pair[1])
		}
		if err := cost(a, b.Receiver(), all); err != nil {
			return nil, err
		}
	}
	v, err := b.CallInternal(t, args, named)
	if err != nil {
		return nil, err
	}
	switch v.(type) {
	case *starlark.List, starlark.Tuple, *starlark.Dict, *starlark.Set:
		err = a.times(entry, length(v))
	}
	return v, err
}

// getAttribute is x.name. A method takes what it costs.
func getAttribute(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return getMethod(t, args[0], string(args[1].(starlark.String)))
}

func getMethod(t *starlark.Thread, x starlark.Value, name string) (starlark.Value, error) {
	v, err := attributeOf(t, x, name)
	if err != nil {
		return nil, err
	}
	method, ok := v.(*starlark.Builtin)
	if !ok {
		return v, nil
	}
	cost := priceOf(x, name)
	guarded := starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		return priced(t, method, cost, args, named)
	})
	return guarded.BindReceiver(x), nil
}

// attributeOf asks Starlark's own getattr, which knows what to say where there is none.
func attributeOf(t *starlark.Thread, x starlark.Value, name string) (starlark.Value, error) {
	v, err := starlark.Universe["getattr"].(*starlark.Builtin).CallInternal(t, starlark.Tuple{x, starlark.String(name)}, nil)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "getattr: "))
	}
	return v, nil
}

// getAttributeByName is getattr(x, name, default).
func getAttributeByName(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var x, instead starlark.Value
	var name string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, named, 2, &x, &name, &instead); err != nil {
		return nil, err
	}
	v, err := getMethod(t, x, name)
	if err != nil && instead != nil {
		return instead, nil
	}
	return v, err
}

// priceOf is that of a method of x.
func priceOf(x starlark.Value, name string) price {
	switch x := x.(type) {
	case *starlarkstruct.Module:
		if x == starjson.Module {
			name = "json." + name
			break
		}
		return everything
	default:
		name = x.Type() + "." + name
	}
	if cost, ok := methods[name]; ok {
		return cost
	}
	return everything
}

func constant(a *account, _ starlark.Value, _ []starlark.Value) error { return a.take(row) }

// everything is all of the arguments, and the entries of the receiver.
func everything(a *account, receiver starlark.Value, args []starlark.Value) error {
	if receiver != nil {
		if err := a.times(width(receiver), 1+length(receiver)); err != nil {
			return err
		}
		if list, ok := receiver.(*starlark.List); ok { // whose entries are compared
			args = append(args, list)
		}
	}
	for _, x := range args {
		if _, ok := x.(*starlark.Function); ok {
			continue // it is called, in steps
		}
		if err := a.look(x); err != nil {
			return err
		}
	}
	return nil
}

// written is all of the arguments as a text that shows every letter: one of four bytes takes ten.
func written(a *account, _ starlark.Value, args []starlark.Value) error {
	before := a.left
	if err := everything(a, nil, args); err != nil {
		return err
	}
	const more = 3
	return a.times(before-a.left, more)
}

// numeral is a number that is read from a text.
func numeral(a *account, _ starlark.Value, args []starlark.Value) error {
	if err := everything(a, nil, args); err != nil || len(args) == 0 {
		return err
	}
	return a.digits(length(args[0]))
}

// entries are those of the receiver and of the arguments, as many as a result may get.
func entries(a *account, receiver starlark.Value, args []starlark.Value) error {
	if receiver != nil {
		if err := a.times(row, 1+length(receiver)); err != nil {
			return err
		}
	}
	for _, x := range args {
		if err := a.times(row, length(x)); err != nil {
			return err
		}
	}
	return nil
}

// added are the entries of what a list is made longer by.
func added(a *account, _ starlark.Value, args []starlark.Value) error { return entries(a, nil, args) }

// moved are the entries behind one that is put in or taken out: none behind the last.
func moved(a *account, receiver starlark.Value, args []starlark.Value) error {
	if len(args) == 0 {
		return a.take(entry)
	}
	return a.times(entry, 1+length(receiver))
}

func keyOnly(a *account, _ starlark.Value, args []starlark.Value) error {
	return everything(a, nil, args[:min(1, len(args))])
}

// ordering takes what it costs to put values in order: each is looked at about as often as the logarithm of their number.
func ordering(a *account, _ starlark.Value, args []starlark.Value) error {
	before := a.left
	if err := everything(a, nil, args[:min(1, len(args))]); err != nil {
		return err
	}
	const rounds = 8
	return a.times(before-a.left, rounds)
}

// joined is the text that join makes.
func joined(a *account, receiver starlark.Value, args []starlark.Value) error {
	if err := everything(a, nil, args); err != nil || len(args) == 0 {
		return err
	}
	return a.times(length(receiver), length(args[0]))
}

// replaced is the text that replace makes.
func replaced(a *account, receiver starlark.Value, args []starlark.Value) error {
	text, _ := starlark.AsString(receiver)
	if err := a.take(1 + len(text)); err != nil || len(args) < 2 {
		return err
	}
	old, _ := starlark.AsString(args[0])
	return a.times(strings.Count(text, old), length(args[1]))
}

// formatted is the text that format makes.
func formatted(a *account, receiver starlark.Value, args []starlark.Value) error {
	text, _ := starlark.AsString(receiver)
	return a.fill(text, "{", starlark.Tuple(args))
}

// pieces are those that a text is taken apart into.
func pieces(a *account, receiver starlark.Value, args []starlark.Value) error {
	text, _ := starlark.AsString(receiver)
	if err := a.take(1 + len(text)); err != nil {
		return err
	}
	if by, ok := separator(args); ok {
		return a.times(row, strings.Count(text, by))
	}
	n := 0
	for _, c := range text {
		if c <= ' ' || c >= 0x85 {
			n++
		}
	}
	return a.times(row, n)
}

// separator is the text that another is taken apart at, if one is given.
func separator(args []starlark.Value) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	by, ok := starlark.AsString(args[0])
	return by, ok && by != ""
}

// points are the letters of a text: who gets them can go through them once for what is taken here.
func points(a *account, receiver starlark.Value, _ []starlark.Value) error {
	return a.times(row, 1+length(receiver))
}

// indented is a text of JSON with an indentation before each of its lines.
func indented(a *account, _ starlark.Value, args []starlark.Value) error {
	if err := everything(a, nil, args); err != nil || len(args) == 0 {
		return err
	}
	text, _ := starlark.AsString(args[0])
	deep := strings.Count(text, "[") + strings.Count(text, "{")
	wide := 0
	for _, x := range args[1:] {
		wide += length(x)
	}
	lines := strings.Count(text, ",") + 2*deep + 1
	if err := a.times(1+wide, 1+deep); err != nil {
		return err
	}
	return a.times(lines, (1+wide)*(1+deep))
}
