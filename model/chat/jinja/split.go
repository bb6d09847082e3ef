package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// splitArgs reads the arguments of split and rsplit: the separator (white space when not given) and the most cuts
// (below 0: all).
func splitArgs(args callArgs) (sep string, given bool, most int64, err error) {
	a, _, err := args.take("sep", "maxsplit")
	if err != nil {
		return "", false, 0, err
	}
	most = -1
	if a[1] != nil {
		n, ok := integer(a[1])
		if !ok {
			return "", false, 0, errors.New("maxsplit must be a whole number")
		}
		most = n
	}
	if a[0] == nil {
		return "", false, most, nil
	}
	sep, ok := text(a[0])
	switch {
	case !ok:
		return "", false, 0, fmt.Errorf("must be str or None, not %s", TypeName(a[0]))
	case sep == "":
		return "", false, 0, errors.New("empty separator")
	}
	return sep, true, most, nil
}

func methodSplit(r *run, s string, args callArgs) (any, error) {
	sep, given, most, err := splitArgs(args)
	if err != nil {
		return nil, err
	}
	if !given {
		if err := r.charge(len(s) / 4); err != nil {
			return nil, err
		}
		return convert(splitSpace(s, most)), nil
	}
	n := int64(strings.Count(s, sep))
	if most >= 0 {
		n = min(n, most)
	}
	if err := r.charge(int(n)); err != nil {
		return nil, err
	}
	return convert(strings.SplitN(s, sep, int(n)+1)), nil
}

// splitSpace cuts at runs of white space, most times at the most. What is left then keeps its inner white space.
func splitSpace(s string, most int64) (parts []string) {
	for s = strings.TrimLeftFunc(s, IsSpace); s != ""; s = strings.TrimLeftFunc(s, IsSpace) {
		end := strings.IndexFunc(s, IsSpace)
		if end < 0 || most >= 0 && int64(len(parts)) >= most {
			return append(parts, s)
		}
		parts = append(parts, s[:end])
		s = s[end:]
	}
	return parts
}

func methodRsplit(r *run, s string, args callArgs) (any, error) {
	sep, given, most, err := splitArgs(args)
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, errors.New("rsplit without a separator is not supported")
	}
	if err := r.charge(strings.Count(s, sep)); err != nil {
		return nil, err
	}
	var parts []string
	for most < 0 || int64(len(parts)) < most {
		at := strings.LastIndex(s, sep)
		if at < 0 {
			break
		}
		parts = append(parts, s[at+len(sep):])
		s = s[:at]
	}
	parts = append(parts, s)
	slices.Reverse(parts)
	return convert(parts), nil
}

// methodFormat is str.format with plain fields: {}, {0} and {name}.
func methodFormat(r *run, s string, args callArgs) (any, error) {
	var b strings.Builder
	var fields fieldCount
	for s != "" {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		if at+1 < len(s) && s[at+1] == s[at] { // {{ or }}
			b.WriteByte(s[at])
			s = s[at+2:]
			continue
		}
		end := strings.IndexByte(s, '}')
		if s[at] == '}' || end < 0 {
			return nil, errors.New("a single { or } in a format string")
		}
		v, err := fields.value(s[at+1:end], args)
		if err != nil {
			return nil, err
		}
		text, err := r.str(v)
		if err != nil {
			return nil, err
		}
		if b.WriteString(text); b.Len() > maxOutput {
			return nil, errOutput
		}
		s = s[end+1:]
	}
	b.WriteString(s)
	return b.String(), nil
}

// fieldCount counts the fields of a format string, which are all numbered or all not.
type fieldCount struct {
	auto     int
	numbered bool
}

// value is the argument that a field names.
func (f *fieldCount) value(field string, args callArgs) (any, error) {
	index, err := strconv.Atoi(field)
	switch {
	case field == "":
		index = f.auto
		f.auto++
	case err == nil && index >= 0:
		f.numbered = true
	default:
		if v, ok := args.named.lookup(field); ok {
			return v, nil
		}
		return nil, fmt.Errorf("format field {%.40s} is not an argument; attributes and format specs are not supported", field)
	}
	if f.numbered && f.auto > 0 {
		return nil, errors.New("the format string mixes {} with numbered fields")
	}
	if index >= len(args.positional) {
		return nil, errors.New("the format string has more fields than arguments")
	}
	return args.positional[index], nil
}
