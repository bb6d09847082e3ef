package bfcl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Values are those of Python: nil, bool, *big.Int, float, string, []any and map[string]any. A key of a dict that is no text is written
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
	return float(x)
}

// numeric is the number that a value is, booleans among them; nil: it is none.
func numeric(v any) *big.Float {
	switch v := v.(type) {
	case bool:
		return big.NewFloat(map[bool]float64{true: 1}[v])
	case *big.Int:
		return new(big.Float).SetInt(v)
	case float:
		return big.NewFloat(float64(v))
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
	text, err := json.Marshal(v)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return string(text)
}

// A float is one of Python's.
type float float64

// MarshalJSON writes it in another way than a whole number.
func (f float) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(f), 0) {
		return strconv.AppendQuote(nil, fmt.Sprint(float64(f), " in floats")), nil
	}
	return strconv.AppendFloat(nil, float64(f), 'e', -1, 64), nil
}

// kind names the type of a value as declarations do; a float is no integer, and a boolean no number.
func kind(v any) string {
	switch v.(type) {
	case bool:
		return "boolean"
	case *big.Int:
		return "integer"
	case float:
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
