package jinja

import (
	"errors"
	"fmt"
)

// attribute is v.name: a method, else the item of that key, else undefined.
func attribute(v any, name string) (any, error) {
	switch v := v.(type) {
	case undefined:
		return nil, errors.New(v.why)
	case *loop:
		return v.attr(name)
	case *callable:
		return nil, fmt.Errorf("attribute %s of functions is not supported", name)
	case *namespace:
		if x, ok := v.vars.lookup(name); ok {
			return x, nil
		}
		return missing(v, name), nil
	}
	if m, ok, err := method(v, name); ok || err != nil {
		return m, err
	}
	if o, ok := v.(*Object); ok {
		if x, ok := o.lookup(name); ok {
			return x, nil
		}
	}
	return missing(v, name), nil
}

// missing is the attribute that v does not have.
func missing(v any, name string) undefined {
	what := fmt.Sprintf("'%s object'", TypeName(v))
	if v == nil {
		what = "'None'"
	}
	return undefined{fmt.Sprintf("%s has no attribute '%s'", what, name)}
}

// item is v[index]: the item of that key or place, else the method of that name, else undefined.
func item(r *run, v, index any) (any, error) {
	if u, ok := v.(undefined); ok {
		return nil, errors.New(u.why)
	}
	if o, ok := v.(*Object); ok {
		if x, ok := o.lookup(index); ok {
			return x, nil
		}
	}
	if i, ok := integer(index); ok {
		return place(r, v, i)
	}
	if name, ok := text(index); ok {
		return attribute(v, name)
	}
	return undefined{fmt.Sprintf("'%s object' has no element %v", TypeName(v), index)}, nil
}

// place is item i of a list or string, counted from the end when negative.
func place(r *run, v any, i int64) (any, error) {
	list, _ := items(v)
	if w, ok := v.(*view); ok && w.indexable {
		list = w.items
	}
	n := int64(len(list))
	var chars []rune
	if s, ok := text(v); ok {
		if err := r.charge(len(s) / 8); err != nil {
			return nil, err
		}
		chars = []rune(s)
		n = int64(len(chars))
	}
	if i < 0 {
		i += n
	}
	switch {
	case i < 0 || i >= n:
		return undefined{fmt.Sprintf("%s object has no element %d", TypeName(v), i)}, nil
	case chars != nil:
		return string(chars[i]), nil
	}
	return list[i], nil
}

func (x *sliceExpr) eval(r *run, s *scope) (any, error) {
	v, err := r.eval(x.of, s)
	if err != nil {
		return nil, err
	}
	bounds := make([]any, 3)
	for i, b := range []expr{x.start, x.stop, x.step} {
		if b == nil {
			continue
		}
		if bounds[i], err = r.eval(b, s); err != nil {
			return nil, err
		}
	}
	return slice(r, v, bounds)
}

// slice is Python's v[start:stop:step]; bounds are nil where left out.
func slice(r *run, v any, bounds []any) (any, error) {
	if u, ok := v.(undefined); ok {
		return nil, errors.New(u.why)
	}
	if s, ok := text(v); ok {
		if err := r.charge(len(s) / 8); err != nil {
			return nil, err
		}
		chars, err := sliceItems(r, []rune(s), bounds)
		return string(chars), err
	}
	switch v := v.(type) {
	case []any:
		return sliceItems(r, v, bounds)
	case tuple:
		list, err := sliceItems(r, v, bounds)
		return tuple(list), err
	case *view:
		if v.indexable {
			return sliceItems(r, v.items, bounds)
		}
	}
	return nil, fmt.Errorf("'%s' object cannot be sliced", TypeName(v))
}

// sliceItems picks items of list; without an error it never returns nil.
func sliceItems[T any](r *run, list []T, bounds []any) ([]T, error) {
	start, stop, step, err := sliceBounds(bounds, int64(len(list)))
	if err != nil {
		return nil, err
	}
	if err := r.charge(len(list) / 4); err != nil {
		return nil, err
	}
	out := []T{}
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		out = append(out, list[i])
	}
	return out, nil
}

// sliceBounds resolves what is left out, negative, or out of range.
func sliceBounds(bounds []any, n int64) (start, stop, step int64, err error) {
	step = 1
	var given [3]int64
	for i, b := range bounds {
		if b == nil {
			continue
		}
		v, ok := integer(b)
		if !ok {
			return 0, 0, 0, errors.New("slice indices must be integers or None")
		}
		given[i] = v
	}
	if bounds[2] != nil {
		step = max(-n-1, min(n+1, given[2])) // longer steps end the loop just as well
		if given[2] == 0 {
			return 0, 0, 0, errors.New("slice step cannot be zero")
		}
	}
	low, high := int64(0), n
	if step < 0 {
		low, high = -1, n-1
	}
	resolve := func(i int, fallback int64) int64 {
		if bounds[i] == nil {
			return fallback
		}
		v := given[i]
		if v < 0 {
			v += n
		}
		return max(low, min(high, v))
	}
	if step > 0 {
		return resolve(0, low), resolve(1, high), step, nil
	}
	return resolve(0, high), resolve(1, low), step, nil
}
