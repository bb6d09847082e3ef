package chat

import (
	"errors"
	"fmt"
	"slices"
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
		return "", false, 0, fmt.Errorf("must be str or None, not %s", typeName(a[0]))
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
	var parts []string
	if !given {
		parts = splitSpace(s, most)
	} else {
		n := int64(len(s)) + 1
		if most >= 0 {
			n = min(n, most)
		}
		parts = strings.SplitN(s, sep, int(n)+1)
	}
	return convert(parts), r.charge(len(parts))
}

// splitSpace cuts at runs of white space, most times at the most. What is left then keeps its inner white space.
func splitSpace(s string, most int64) (parts []string) {
	for s = strings.TrimLeftFunc(s, isSpace); s != ""; s = strings.TrimLeftFunc(s, isSpace) {
		end := strings.IndexFunc(s, isSpace)
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
	return convert(parts), r.charge(len(parts))
}

// methodFormat is str.format with plain fields: {}, {0} and {name}.
func methodFormat(r *run, s string, args callArgs) (any, error) {
	var b strings.Builder
	auto := 0
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
		v, err := formatField(s[at+1:end], &auto, args)
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

// formatField is the argument that a field names.
func formatField(field string, auto *int, args callArgs) (any, error) {
	index := -1
	if field == "" {
		index = *auto
		*auto++
	} else if n, err := parseNumber(field); err == nil {
		if i, ok := integer(n); ok && i >= 0 && i < int64(len(args.positional)) {
			index = int(i)
		} else {
			index = len(args.positional)
		}
	}
	if index >= 0 {
		if index >= len(args.positional) {
			return nil, errors.New("the format string has more fields than arguments")
		}
		return args.positional[index], nil
	}
	if v, ok := args.named.lookup(field); ok {
		return v, nil
	}
	return nil, fmt.Errorf("format field {%.40s} is not an argument; attributes and format specs are not supported", field)
}
