package jinja

import (
	"errors"
	"fmt"
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
		return f(s), r.charge(len(s) / 8)
	}
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

func filterList(r *run, v any, _ callArgs) (any, error) {
	list, err := r.iterate(v)
	if err == nil {
		err = r.charge(len(list))
	}
	if err != nil {
		return nil, err
	}
	return append([]any{}, list...), nil
}

func filterReverse(r *run, v any, _ callArgs) (any, error) {
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	if err := r.charge(len(list)); err != nil {
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

func joinChars(chars []any) string {
	b := make([]byte, 0, len(chars))
	for _, c := range chars {
		b = append(b, c.(string)...)
	}
	return string(b)
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
	g.err = errors.New("only a mapping has pairs of key and value")
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
			return nil, fmt.Errorf("sequence item %d: expected str instance, %s found", i, TypeName(x))
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
