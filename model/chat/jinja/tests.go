package jinja

import (
	"errors"
	"fmt"
	"math/big"
)

// A test decides v is name(args).
type test func(r *run, v any, args []any) (bool, error)

// tests are the ones that templates may use. Any other name is an error when the template is parsed.
var tests = map[string]test{
	"defined":   kind(func(v any) bool { _, missing := v.(undefined); return !missing }),
	"undefined": kind(func(v any) bool { _, missing := v.(undefined); return missing }),
	"none":      kind(func(v any) bool { return v == nil }),
	"string":    kind(func(v any) bool { _, ok := text(v); return ok }),
	"mapping":   kind(func(v any) bool { _, ok := v.(*Object); return ok }),
	"iterable":  kind(func(v any) bool { _, err := iterate(v); _, isView := v.(*view); return err == nil || isView }),
	"sequence":  kind(isSequence),
	"callable":  kind(isCallable),
	"boolean":   kind(func(v any) bool { _, ok := v.(bool); return ok }),
	"true":      kind(func(v any) bool { return v == true }),
	"false":     kind(func(v any) bool { return v == false }),
	"number":    kind(func(v any) bool { _, ok := number(v); return ok }),
	"float":     kind(func(v any) bool { _, ok := v.(float64); return ok }),
	"integer":   kind(isInteger),
	"lower":     caseTest(lower),
	"upper":     caseTest(upper),
	"odd":       remainder(2, 1),
	"even":      remainder(2, 0),
	"eq":        related("=="), "equalto": related("=="), "==": related("=="),
	"ne": related("!="), "!=": related("!="),
	"lt": related("<"), "lessthan": related("<"), "<": related("<"),
	"le": related("<="), "<=": related("<="),
	"gt": related(">"), "greaterthan": related(">"), ">": related(">"),
	"ge": related(">="), ">=": related(">="),
	"in":          related("in"),
	"divisibleby": testDivisible,
}

// kind makes a test of a predicate.
func kind(f func(v any) bool) test {
	return func(_ *run, v any, args []any) (bool, error) {
		if len(args) > 0 {
			return false, errors.New("takes no argument")
		}
		return f(v), nil
	}
}

// related makes a test of a comparison with its argument.
func related(op string) test {
	return func(r *run, v any, args []any) (bool, error) {
		if len(args) != 1 {
			return false, errors.New("takes one argument")
		}
		return relation(r, op, v, args[0])
	}
}

// isSequence says whether v has a length and items: dicts have, and so has what is undefined.
func isSequence(v any) bool {
	switch v := v.(type) {
	case undefined, *Object, []any, tuple, string, markup:
		return true
	case *view:
		return v.indexable
	}
	return false
}

func isInteger(v any) bool {
	switch v.(type) {
	case int64, *big.Int:
		return true
	}
	return false
}

// isCallable is true for what is undefined too: calling it is an error of its own.
func isCallable(v any) bool {
	switch v.(type) {
	case *callable, undefined:
		return true
	}
	return false
}

// caseTest tests what v prints as. The names of functions, which print like addresses, are lower case.
func caseTest(convert func(string) string) test {
	return func(r *run, v any, _ []any) (bool, error) {
		if _, ok := v.(*callable); ok {
			return convert("a") == "a", nil
		}
		if w, ok := v.(*view); ok && !w.sized {
			return convert("a") == "a", nil
		}
		s, err := r.str(v)
		return isCase(s, convert), err
	}
}

// isCase says whether s has letters and all are of the case that convert makes.
func isCase(s string, convert func(string) string) bool {
	return convert(s) == s && (upper(s) != s || lower(s) != s)
}

// remainder makes a test of v % by == want, which is an error for what has no remainder.
func remainder(by, want int64) test {
	return func(r *run, v any, args []any) (bool, error) {
		if len(args) > 0 {
			return false, errors.New("takes no argument")
		}
		rest, err := arithmetic(r, "%", v, by)
		if err != nil {
			return false, err
		}
		return relation(r, "==", rest, want)
	}
}

func testDivisible(_ *run, v any, args []any) (bool, error) {
	if len(args) != 1 {
		return false, errors.New("takes one argument")
	}
	i, iok := integer(v)
	by, ok := integer(args[0])
	if !iok || !ok || by == 0 {
		return false, fmt.Errorf("needs whole numbers, the second not 0")
	}
	return i%by == 0, nil
}
