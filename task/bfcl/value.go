package bfcl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Values are those of Python: nil, bool, *big.Int, float64, string, []any and map[string]any. A key of a dict that is no text is written
// with a NUL before it, so that it is no key of JSON.

// readJSON reads one value.
func readJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("there is more behind it")
	}
	return python(v), nil
}

// python makes numbers of a value whole ones or floats, as Python reads them.
func python(v any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v.String())
	case []any:
		for i := range v {
			v[i] = python(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = python(v[k])
		}
	}
	return v
}

func number(text string) any {
	if whole, ok := new(big.Int).SetString(text, 10); ok {
		return whole
	}
	x, _ := strconv.ParseFloat(text, 64) // one that is too great is infinite, in Python too
	return x
}

// numeric is the number that a value is, booleans among them; nil: it is none.
func numeric(v any) *big.Float {
	switch v := v.(type) {
	case bool:
		return big.NewFloat(map[bool]float64{true: 1}[v])
	case *big.Int:
		return new(big.Float).SetInt(v)
	case float64:
		return big.NewFloat(v)
	}
	return nil
}

// equal is Python's ==.
func equal(a, b any) bool {
	if x, y := numeric(a), numeric(b); x != nil || y != nil {
		return x != nil && y != nil && x.Cmp(y) == 0
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	}
	return a == b
}

// contains is Python's in.
func contains(list []any, v any) bool {
	return slices.ContainsFunc(list, func(x any) bool { return equal(x, v) })
}

// literal writes a value so that different values have different texts, 5 and 5.0 too.
func literal(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64)
	case string:
		return strconv.Quote(v)
	case []any:
		var list []string
		for _, x := range v {
			list = append(list, literal(x))
		}
		return "[" + strings.Join(list, ",") + "]"
	case map[string]any:
		var list []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list = append(list, strconv.Quote(k)+":"+literal(v[k]))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	return fmt.Sprint(v)
}

// kind names the type of a value as declarations do; a float is no integer, and a boolean no number.
func kind(v any) string {
	switch v.(type) {
	case bool:
		return "boolean"
	case *big.Int:
		return "integer"
	case float64:
		return "float"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "dict"
	}
	return "null"
}
