package chat

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
	what := fmt.Sprintf("'%s object'", typeName(v))
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
	return undefined{fmt.Sprintf("'%s object' has no element %v", typeName(v), index)}, nil
}

// place is item i of a list or string, counted from the end when negative.
func place(r *run, v any, i int64) (any, error) {
	list, n, err := sequence(r, v)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		return undefined{fmt.Sprintf("%s object has no element %d", typeName(v), i)}, nil
	}
	return list(int(i)), nil
}

// sequence gives access to the items of what has places: lists, tuples, ranges, and strings by characters. Anything else
// has no items.
func sequence(r *run, v any) (item func(i int) any, n int, err error) {
	if list, ok := items(v); ok {
		return func(i int) any { return list[i] }, len(list), nil
	}
	if w, ok := v.(*view); ok && w.indexable {
		return func(i int) any { return w.items[i] }, len(w.items), nil
	}
	if s, ok := text(v); ok {
		if err := r.charge(len(s) / 8); err != nil {
			return nil, 0, err
		}
		chars := []rune(s)
		return func(i int) any { return string(chars[i]) }, len(chars), nil
	}
	return nil, 0, nil
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
	at, n, err := sequence(r, v)
	if err != nil {
		return nil, err
	}
	if at == nil {
		return undefined{fmt.Sprintf("'%s object' cannot be sliced", typeName(v))}, nil
	}
	start, stop, step, err := sliceBounds(bounds, int64(n))
	if err != nil {
		return nil, err
	}
	var out []any
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		out = append(out, at(int(i)))
	}
	if err := r.charge(len(out) / 8); err != nil {
		return nil, err
	}
	switch v.(type) {
	case string, markup:
		return joinChars(out), nil
	case tuple:
		return tuple(out), nil
	}
	if out == nil {
		return []any{}, nil
	}
	return out, nil
}

func joinChars(chars []any) string {
	b := make([]byte, 0, len(chars))
	for _, c := range chars {
		b = append(b, c.(string)...)
	}
	return string(b)
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
