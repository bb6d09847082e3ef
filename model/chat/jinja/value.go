package jinja

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

// Besides the types that [Object] names, templates work with these.
type (
	// undefined is a name or key that is not there: it prints as nothing and is false, but nothing can be done with it.
	undefined struct{ why string }
	// tuple is a list in parentheses.
	tuple []any
	// markup is a string marked by the filter safe. Adding a plain string to it escapes that for HTML, as in Jinja.
	markup string
	// view is what can be looped over without being a list: generators, dict views and ranges.
	view struct {
		items     []any
		err       error  // of the first item, for generators that fail only when used
		text      string // how it prints
		sized     bool   // it has a length
		indexable bool   // items can be picked
	}
	// namespace holds variables that loops can change.
	namespace struct{ vars *Object }
	// callable is a function or bound method.
	callable struct {
		name string
		call func(r *run, args callArgs) (any, error)
	}
)

// maxDepth bounds walks over nested values. Templates can nest values deeper than any JSON that came in.
const maxDepth = 2 * maxJSONDepth

var errDepth = errors.New("value is nested too deeply")

// TypeName is Python's name of a value's type.
func TypeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case markup:
		return "Markup"
	case []any:
		return "list"
	case tuple:
		return "tuple"
	case *Object:
		return "dict"
	case undefined:
		return "Undefined"
	case *view:
		return strings.TrimSuffix(v.text, "(")
	case *namespace:
		return "Namespace"
	case *callable:
		return "function"
	case *loop:
		return "LoopContext"
	}
	return fmt.Sprintf("%T", v)
}

// truth is Python's bool().
func truth(v any) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case markup:
		return v != ""
	case []any:
		return len(v) > 0
	case tuple:
		return len(v) > 0
	case *Object:
		return v.Len() > 0
	case *view:
		return !v.sized || len(v.items) > 0
	}
	return true
}

// text returns the string in v, marked or not.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case markup:
		return string(v), true
	}
	return "", false
}

// toInt is the number that a bool is.
func toInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// integer returns the whole number in v; bools are numbers.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case bool:
		return toInt(v), true
	case int64:
		return v, true
	}
	return 0, false
}

// number returns the number in v as a float.
func number(v any) (float64, bool) {
	if i, ok := integer(v); ok {
		return float64(i), true
	}
	if b, ok := v.(*big.Int); ok {
		f, _ := new(big.Float).SetInt(b).Float64()
		return f, true
	}
	f, ok := v.(float64)
	return f, ok
}

// iterate lists what a loop over v would see.
func iterate(v any) ([]any, error) {
	switch v := v.(type) {
	case []any:
		return v, nil
	case tuple:
		return v, nil
	case *Object:
		return v.keys, nil
	case *view:
		return v.items, v.err
	case undefined:
		return nil, nil
	}
	if s, ok := text(v); ok {
		list := make([]any, 0, len(s))
		for _, c := range s {
			list = append(list, string(c))
		}
		return list, nil
	}
	return nil, fmt.Errorf("'%s' object is not iterable", TypeName(v))
}

// length is Python's len().
func length(v any) (int, error) {
	switch v := v.(type) {
	case []any:
		return len(v), nil
	case tuple:
		return len(v), nil
	case *Object:
		return v.Len(), nil
	case undefined:
		return 0, nil
	case *view:
		if v.sized {
			return len(v.items), nil
		}
	}
	if s, ok := text(v); ok {
		return utf8.RuneCountInString(s), nil
	}
	return 0, fmt.Errorf("object of type '%s' has no len()", TypeName(v))
}

// items returns the elements of a list or tuple.
func items(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case tuple:
		return v, true
	}
	return nil, false
}
