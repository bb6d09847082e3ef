package schema

import (
	"fmt"
	"reflect"
	"strings"
)

// Kind names the type of f's values, for error messages and references.
func (f *Field) Kind() string {
	switch t := f.Type; {
	case f.Section():
		return "section"
	case isTree(t):
		return asTree(reflect.New(t)).Kind()
	case asMapping(reflect.New(t)) != nil:
		return asMapping(reflect.New(t)).Shape().Kind
	case t.Kind() == reflect.Pointer:
		return (&Field{Type: t.Elem()}).Kind()
	case t.Kind() == reflect.Slice:
		return "list of " + (&Field{Type: t.Elem(), Words: f.Words}).Kind() + "s"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int && f.zero != "":
		return "whole number or " + f.zero
	case t.Kind() == reflect.Int:
		return "whole number"
	case t.Kind() == reflect.Float64 && f.auto != nil:
		return "number or " + autoWord
	case t.Kind() == reflect.Float64:
		return "number"
	case f.Words != nil:
		return "word"
	}
	return "text"
}

// Range says which values f takes beyond its kind: "one of a, b", "1 to 16", "at least 0"; empty: any.
func (f *Field) Range() string {
	switch {
	case f.Words != nil:
		return "one of " + strings.Join(f.Words, ", ")
	case f.min != nil && f.max != nil:
		return fmt.Sprintf("%s to %s", Number(*f.min), Number(*f.max))
	case f.min != nil:
		return "at least " + Number(*f.min)
	case f.max != nil:
		return "at most " + Number(*f.max)
	}
	return ""
}
