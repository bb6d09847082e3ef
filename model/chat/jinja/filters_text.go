package jinja

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// filterToJSON is Python's json.dumps as transformers sets it up: characters beyond ASCII stay, and nothing is escaped for HTML.
func filterToJSON(r *run, v any, args callArgs) (any, error) {
	a, _, err := args.take("ensure_ascii", "indent", "separators", "sort_keys")
	if err != nil {
		return nil, err
	}
	style := jsonStyle{item: ", ", key: ": ", ascii: truth(a[0]), sort: truth(a[3])}
	switch indent := a[1].(type) {
	case nil:
	case string:
		style.lines, style.indent, style.item = true, indent, ","
	default:
		n, ok := integer(indent)
		if !ok || n > 100 {
			return nil, fmt.Errorf("indent must be a small number or a string")
		}
		style.lines, style.indent, style.item = true, strings.Repeat(" ", int(max(n, 0))), ","
	}
	if a[2] != nil {
		list, ok := items(a[2])
		if !ok || len(list) != 2 {
			return nil, errors.New("separators must be a pair of strings")
		}
		if style.item, ok = text(list[0]); ok {
			style.key, ok = text(list[1])
		}
		if !ok {
			return nil, errors.New("separators must be a pair of strings")
		}
	}
	s, err := toJSON(r, v, style)
	if err != nil {
		return nil, err
	}
	return s, r.charge(len(s) / 8)
}

func filterTrim(r *run, v any, args callArgs) (any, error) {
	a, given, err := args.strings("chars")
	if err != nil {
		return nil, err
	}
	s, err := r.str(v)
	if err != nil {
		return nil, err
	}
	return strings.TrimFunc(s, cutset(a[0], given[0])), nil
}

func filterReplace(r *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("old", "new", "count")
	if err != nil || !given[1] {
		return nil, cmp.Or(err, errors.New("needs an old and a new string"))
	}
	s, err := r.str(v)
	if err != nil {
		return nil, err
	}
	old, err := r.str(a[0])
	if err != nil {
		return nil, err
	}
	new, err := r.str(a[1])
	if err != nil {
		return nil, err
	}
	count := int64(-1)
	if a[2] != nil {
		n, ok := integer(a[2])
		if !ok {
			return nil, errors.New("count must be a number")
		}
		count = n
	}
	return replace(r, s, old, new, count)
}

// filterIndent indents every line but the first, blank ones excepted.
func filterIndent(r *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("width", "first", "blank")
	if err != nil {
		return nil, err
	}
	s, ok := text(v)
	if !ok {
		return nil, fmt.Errorf("only text can be indented, not %s", TypeName(v))
	}
	indent := "    "
	if given[0] {
		n, isNumber := integer(a[0])
		text, isText := text(a[0])
		switch {
		case isText:
			indent = text
		case isNumber && n <= 1000:
			indent = strings.Repeat(" ", int(max(n, 0)))
		default:
			return nil, errors.New("width must be a small number or a string")
		}
	}
	if err := r.charge(len(s) / 4); err != nil {
		return nil, err
	}
	lines := splitLines(s+"\n", false)
	if err := r.charge(len(lines) * (1 + len(indent)/64)); err != nil {
		return nil, err
	}
	for i, line := range lines {
		if i == 0 && truth(a[1]) || i > 0 && (line != "" || truth(a[2])) {
			lines[i] = indent + line
		}
	}
	return strings.Join(lines, "\n"), nil
}
