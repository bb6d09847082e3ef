package peft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// Patterns give modules values of their own: the first whose key fits decides, so the order in the file counts.
type Patterns[T any] []Pattern[T]

// A Pattern is one entry: its key is a regular expression for the end of a module's name after a dot, or for all of it.
type Pattern[T any] struct {
	Key   string
	Value T
	re    *regexp.Regexp
}

// NewPattern makes an entry.
func NewPattern[T any](key string, value T) (Pattern[T], error) {
	re, err := compile(`^(?:.*\.)?(?:`, key, `)$`)
	return Pattern[T]{key, value, re}, err
}

func (p Patterns[T]) of(module string, otherwise T) T {
	for _, e := range p {
		if e.re.MatchString(module) {
			return e.Value
		}
	}
	return otherwise
}

// UnmarshalJSON reads an object, whose order it keeps, or null.
func (p *Patterns[T]) UnmarshalJSON(data []byte) error {
	*p = nil
	if string(data) == "null" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("%.80s is no object of expressions and values", data)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var value T
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("%.80q: %w", key, err)
		}
		e, err := NewPattern(key.(string), value)
		if err != nil {
			return err
		}
		*p = append(*p, e)
	}
	return nil
}

// MarshalJSON writes an object in the order of the patterns.
func (p Patterns[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(e.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(e.Value)
		if err != nil {
			return nil, err
		}
		b.Write(append(append(key, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
