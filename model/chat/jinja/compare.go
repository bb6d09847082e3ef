package jinja

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// equal is Python's ==. Every pair of values that is looked at counts as a step: containers that hold one value twice on
// every level have exponentially many.
func equal(r *run, a, b any) (bool, error) { return equalDepth(r, a, b, 0) }

func equalDepth(r *run, a, b any, depth int) (bool, error) {
	if depth > maxDepth {
		return false, errDepth
	}
	if err := r.charge(1); err != nil {
		return false, err
	}
	if x, ok := text(a); ok {
		y, ok := text(b)
		return ok && x == y, r.charge(len(x) / 64)
	}
	if eq, isNumber := equalNumbers(a, b); isNumber {
		return eq, nil
	}
	switch a := a.(type) {
	case nil:
		return b == nil, nil
	case undefined:
		_, ok := b.(undefined)
		return ok, nil
	case []any:
		b, ok := b.([]any)
		if !ok {
			return false, nil
		}
		return equalItems(r, a, b, depth)
	case tuple:
		b, ok := b.(tuple)
		if !ok {
			return false, nil
		}
		return equalItems(r, a, b, depth)
	case *Object:
		b, ok := b.(*Object)
		if !ok {
			return false, nil
		}
		return equalObjects(r, a, b, depth)
	case *view, *namespace, *callable, *loop:
		return a == b, nil
	}
	return false, nil
}

// equalNumbers compares two numbers; isNumber is false when a is none.
func equalNumbers(a, b any) (eq, isNumber bool) {
	if x, ok := a.(*big.Int); ok {
		y, ok := b.(*big.Int)
		return ok && x.Cmp(y) == 0, true
	}
	x, ok := number(a)
	if !ok {
		return false, false
	}
	if i, ok := integer(a); ok {
		if j, ok := integer(b); ok {
			return i == j, true
		}
	}
	y, ok := number(b)
	return ok && x == y, true
}

func equalItems(r *run, a, b []any, depth int) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for i := range a {
		if eq, err := equalDepth(r, a[i], b[i], depth+1); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

func equalObjects(r *run, a, b *Object, depth int) (bool, error) {
	if a.Len() != b.Len() {
		return false, nil
	}
	for i, key := range a.keys {
		other, ok := b.lookup(key)
		if !ok {
			return false, nil
		}
		if eq, err := equalDepth(r, a.values[i], other, depth+1); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

// compare orders two values as Python's < does: numbers, strings, lists and tuples, each among themselves. It returns -1, 0
// or 1, and 2 where one is NaN, which is neither less nor equal nor greater.
func compare(r *run, a, b any) (int, error) { return compareDepth(r, a, b, 0) }

func compareDepth(r *run, a, b any, depth int) (int, error) {
	if depth > maxDepth {
		return 0, errDepth
	}
	if err := r.charge(1); err != nil {
		return 0, err
	}
	if x, ok := text(a); ok {
		if y, ok := text(b); ok {
			return strings.Compare(x, y), r.charge(len(x) / 64) // code point order is byte order in UTF-8
		}
	}
	if x, ok := number(a); ok {
		if y, ok := number(b); ok {
			return compareNumbers(a, b, x, y), nil
		}
	}
	x, xok := items(a)
	y, yok := items(b)
	if !xok || !yok || TypeName(a) != TypeName(b) {
		return 0, fmt.Errorf("'%s' and '%s' cannot be ordered", TypeName(a), TypeName(b))
	}
	for i := range min(len(x), len(y)) {
		if eq, err := equalDepth(r, x[i], y[i], depth+1); err != nil {
			return 0, err
		} else if !eq {
			return compareDepth(r, x[i], y[i], depth+1)
		}
	}
	return cmp.Compare(len(x), len(y)), nil
}

func compareNumbers(a, b any, x, y float64) int {
	i, iok := integer(a)
	j, jok := integer(b)
	switch {
	case iok && jok && i < j, x < y:
		return -1
	case iok && jok && i > j, x > y:
		return 1
	case math.IsNaN(x) || math.IsNaN(y):
		return 2
	}
	return 0
}
