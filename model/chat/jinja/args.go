package jinja

import "fmt"

// take matches arguments with parameter names: positional ones first, then named ones. What was not given is nil and false.
func (a callArgs) take(names ...string) (values []any, given []bool, err error) {
	if len(a.positional) > len(names) {
		return nil, nil, fmt.Errorf("takes at most %d arguments, not %d", len(names), len(a.positional))
	}
	values, given = make([]any, len(names)), make([]bool, len(names))
	for i, v := range a.positional {
		values[i], given[i] = v, true
	}
	known := 0
	for i, name := range names {
		v, ok := a.named.lookup(name)
		if !ok {
			continue
		}
		if given[i] {
			return nil, nil, fmt.Errorf("got multiple values for argument '%s'", name)
		}
		known++
		values[i], given[i] = v, true
	}
	if known < a.named.Len() {
		return nil, nil, fmt.Errorf("knows no argument of the names %q beyond %q", a.named.Keys(), names)
	}
	return values, given, nil
}

// strings matches arguments that all must be strings; one that is None or not given is "" and false.
func (a callArgs) strings(names ...string) (values []string, given []bool, err error) {
	anys, given, err := a.take(names...)
	if err != nil {
		return nil, nil, err
	}
	values = make([]string, len(anys))
	for i, v := range anys {
		if v == nil {
			given[i] = false
			continue
		}
		s, ok := text(v)
		if !ok {
			return nil, nil, fmt.Errorf("argument '%s' must be a string, not %s", names[i], TypeName(v))
		}
		values[i] = s
	}
	return values, given, nil
}

// oneString is the argument of a method that takes exactly one string.
func (a callArgs) oneString() (string, error) {
	if len(a.positional) != 1 || a.named.Len() > 0 {
		return "", fmt.Errorf("takes one string, not %d arguments", len(a.positional)+a.named.Len())
	}
	s, ok := text(a.positional[0])
	if !ok {
		return "", fmt.Errorf("must be str, not %s", TypeName(a.positional[0]))
	}
	return s, nil
}
