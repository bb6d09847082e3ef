package jinja

import (
	"fmt"
	"math"
	"strings"
)

// An Object is a map from keys to values that remembers the order in which keys were set, as Python's dict does: templates
// print objects, so the order shows.
//
// Values are what JSON has: nil, bool, int64 (or *big.Int beyond it), float64, string, []any and *Object. In Go code int,
// []string, []*Object and []Message may also be set; they are converted.
type Object struct {
	keys   []any // as given, first spelling kept
	values []any
	index  map[any]int // from hashKey(key)
}

// NewObject makes an object of alternating keys and values.
func NewObject(pairs ...any) *Object {
	o := &Object{}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.put(fromGo(pairs[i]), fromGo(pairs[i+1]))
	}
	return o
}

// Len is the number of keys.
func (o *Object) Len() int {
	if o == nil {
		return 0
	}
	return len(o.keys)
}

// Keys lists the keys that are strings, in order.
func (o *Object) Keys() []string {
	var keys []string
	for i := range o.Len() {
		if s, ok := o.keys[i].(string); ok {
			keys = append(keys, s)
		}
	}
	return keys
}

// Get returns the value of key.
func (o *Object) Get(key string) (any, bool) { return o.lookup(key) }

// Set sets key. A new key comes last; one that exists keeps its place.
func (o *Object) Set(key string, value any) { o.put(key, fromGo(value)) }

// lookup finds a key of any hashable type.
func (o *Object) lookup(key any) (any, bool) {
	h, ok := hashKey(key)
	if o == nil || !ok {
		return nil, false
	}
	i, ok := o.index[h]
	if !ok {
		return nil, false
	}
	return o.values[i], true
}

// put sets a key of any hashable type and reports whether it was hashable.
func (o *Object) put(key, value any) bool {
	h, ok := hashKey(key)
	if !ok {
		return false
	}
	if i, exists := o.index[h]; exists {
		o.values[i] = value
		return true
	}
	if o.index == nil {
		o.index = map[any]int{}
	}
	o.index[h] = len(o.keys)
	o.keys, o.values = append(o.keys, key), append(o.values, value)
	return true
}

// Clone copies the object itself; the values are shared.
func (o *Object) Clone() *Object {
	c := &Object{}
	for i := range o.Len() {
		c.put(o.keys[i], o.values[i])
	}
	return c
}

// hashKey maps equal keys to one Go value: in Python 1, 1.0 and True are one key.
func hashKey(key any) (any, bool) {
	switch k := key.(type) {
	case nil, string, int64:
		return key, true
	case markup:
		return string(k), true
	case bool:
		return toInt(k), true
	case float64:
		if k == math.Trunc(k) && math.Abs(k) < 1<<53 {
			return int64(k), true
		}
		return k, true
	case tuple:
		var b strings.Builder
		ok := hashTuple(&b, k, 0)
		return tupleKey(b.String()), ok
	}
	return nil, false
}

// hashTuple writes what is equal for equal tuples only. Tuples too deep or long to be anybody's key are refused.
func hashTuple(b *strings.Builder, t tuple, depth int) bool {
	if depth > 20 {
		return false
	}
	b.WriteByte('(')
	for _, item := range t {
		if b.Len() > 1<<16 {
			return false
		}
		if inner, ok := item.(tuple); ok {
			if !hashTuple(b, inner, depth+1) {
				return false
			}
			continue
		}
		h, ok := hashKey(item)
		if !ok {
			return false
		}
		fmt.Fprintf(b, "%T:%q,", h, fmt.Sprint(h))
	}
	b.WriteByte(')')
	return true
}

// tupleKey is the hash of a tuple.
type tupleKey string

// UnmarshalJSON reads an object with its keys in order. Of a key that occurs twice the last value counts.
func (o *Object) UnmarshalJSON(data []byte) error {
	v, err := DecodeJSON(data)
	if err != nil {
		return err
	}
	read, ok := v.(*Object)
	if !ok {
		return fmt.Errorf("a JSON object is needed, not %s", TypeName(v))
	}
	*o = *read
	return nil
}

// MarshalJSON writes an object with its keys in order.
func (o *Object) MarshalJSON() ([]byte, error) {
	text, err := toJSON(&run{}, o, jsonStyle{item: ", ", key: ": "})
	return []byte(text), err
}

// fromGo converts the Go types that callers may set to the ones that templates work with.
func fromGo(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case float32:
		return float64(v)
	case []string:
		return convert(v)
	case []*Object:
		return convert(v)
	case []any:
		return convert(v)
	}
	return v
}

func convert[T any](items []T) []any {
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = fromGo(item)
	}
	return list
}
