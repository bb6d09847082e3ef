package chat

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A filter computes v|name(args).
type filter func(r *run, v any, args callArgs) (any, error)

// filters are the ones that templates may use. Any other name is an error when the template is parsed.
var filters map[string]filter

func init() { // map applies filters by name, so the table cannot be an initialiser
	filters = map[string]filter{
		"abs": filterAbs, "capitalize": onText(capitalize), "count": filterLength, "d": filterDefault, "default": filterDefault,
		"dictsort": filterDictsort, "e": filterEscape, "escape": filterEscape, "first": filterFirst, "float": filterFloat,
		"indent": filterIndent, "int": filterInt, "items": filterItems, "join": filterJoin, "last": filterLast,
		"length": filterLength, "list": filterList, "lower": onText(lower), "map": filterMap, "max": filterMax, "min": filterMin,
		"reject": filterReject, "rejectattr": filterRejectattr, "replace": filterReplace, "reverse": filterReverse,
		"safe": filterSafe, "select": filterSelect, "selectattr": filterSelectattr, "sort": filterSort, "string": filterString,
		"sum": filterSum, "title": onText(titleFilter), "tojson": filterToJSON, "trim": filterTrim, "unique": filterUnique,
		"upper": onText(upper),
	}
}

// onText makes a filter of a function on strings; other values are printed first.
func onText(f func(string) string) filter {
	return func(r *run, v any, args callArgs) (any, error) {
		if _, _, err := args.take(); err != nil {
			return nil, err
		}
		s, err := r.str(v)
		if err != nil {
			return nil, err
		}
		return f(s), nil
	}
}

func filterAbs(_ *run, v any, _ callArgs) (any, error) {
	switch v := v.(type) {
	case float64:
		return math.Abs(v), nil
	case int64, bool:
		i, _ := integer(v)
		return max(i, -i), nil
	}
	return nil, fmt.Errorf("bad operand type for abs(): '%s'", typeName(v))
}

func filterLength(_ *run, v any, _ callArgs) (any, error) {
	n, err := length(v)
	return int64(n), err
}

func filterDefault(_ *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("default_value", "boolean")
	if err != nil {
		return nil, err
	}
	_, missing := v.(undefined)
	if !missing && !(truth(a[1]) && !truth(v)) {
		return v, nil
	}
	if !given[0] {
		return "", nil
	}
	return a[0], nil
}

func filterEscape(r *run, v any, _ callArgs) (any, error) {
	if m, ok := v.(markup); ok {
		return m, nil
	}
	s, err := r.str(v)
	return markup(escapeHTML(s)), err
}

func filterSafe(r *run, v any, _ callArgs) (any, error) {
	s, err := r.str(v)
	return markup(s), err
}

func filterString(r *run, v any, _ callArgs) (any, error) {
	if m, ok := v.(markup); ok {
		return m, nil
	}
	return r.str(v)
}

func filterFirst(r *run, v any, _ callArgs) (any, error) {
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return undefined{"No first item, sequence was empty."}, nil
	}
	return list[0], nil
}

func filterLast(r *run, v any, _ callArgs) (any, error) {
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return undefined{"No last item, sequence was empty."}, nil
	}
	return list[len(list)-1], nil
}

// filterFloat is 0.0, or its argument, for what is no number.
func filterFloat(_ *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("default")
	if err != nil {
		return nil, err
	}
	if f, ok := toFloat(v); ok {
		return f, nil
	}
	if given[0] {
		return a[0], nil
	}
	return 0.0, nil
}

// filterInt is 0, or its argument, for what is no number; fractions are cut off.
func filterInt(_ *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("default", "base")
	if err != nil {
		return nil, err
	}
	if given[1] {
		return nil, errors.New("the argument base is not supported")
	}
	if i, ok := integer(v); ok {
		return i, nil
	}
	if s, ok := text(v); ok {
		if i, err := strconv.ParseInt(strings.TrimFunc(s, isSpace), 10, 64); err == nil {
			return i, nil
		}
	}
	if f, ok := toFloat(v); ok && math.Abs(f) < 1<<63 {
		return int64(f), nil
	}
	if given[0] {
		return a[0], nil
	}
	return int64(0), nil
}

func toFloat(v any) (float64, bool) {
	if s, ok := text(v); ok {
		f, err := strconv.ParseFloat(strings.TrimFunc(s, isSpace), 64)
		return f, err == nil
	}
	return number(v)
}

func filterList(r *run, v any, _ callArgs) (any, error) {
	list, err := r.iterate(v)
	return append([]any{}, list...), err
}

func filterReverse(r *run, v any, _ callArgs) (any, error) {
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	reversed := make([]any, len(list))
	for i, x := range list {
		reversed[len(list)-1-i] = x
	}
	if _, ok := text(v); ok {
		return joinChars(reversed), nil
	}
	return generator(reversed), nil
}

// generator is what filters return that make their items one by one.
func generator(items []any) *view { return &view{items: items, text: "generator"} }

// filterItems lists the pairs of a mapping. That something else has none shows only when they are used.
func filterItems(_ *run, v any, _ callArgs) (any, error) {
	switch v := v.(type) {
	case undefined:
		return generator(nil), nil
	case *Object:
		return generator(pairs(v)), nil
	}
	g := generator(nil)
	g.err = errors.New("Can only get item pairs from a mapping.")
	return g, nil
}

// pairs are the keys of o with their values.
func pairs(o *Object) []any {
	list := make([]any, o.Len())
	for i := range list {
		list[i] = tuple{o.keys[i], o.values[i]}
	}
	return list
}

func filterJoin(r *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("d", "attribute")
	if err != nil {
		return nil, err
	}
	separator := ""
	if given[0] {
		if separator, err = r.str(a[0]); err != nil {
			return nil, err
		}
	}
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	if a[1] != nil {
		if list, err = attributes(r, list, a[1], nil); err != nil {
			return nil, err
		}
	}
	return join(r, separator, list, false)
}

// join is separator.join(list). Where strict is set the items must be strings.
func join(r *run, separator string, list []any, strict bool) (any, error) {
	var b strings.Builder
	for i, x := range list {
		if _, ok := text(x); strict && !ok {
			return nil, fmt.Errorf("sequence item %d: expected str instance, %s found", i, typeName(x))
		}
		s, err := r.str(x)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(s)
		if err := r.charge(1 + len(separator)/64); err != nil {
			return nil, err
		}
		if b.Len() > maxOutput {
			return nil, errOutput
		}
	}
	return b.String(), nil
}

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
	s, err := toJSON(v, style)
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
		return nil, errors.Join(err, errors.New("needs an old and a new string"))
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
	s, err := r.str(v)
	if err != nil {
		return nil, err
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
