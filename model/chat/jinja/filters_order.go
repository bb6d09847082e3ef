package jinja

import (
	"errors"
	"fmt"
	"sort"
)

// sortKeys is what items are compared by: an attribute or the item, without regard to case unless that is asked for.
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
	s := &byKey{r: r, list: list, keys: keys, reverse: reverse}
	sort.Stable(s)
	return s.err
}

// byKey keeps the first error of a comparison, which sort.Interface has no place for.
type byKey struct {
	r          *run
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
	if b.err != nil {
		return false
	}
	c, err := compare(b.r, b.keys[i], b.keys[j])
	if err != nil {
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
		return nil, fmt.Errorf("needs a dict, not %s", TypeName(v))
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
			return nil, fmt.Errorf("unhashable type: '%s'", TypeName(keys[i]))
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
		c, err := compare(r, keys[i], keys[best])
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
