package jinja

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A textMethod is a method of strings.
type textMethod func(r *run, s string, args callArgs) (any, error)

// textMethods are the methods of strings that templates may call.
var textMethods = map[string]textMethod{
	"strip":  stripMethod(strings.TrimFunc),
	"lstrip": stripMethod(strings.TrimLeftFunc), "rstrip": stripMethod(strings.TrimRightFunc),
	"split": methodSplit, "rsplit": methodRsplit, "splitlines": methodSplitlines, "join": methodJoin, "replace": methodReplace,
	"startswith": affixMethod(strings.HasPrefix), "endswith": affixMethod(strings.HasSuffix),
	"removeprefix": cutMethod(strings.TrimPrefix), "removesuffix": cutMethod(strings.TrimSuffix),
	"find": findMethod(strings.Index), "rfind": findMethod(strings.LastIndex), "count": methodCount, "format": methodFormat,
	"upper": plainMethod(upper), "lower": plainMethod(lower), "title": plainMethod(titleMethod), "capitalize": plainMethod(capitalize),
	"isdigit": allMethod(isDigit), "isalpha": allMethod(unicode.IsLetter), "isspace": allMethod(IsSpace),
	"isalnum": allMethod(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }),
	"isupper": caseMethod(upper), "islower": caseMethod(lower),
}

// Methods of Python's that templates cannot call here: those that are not supported, and those that would change a value,
// which Jinja's sandbox refuses too.
var (
	unsupportedText = words("casefold center encode expandtabs format_map index isascii isdecimal isidentifier isnumeric isprintable " +
		"istitle ljust maketrans partition rindex rjust rpartition swapcase translate zfill")
	unsupportedNumber = words("as_integer_ratio bit_count bit_length conjugate denominator fromhex from_bytes hex imag is_integer " +
		"numerator real to_bytes")
	changingDict = words("clear pop popitem setdefault update")
	changingList = words("append clear extend insert pop remove reverse sort")
)

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// method is the method of v that is called name.
func method(v any, name string) (*callable, bool, error) {
	if s, ok := text(v); ok {
		if m, ok := textMethods[name]; ok {
			return bound(name, func(r *run, args callArgs) (any, error) {
				if err := r.charge(len(s) / 64); err != nil {
					return nil, err
				}
				return m(r, s, args)
			}), true, nil
		}
		if unsupportedText[name] {
			return nil, false, fmt.Errorf("method %s of strings is not supported", name)
		}
		return nil, false, nil
	}
	if o, ok := v.(*Object); ok {
		return dictMethod(o, name)
	}
	if list, ok := items(v); ok {
		return listMethod(list, name, TypeName(v))
	}
	if _, ok := number(v); ok && unsupportedNumber[name] {
		return nil, false, fmt.Errorf("attribute %s of numbers is not supported", name)
	}
	return nil, false, nil
}

func bound(name string, call func(r *run, args callArgs) (any, error)) *callable {
	return &callable{name: name, call: func(r *run, args callArgs) (any, error) {
		v, err := call(r, args)
		if err != nil {
			return nil, fmt.Errorf("%s(): %w", name, err)
		}
		return v, nil
	}}
}

// refused is a method that cannot be called.
func refused(name, of string) *callable {
	return &callable{name: name, call: func(*run, callArgs) (any, error) {
		return nil, fmt.Errorf("access to attribute '%s' of '%s' object is unsafe", name, of)
	}}
}

func dictMethod(o *Object, name string) (*callable, bool, error) {
	if changingDict[name] {
		return refused(name, "dict"), true, nil
	}
	dictView := func(kind string, items []any) *callable {
		return bound(name, func(r *run, _ callArgs) (any, error) {
			return &view{items: items, text: kind, sized: true}, r.charge(len(items))
		})
	}
	switch name {
	case "items":
		return bound(name, func(r *run, _ callArgs) (any, error) {
			return &view{items: pairs(o), text: "dict_items", sized: true}, r.charge(o.Len())
		}), true, nil
	case "keys":
		return dictView("dict_keys", o.keys), true, nil
	case "values":
		return dictView("dict_values", o.values), true, nil
	case "copy":
		return bound(name, func(r *run, _ callArgs) (any, error) { return o.Clone(), r.charge(o.Len()) }), true, nil
	case "get":
		return bound(name, func(_ *run, args callArgs) (any, error) {
			a, given, err := args.take("key", "default")
			if err != nil || !given[0] {
				return nil, cmp.Or(err, errors.New("needs a key"))
			}
			if v, ok := o.lookup(a[0]); ok {
				return v, nil
			}
			return a[1], nil
		}), true, nil
	}
	return nil, false, nil
}

func listMethod(list []any, name, of string) (*callable, bool, error) {
	if of == "list" && changingList[name] {
		return refused(name, of), true, nil
	}
	switch name {
	case "count", "index":
		return bound(name, func(r *run, args callArgs) (any, error) {
			if len(args.positional) != 1 {
				return nil, errors.New("takes one argument")
			}
			n := int64(0)
			for i, x := range list {
				eq, err := equal(r, x, args.positional[0])
				if err != nil {
					return nil, err
				}
				if eq && name == "index" {
					return int64(i), nil
				}
				n += toInt(eq)
			}
			if name == "index" {
				return nil, errors.New("the value is not in the list")
			}
			return n, nil
		}), true, nil
	}
	return nil, false, nil
}

func stripMethod(trim func(string, func(rune) bool) string) textMethod {
	return func(_ *run, s string, args callArgs) (any, error) {
		a, given, err := args.strings("chars")
		if err != nil {
			return nil, err
		}
		return trim(s, cutset(a[0], given[0])), nil
	}
}

func plainMethod(f func(string) string) textMethod {
	return func(_ *run, s string, args callArgs) (any, error) {
		_, _, err := args.take()
		return f(s), err
	}
}

// affixMethod is startswith or endswith: the argument is one string or a tuple of some.
func affixMethod(has func(s, affix string) bool) textMethod {
	return func(_ *run, s string, args callArgs) (any, error) {
		if len(args.positional) != 1 {
			return nil, errors.New("takes one argument here")
		}
		options, ok := args.positional[0].(tuple)
		if !ok {
			options = tuple{args.positional[0]}
		}
		for _, option := range options {
			affix, ok := text(option)
			if !ok {
				return nil, fmt.Errorf("first arg must be str or a tuple of str, not %s", TypeName(option))
			}
			if has(s, affix) {
				return true, nil
			}
		}
		return false, nil
	}
}

func cutMethod(cut func(s, affix string) string) textMethod {
	return func(_ *run, s string, args callArgs) (any, error) {
		affix, err := args.oneString()
		return cut(s, affix), err
	}
}

// findMethod counts in characters.
func findMethod(index func(s, sub string) int) textMethod {
	return func(_ *run, s string, args callArgs) (any, error) {
		sub, err := args.oneString()
		at := index(s, sub)
		if at < 0 {
			return int64(-1), err
		}
		return int64(utf8.RuneCountInString(s[:at])), err
	}
}

func methodCount(_ *run, s string, args callArgs) (any, error) {
	sub, err := args.oneString()
	return int64(strings.Count(s, sub)), err
}

// isDigit says what Python calls a digit: those that are not of decimal numbers too, such as ².
func isDigit(c rune) bool { return unicode.In(c, unicode.Nd, otherDigits()) }

// otherDigits are superscripts, subscripts, and digits in circles, in brackets and with dots, as Unicode's numeric type has them.
func otherDigits() *unicode.RangeTable {
	return &unicode.RangeTable{
		R16: []unicode.Range16{
			{Lo: 0xb2, Hi: 0xb3, Stride: 1},
			{Lo: 0xb9, Hi: 0xb9, Stride: 1},
			{Lo: 0x1369, Hi: 0x1371, Stride: 1},
			{Lo: 0x19da, Hi: 0x19da, Stride: 1},
			{Lo: 0x2070, Hi: 0x2070, Stride: 1},
			{Lo: 0x2074, Hi: 0x2079, Stride: 1},
			{Lo: 0x2080, Hi: 0x2089, Stride: 1},
			{Lo: 0x2460, Hi: 0x2468, Stride: 1},
			{Lo: 0x2474, Hi: 0x247c, Stride: 1},
			{Lo: 0x2488, Hi: 0x2490, Stride: 1},
			{Lo: 0x24ea, Hi: 0x24ea, Stride: 1},
			{Lo: 0x24f5, Hi: 0x24fd, Stride: 1},
			{Lo: 0x24ff, Hi: 0x24ff, Stride: 1},
			{Lo: 0x2776, Hi: 0x277e, Stride: 1},
			{Lo: 0x2780, Hi: 0x2788, Stride: 1},
			{Lo: 0x278a, Hi: 0x2792, Stride: 1},
		},
		R32: []unicode.Range32{
			{Lo: 0x10a40, Hi: 0x10a43, Stride: 1},
			{Lo: 0x10e60, Hi: 0x10e68, Stride: 1},
			{Lo: 0x11052, Hi: 0x1105a, Stride: 1},
			{Lo: 0x1f100, Hi: 0x1f10a, Stride: 1},
		},
		LatinOffset: 2,
	}
}

// allMethod is true for strings that are not empty and whose characters are all of one kind.
func allMethod(is func(rune) bool) textMethod {
	return func(_ *run, s string, args callArgs) (any, error) {
		_, _, err := args.take()
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !is(c) }) < 0, err
	}
}

func caseMethod(convert func(string) string) textMethod {
	return func(_ *run, s string, args callArgs) (any, error) {
		_, _, err := args.take()
		return isCase(s, convert), err
	}
}

func methodSplitlines(r *run, s string, args callArgs) (any, error) {
	a, _, err := args.take("keepends")
	if err != nil {
		return nil, err
	}
	if err := r.charge(len(s) / 4); err != nil {
		return nil, err
	}
	return convert(splitLines(s, truth(a[0]))), nil
}

func methodJoin(r *run, s string, args callArgs) (any, error) {
	if len(args.positional) != 1 {
		return nil, errors.New("takes one argument")
	}
	list, err := r.iterate(args.positional[0])
	if err != nil {
		return nil, err
	}
	return join(r, s, list, true)
}

func methodReplace(r *run, s string, args callArgs) (any, error) {
	a, given, err := args.take("old", "new", "count")
	if err != nil {
		return nil, err
	}
	old, oldOK := text(a[0])
	new, newOK := text(a[1])
	if !oldOK || !newOK {
		return nil, errors.New("needs two strings")
	}
	count := int64(-1)
	if given[2] {
		n, ok := integer(a[2])
		if !ok {
			return nil, errors.New("count must be a whole number")
		}
		count = n
	}
	return replace(r, s, old, new, count)
}
