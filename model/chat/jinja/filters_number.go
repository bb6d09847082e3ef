package jinja

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

func filterAbs(_ *run, v any, _ callArgs) (any, error) {
	switch v := v.(type) {
	case float64:
		return math.Abs(v), nil
	case int64, bool:
		i, _ := integer(v)
		return max(i, -i), nil
	}
	return nil, fmt.Errorf("bad operand type for abs(): '%s'", TypeName(v))
}

// filterFloat is 0.0, or its argument, for what is no number.
func filterFloat(_ *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("default")
	if err != nil {
		return nil, err
	}
	if f, ok := toFloat(v); ok {
		return f, nil
	}
	if u, ok := v.(undefined); ok {
		return nil, errors.New(u.why)
	}
	if given[0] {
		return a[0], nil
	}
	return 0.0, nil
}

// filterInt is 0, or its argument, for what is no number; fractions are cut off.
func filterInt(_ *run, v any, args callArgs) (any, error) {
	a, given, err := args.take("default", "base")
	if err != nil {
		return nil, err
	}
	if given[1] {
		return nil, errors.New("the argument base is not supported")
	}
	if i, ok := integer(v); ok {
		return i, nil
	}
	if u, ok := v.(undefined); ok {
		return nil, errors.New(u.why)
	}
	if s, ok := text(v); ok {
		if i, err := strconv.ParseInt(strings.TrimFunc(s, IsSpace), 10, 64); err == nil {
			return i, nil
		}
	}
	if f, ok := toFloat(v); ok && math.Abs(f) < 1<<63 {
		return int64(f), nil
	}
	if given[0] {
		return a[0], nil
	}
	return int64(0), nil
}

func toFloat(v any) (float64, bool) {
	if s, ok := text(v); ok {
		f, err := strconv.ParseFloat(strings.TrimFunc(s, IsSpace), 64)
		return f, err == nil
	}
	return number(v)
}
