package jinja

import (
	"errors"
	"fmt"
	"html"
	"math"
	"strings"
)

var errOverflow = errors.New("the result is beyond 64 bits, which is not supported")

// arithmetic is Python's x op y.
func arithmetic(r *run, op string, x, y any) (any, error) {
	for _, v := range []any{x, y} {
		if u, ok := v.(undefined); ok {
			return nil, errors.New(u.why)
		}
	}
	i, iok := integer(x)
	j, jok := integer(y)
	if iok && jok {
		return integers(op, i, j)
	}
	a, aok := number(x)
	b, bok := number(y)
	if aok && bok {
		return floats(op, a, b)
	}
	switch {
	case op == "+":
		return plus(r, x, y)
	case op == "*" && jok:
		return repeat(r, x, j)
	case op == "*" && iok:
		return repeat(r, y, i)
	}
	if _, ok := text(x); ok && op == "%" {
		return nil, errors.New("formatting strings with % is not supported; use ~ or +")
	}
	return nil, fmt.Errorf("unsupported operand type(s) for %s: '%s' and '%s'", op, TypeName(x), TypeName(y))
}

// integers computes with whole numbers; // and % round towards minus infinity, / makes a float.
func integers(op string, i, j int64) (any, error) {
	switch op {
	case "+":
		if s := i + j; (s > i) == (j > 0) {
			return s, nil
		}
		return nil, errOverflow
	case "-":
		if d := i - j; (d < i) == (j > 0) {
			return d, nil
		}
		return nil, errOverflow
	case "*":
		if p := i * j; i == 0 || p/i == j && !(i == -1 && j == math.MinInt64) {
			return p, nil
		}
		return nil, errOverflow
	case "**":
		return power(i, j)
	}
	if j == 0 {
		return nil, errors.New("division by zero")
	}
	if op == "/" {
		return float64(i) / float64(j), nil
	}
	q, m := i/j, i%j
	if m != 0 && (m < 0) != (j < 0) {
		q, m = q-1, m+j
	}
	if op == "//" {
		return q, nil
	}
	return m, nil
}

func power(base, exponent int64) (any, error) {
	if exponent < 0 {
		return floats("**", float64(base), float64(exponent))
	}
	if exponent > 64 && (base > 1 || base < -1) {
		return nil, errOverflow
	}
	if exponent > 64 {
		exponent = 64 + exponent%2 // 0, 1 and -1 only depend on that
	}
	var p any = int64(1)
	for range exponent {
		var err error
		if p, err = integers("*", p.(int64), base); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func floats(op string, a, b float64) (any, error) {
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "**":
		return math.Pow(a, b), nil
	}
	if b == 0 {
		return nil, errors.New("division by zero")
	}
	switch op {
	case "/":
		return a / b, nil
	case "//":
		return math.Floor(a / b), nil
	}
	m := math.Mod(a, b)
	if m != 0 && (m < 0) != (b < 0) {
		m += b
	}
	return m, nil
}

// plus joins two strings, two lists or two tuples.
func plus(r *run, x, y any) (any, error) {
	a, aok := text(x)
	b, bok := text(y)
	if aok && bok {
		return plusText(r, x, y, a, b)
	}
	l, lok := items(x)
	m, mok := items(y)
	if lok && mok && TypeName(x) == TypeName(y) {
		if err := r.charge(len(l) + len(m)); err != nil {
			return nil, err
		}
		sum := append(append(make([]any, 0, len(l)+len(m)), l...), m...)
		if _, isTuple := x.(tuple); isTuple {
			return tuple(sum), nil
		}
		return sum, nil
	}
	return nil, fmt.Errorf("can only concatenate two strings or two lists, not '%s' and '%s'", TypeName(x), TypeName(y))
}

// plusText joins strings. Where one is marked safe, the other is escaped.
func plusText(r *run, x, y any, a, b string) (any, error) {
	if len(a)+len(b) > maxOutput {
		return nil, errOutput
	}
	if err := r.charge((len(a) + len(b)) / 64); err != nil {
		return nil, err
	}
	_, xm := x.(markup)
	_, ym := y.(markup)
	switch {
	case xm && ym:
		return markup(a + b), nil
	case xm:
		return markup(a + escapeHTML(b)), nil
	case ym:
		return markup(escapeHTML(a) + b), nil
	}
	return a + b, nil
}

// escapeHTML is MarkupSafe's escape.
func escapeHTML(s string) string { return html.EscapeString(s) }

// repeat is v * n for strings and lists.
func repeat(r *run, v any, n int64) (any, error) {
	n = max(n, 0)
	if s, ok := text(v); ok {
		if n > 0 && int64(len(s)) > maxOutput/n {
			return nil, errOutput
		}
		return strings.Repeat(s, int(n)), r.charge(len(s) * int(n) / 64)
	}
	list, ok := items(v)
	if !ok {
		return nil, fmt.Errorf("can't multiply '%s'", TypeName(v))
	}
	if n > 0 && int64(len(list)) > maxSteps/n {
		return nil, errSteps
	}
	if err := r.charge(len(list) * int(n)); err != nil {
		return nil, err
	}
	out := make([]any, 0, len(list)*int(n))
	for range n {
		out = append(out, list...)
	}
	if _, isTuple := v.(tuple); isTuple {
		return tuple(out), nil
	}
	return out, nil
}

// relation is x op y for the comparison operators.
func relation(r *run, op string, x, y any) (bool, error) {
	switch op {
	case "==", "!=":
		eq, err := equal(r, x, y)
		return eq == (op == "=="), err
	case "in", "not in":
		in, err := contains(r, y, x)
		return in == (op == "in"), err
	}
	for _, v := range []any{x, y} {
		if u, ok := v.(undefined); ok {
			return false, errors.New(u.why)
		}
	}
	c, err := compare(r, x, y)
	switch op {
	case "<":
		return c == -1, err
	case "<=":
		return c == -1 || c == 0, err
	case ">":
		return c == 1, err
	}
	return c == 1 || c == 0, err
}

// contains is Python's needle in haystack.
func contains(r *run, haystack, needle any) (bool, error) {
	if s, ok := text(haystack); ok {
		sub, ok := text(needle)
		if !ok {
			return false, fmt.Errorf("'in <string>' requires string as left operand, not %s", TypeName(needle))
		}
		return strings.Contains(s, sub), r.charge(len(s) / 64)
	}
	if o, ok := haystack.(*Object); ok {
		if _, hashable := hashKey(needle); !hashable {
			if _, ok := needle.(undefined); !ok {
				return false, fmt.Errorf("unhashable type: '%s'", TypeName(needle))
			}
		}
		_, found := o.lookup(needle)
		return found, nil
	}
	list, err := r.iterate(haystack)
	if err != nil {
		return false, fmt.Errorf("argument of type '%s' is not iterable", TypeName(haystack))
	}
	for _, v := range list {
		if eq, err := equal(r, v, needle); eq || err != nil {
			return eq, err
		}
	}
	return false, nil
}
