package jinja

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// byPath is attribute access by a dotted name, item first: what filters call attribute.
func byPath(r *run, v, attr any) (any, error) {
	if i, ok := integer(attr); ok {
		return item(r, v, i)
	}
	dotted, ok := text(attr)
	if !ok {
		return nil, fmt.Errorf("attribute must be a string or a number, not %s", TypeName(attr))
	}
	for part := range strings.SplitSeq(dotted, ".") {
		var index any = part
		if n, err := strconv.ParseInt(part, 10, 64); err == nil && n >= 0 {
			index = n
		}
		var err error
		if v, err = item(r, v, index); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// attributes is byPath for every item; an undefined result becomes fallback unless that is nil.
func attributes(r *run, list []any, attr, fallback any) ([]any, error) {
	out := make([]any, len(list))
	for i, x := range list {
		v, err := byPath(r, x, attr)
		if err != nil {
			return nil, err
		}
		if _, missing := v.(undefined); missing && fallback != nil {
			v = fallback
		}
		out[i] = v
	}
	return out, r.charge(len(list))
}

// filterMap is map(attribute=..., default=...) or map('filter', args...).
func filterMap(r *run, v any, args callArgs) (any, error) {
	if !truth(v) { // also None, which has no items otherwise
		return generator(nil), nil
	}
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	if attr, ok := args.named.lookup("attribute"); ok {
		fallback, _ := args.named.lookup("default")
		out, err := attributes(r, list, attr, fallback)
		return generator(out), err
	}
	if len(args.positional) == 0 {
		return nil, errors.New("needs a filter or an attribute")
	}
	name, _ := text(args.positional[0])
	fn, ok := filters[name]
	if !ok {
		return nil, fmt.Errorf("filter %q is not supported", name)
	}
	out := make([]any, len(list))
	for i, x := range list {
		if err := r.charge(1); err != nil {
			return nil, err
		}
		if out[i], err = fn(r, x, callArgs{positional: args.positional[1:], named: args.named}); err != nil {
			return nil, fmt.Errorf("filter %s: %w", name, err)
		}
	}
	return generator(out), nil
}

func filterSelect(r *run, v any, args callArgs) (any, error) {
	return selectItems(r, v, args.positional, nil, true)
}

func filterReject(r *run, v any, args callArgs) (any, error) {
	return selectItems(r, v, args.positional, nil, false)
}

func filterSelectattr(r *run, v any, args callArgs) (any, error) {
	return selectAttr(r, v, args.positional, true)
}

func filterRejectattr(r *run, v any, args callArgs) (any, error) {
	return selectAttr(r, v, args.positional, false)
}

func selectAttr(r *run, v any, args []any, keep bool) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("needs the name of an attribute")
	}
	return selectItems(r, v, args[1:], args[0], keep)
}

// selectItems keeps the items for which a test (args[0], with the other args) gives keep; without a test, truth decides.
func selectItems(r *run, v any, args []any, attr any, keep bool) (any, error) {
	if !truth(v) { // also None, which has no items otherwise
		return generator(nil), nil
	}
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	check := func(_ *run, v any, _ []any) (bool, error) { return truth(v), nil }
	if len(args) > 0 {
		name, _ := text(args[0])
		fn, ok := tests[name]
		if !ok {
			return nil, fmt.Errorf("test %q is not supported", name)
		}
		check, args = fn, args[1:]
	}
	kept := []any{}
	for _, x := range list {
		if err := r.charge(1); err != nil {
			return nil, err
		}
		subject := x
		if attr != nil {
			if subject, err = byPath(r, x, attr); err != nil {
				return nil, err
			}
		}
		ok, err := check(r, subject, args)
		if err != nil {
			return nil, err
		}
		if ok == keep {
			kept = append(kept, x)
		}
	}
	return generator(kept), nil
}
