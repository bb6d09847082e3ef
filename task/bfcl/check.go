package bfcl

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// This file is the verdict of the official checker (bfcl-eval 2026.3.23, ast_checker, its language Python) on calls in no order, with what it does by accident:
// only the verdicts are its own.

// valid says that there are as many calls as asked for and that each asked one, in its order, has the first unused call that fits.
func valid(calls []Call, asked []wanted, functions []function) bool {
	if len(calls) != len(asked) {
		return false
	}
	used := make([]bool, len(calls))
	for _, w := range asked {
		f := functions[slices.IndexFunc(functions, func(f function) bool { return f.name == w.name })]
		i := 0
		for i < len(calls) && (used[i] || !fits(calls[i], w, f)) {
			i++
		}
		if i == len(calls) {
			return false
		}
		used[i] = true
	}
	return true
}

func fits(c Call, w wanted, f function) bool {
	if c.Name != w.name || slices.ContainsFunc(f.required, func(name string) bool { _, there := c.Arguments[name]; return !there }) {
		return false
	}
	for name, v := range c.Arguments {
		p, declared := f.parameters[name]
		accepted, known := w.accepted[name]
		if !declared || !known || !p.admits(v, accepted) {
			return false
		}
	}
	for name, accepted := range w.accepted {
		if _, there := c.Arguments[name]; !there && !contains(accepted, "") {
			return false
		}
	}
	return true
}

// admits says that a value has the declared type, or that of the accepted ones, and is one of them.
func (p parameter) admits(v any, accepted []any) bool {
	if whole, ok := v.(*big.Int); ok && p.float {
		x, _ := new(big.Float).SetInt(whole).Float64()
		v = float(x)
	}
	ok, variable := typed(v, accepted, p.kind, p.items)
	switch {
	case !ok:
		return false
	case variable: // the name of one, or what else the accepted values are
		return contains(accepted, v)
	case p.kind == "string":
		return slices.ContainsFunc(accepted, func(a any) bool { return kind(a) == "string" && standard(a) == standard(v) })
	case p.kind == "dict":
		return dictFits(v, accepted)
	case p.kind == "array" && p.items == "dict":
		return dictsFit(v.([]any), accepted)
	case p.kind == "array":
		return slices.ContainsFunc(accepted, func(a any) bool { list, ok := elements(a); return ok && equal(standards(list), standards(v.([]any))) })
	}
	return contains(accepted, v)
}

// typed says whether a value has the type that is declared or that of the first accepted value that is not empty. It stands for a variable where
// these two differ. Elements are looked at one level deep, beside those of one accepted value.
func typed(v any, accepted []any, declared, items string) (ok, variable bool) {
	i := slices.IndexFunc(accepted, func(a any) bool { return !equal(a, "") })
	if kind(v) != declared {
		return i >= 0 && kind(v) == kind(accepted[i]), true
	}
	variable = i >= 0 && kind(accepted[i]) != declared
	if items == "" {
		return true, variable
	}
	for _, a := range accepted {
		list, ok := a.([]any)
		if !ok || !slices.ContainsFunc(v.([]any), func(x any) bool { ok, _ := typed(x, list, items, ""); return !ok }) {
			return true, variable
		}
	}
	return false, false
}

var ignored = regexp.MustCompile(`[ ,./\-_*^]`)

// standard is a text as texts are compared; other values stay as they are.
func standard(v any) any {
	if text, ok := v.(string); ok {
		return strings.ReplaceAll(cases.Lower(language.Und).String(ignored.ReplaceAllString(text, "")), "'", `"`)
	}
	return v
}

func standards(list []any) any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = standard(v)
	}
	return out
}

// elements are those of a list, or the characters of a text.
func elements(v any) (list []any, ok bool) {
	if text, ok := v.(string); ok {
		for _, c := range text {
			list = append(list, string(c))
		}
		return list, true
	}
	list, ok = v.([]any)
	return list, ok
}

// dictFits says that the values of all keys are accepted, and that keys which are not there may be left out.
func dictFits(v any, accepted []any) bool {
	given, ok := v.(map[string]any)
	return ok && slices.ContainsFunc(accepted, func(a any) bool {
		asked, ok := a.(map[string]any)
		if !ok {
			return false
		}
		for key, x := range given {
			if options, ok := elements(asked[key]); !ok || !contains(standards(options).([]any), standard(x)) {
				return false
			}
		}
		for key, options := range asked {
			_, text := options.(string)
			list, _ := options.([]any)
			if _, there := given[key]; !there && !text && !contains(list, "") {
				return false
			}
		}
		return true
	})
}

// dictsFit says that all dicts of a list are those of an accepted one, in its order.
func dictsFit(list, accepted []any) bool {
	return slices.ContainsFunc(accepted, func(a any) bool {
		asked, ok := elements(a)
		if !ok || len(asked) != len(list) {
			return false
		}
		for i := range list {
			if !dictFits(list[i], asked[i:i+1]) {
				return false
			}
		}
		return true
	})
}
