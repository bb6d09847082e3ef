package chat

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// path is attribute access by a dotted name, item first: what filters call attribute.
func path(r *run, v, attr any) (any, error) {
	if i, ok := integer(attr); ok {
		return item(r, v, i)
	}
	dotted, ok := text(attr)
	if !ok {
		return nil, fmt.Errorf("attribute must be a string or a number, not %s", typeName(attr))
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

// attributes is path for every item; an undefined result becomes fallback unless that is nil.
func attributes(r *run, list []any, attr, fallback any) ([]any, error) {
	out := make([]any, len(list))
	for i, x := range list {
		v, err := path(r, x, attr)
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
			if subject, err = path(r, x, attr); err != nil {
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

// sortKey is what items are compared by: an attribute or the item, without regard to case unless that is asked for.
func sortKeys(r *run, list []any, attr any, caseSensitive bool) ([]any, error) {
	keys := append([]any{}, list...)
	if attr != nil {
		var err error
		if keys, err = attributes(r, list, attr, nil); err != nil {
			return nil, err
		}
	}
	for i, k := range keys {
		if s, ok := text(k); ok && !caseSensitive {
			keys[i] = lower(s)
		}
	}
	return keys, r.charge(len(list))
}

// sortBy orders list by keys, stably; both are changed.
func sortBy(r *run, list, keys []any, reverse bool) error {
	if err := r.charge(8 * len(list)); err != nil {
		return err
	}
	s := &byKey{list: list, keys: keys, reverse: reverse}
	sort.Stable(s)
	return s.err
}

// byKey keeps the first error of a comparison, which sort.Interface has no place for.
type byKey struct {
	list, keys []any
	reverse    bool
	err        error
}

func (b *byKey) Len() int { return len(b.list) }
func (b *byKey) Swap(i, j int) {
	b.list[i], b.list[j] = b.list[j], b.list[i]
	b.keys[i], b.keys[j] = b.keys[j], b.keys[i]
}
func (b *byKey) Less(i, j int) bool {
	if b.reverse {
		i, j = j, i
	}
	c, err := compare(b.keys[i], b.keys[j])
	if err != nil && b.err == nil {
		b.err = err
	}
	return c == -1
}

func filterSort(r *run, v any, args callArgs) (any, error) {
	a, _, err := args.take("reverse", "case_sensitive", "attribute")
	if err != nil {
		return nil, err
	}
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	keys, err := sortKeys(r, list, a[2], truth(a[1]))
	if err != nil {
		return nil, err
	}
	list = append([]any{}, list...)
	return list, sortBy(r, list, keys, truth(a[0]))
}

func filterDictsort(r *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("case_sensitive", "by", "reverse")
	if err != nil {
		return nil, err
	}
	o, ok := v.(*Object)
	if !ok {
		return nil, fmt.Errorf("needs a dict, not %s", typeName(v))
	}
	by := o.keys
	if given[1] {
		switch a[1] {
		case "key":
		case "value":
			by = o.values
		default:
			return nil, errors.New(`by must be "key" or "value"`)
		}
	}
	keys, err := sortKeys(r, by, nil, truth(a[0]))
	if err != nil {
		return nil, err
	}
	list := pairs(o)
	return list, sortBy(r, list, keys, truth(a[2]))
}

func filterUnique(r *run, v any, args callArgs) (any, error) {
	a, _, err := args.take("case_sensitive", "attribute")
	if err != nil {
		return nil, err
	}
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	keys, err := sortKeys(r, list, a[1], truth(a[0]))
	if err != nil {
		return nil, err
	}
	var seen Object
	kept := []any{}
	for i, x := range list {
		if _, twice := seen.lookup(keys[i]); twice {
			continue
		}
		if !seen.put(keys[i], nil) {
			return nil, fmt.Errorf("unhashable type: '%s'", typeName(keys[i]))
		}
		kept = append(kept, x)
	}
	return generator(kept), nil
}

func filterMin(r *run, v any, args callArgs) (any, error) { return extreme(r, v, args, -1) }
func filterMax(r *run, v any, args callArgs) (any, error) { return extreme(r, v, args, 1) }

// extreme is the first item that compares with every other as wanted.
func extreme(r *run, v any, args callArgs, wanted int) (any, error) {
	a, _, err := args.take("case_sensitive", "attribute")
	if err != nil {
		return nil, err
	}
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return undefined{"No aggregated item, sequence was empty."}, nil
	}
	keys, err := sortKeys(r, list, a[1], truth(a[0]))
	if err != nil {
		return nil, err
	}
	best := 0
	for i := range list {
		c, err := compare(keys[i], keys[best])
		if err != nil {
			return nil, err
		}
		if c == wanted {
			best = i
		}
	}
	return list[best], nil
}

func filterSum(r *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("attribute", "start")
	if err != nil {
		return nil, err
	}
	list, err := r.iterate(v)
	if err != nil {
		return nil, err
	}
	if a[0] != nil {
		if list, err = attributes(r, list, a[0], nil); err != nil {
			return nil, err
		}
	}
	var sum any = int64(0)
	if given[1] {
		sum = a[1]
	}
	for _, x := range list {
		if sum, err = arithmetic(r, "+", sum, x); err != nil {
			return nil, err
		}
	}
	return sum, nil
}
