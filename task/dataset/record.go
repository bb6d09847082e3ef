package dataset

// A record of a data set: a JSON object whose keys are exact and whose values are read as what they say.
//
//	r, err := ParseRecord(data)
//	question, err := r.Text("question")
//
// Keys that differ by letter case are different keys, where encoding/json takes the last of them for a field. A text, a number, true and
// false are all texts for who asks for one: data sets write 5, "5" and 5.0 for the same level. null, and NaN, which Python writes, are
// nothing. A key that stands twice in a record is an error.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Record is one JSON object.
type Record struct {
	keys   []string // in their order
	values map[string]json.RawMessage
}

// mostKeys bounds the keys of an object: every column of a data set is compared with others, described and counted.
const mostKeys = 10_000

// ParseRecord reads a JSON object.
func ParseRecord(data []byte) (Record, error) {
	dec := json.NewDecoder(bytes.NewReader(withoutNaN(data)))
	switch t, err := dec.Token(); {
	case err != nil:
		return Record{}, notJSON(data, err)
	case t != json.Delim('{'):
		return Record{}, fmt.Errorf(`%.40s is no JSON object: write {"key": value, …}`, data)
	}
	r := Record{values: map[string]json.RawMessage{}}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return Record{}, notJSON(data, err)
		}
		name, _ := key.(string) // the decoder takes nothing else for a key
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return Record{}, notJSON(data, err)
		}
		if _, twice := r.values[name]; twice {
			return Record{}, fmt.Errorf("key %q stands twice", name)
		}
		if len(r.keys) == mostKeys {
			return Record{}, fmt.Errorf("it has more than %d keys: leave out those that are not used", mostKeys)
		}
		r.keys, r.values[name] = append(r.keys, name), value
	}
	if _, err := dec.Token(); err != nil {
		return Record{}, notJSON(data, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Record{}, errors.New("something stands behind the object: write one object a line")
	}
	return r, nil
}

// notJSON is an error of the decoder, with the beginning of what it read.
func notJSON(data []byte, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) && len(bytes.TrimSpace(data)) > 0 {
		return fmt.Errorf("%.40q does not end: write one object a line, or all of them in an array [ ]", data)
	}
	return fmt.Errorf("%.40q is no JSON object: %w", data, err)
}

// Keys lists the keys in their order.
func (r Record) Keys() []string { return r.keys }

// Has says whether there is such a key, whatever its value. Keys may lead into objects, here and below: see [Record.Value].
func (r Record) Has(key string) bool { return r.Value(key) != nil }

// Value is the JSON of a key; nil: there is none. A key with dots that is none itself leads into objects: reward_model.ground_truth is
// ground_truth of the object under reward_model. An object may be written as a text, as tables have it.
func (r Record) Value(key string) json.RawMessage {
	if value, ok := r.values[key]; ok {
		return value
	}
	for at := range len(key) {
		if key[at] != '.' {
			continue
		}
		if inner, ok := r.Object(key[:at]); ok {
			if value := inner.Value(key[at+1:]); value != nil {
				return value
			}
		}
	}
	return nil
}

// Object is the object under a key of the record itself, be it written as a text.
func (r Record) Object(key string) (inner Record, ok bool) {
	inner, err := ParseRecord(unquoted(r.values[key], '{'))
	return inner, err == nil
}

// unquoted is a value, or, where it is a text that begins as the JSON of an object or a list does, the text.
func unquoted(value json.RawMessage, open byte) json.RawMessage {
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
		if text = strings.TrimSpace(text); len(text) > 0 && text[0] == open {
			return json.RawMessage(text)
		}
		return nil
	}
	return value
}

// Null says whether a key has no value: it is not there, or null.
func (r Record) Null(key string) bool {
	v := r.Value(key)
	return len(v) == 0 || string(v) == "null"
}

// Text is a scalar as a text: a string, a number as it is written, true or false. What is not there or null is empty.
func (r Record) Text(key string) (string, error) {
	text, ok := scalar(r.Value(key))
	if !ok {
		return "", fmt.Errorf("%s is %.40s, expected a text, a number, true or false", key, r.Value(key))
	}
	return text, nil
}

// Required is [Record.Text] of a key that must be there, with more than white space.
func (r Record) Required(key string) (string, error) {
	text, err := r.Text(key)
	if err == nil && strings.TrimSpace(text) == "" {
		return "", r.Missing(key)
	}
	return text, err
}

// Missing is the error that a key is not there, or says nothing. It lists those that are there.
func (r Record) Missing(key string) error {
	if r.Has(key) {
		return fmt.Errorf("%s is empty", key)
	}
	if len(r.keys) == 0 {
		return fmt.Errorf("there is no %s: the record is empty", key)
	}
	return fmt.Errorf("there is no %s: the keys are %s", key, strings.Join(r.keys, ", "))
}

// First is [Record.Text] of the first of several keys that says something; empty: none does.
func (r Record) First(keys ...string) (string, error) {
	for _, key := range keys {
		if text, err := r.Text(key); err != nil || strings.TrimSpace(text) != "" {
			return text, err
		}
	}
	return "", nil
}

// Plain is a value as a text: a scalar as [Record.Text] has it, anything else as compact JSON.
func (r Record) Plain(key string) string {
	if text, ok := scalar(r.Value(key)); ok {
		return text
	}
	var b bytes.Buffer
	if err := json.Compact(&b, r.Value(key)); err != nil {
		return string(r.Value(key))
	}
	return b.String()
}

// Texts is a list of scalars; a single one is a list of one.
func (r Record) Texts(key string) ([]string, error) {
	if r.Null(key) {
		return nil, nil
	}
	if one, ok := scalar(r.Value(key)); ok {
		return []string{one}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(r.Value(key), &list); err != nil {
		return nil, fmt.Errorf("%s is %.40s, expected a list of texts", key, r.Value(key))
	}
	texts := make([]string, len(list))
	for i, v := range list {
		text, ok := scalar(v)
		if !ok {
			return nil, fmt.Errorf("%s holds %.40s, expected texts", key, v)
		}
		texts[i] = text
	}
	return texts, nil
}

// Records is a list of objects.
func (r Record) Records(key string) ([]Record, error) {
	if r.Null(key) {
		return nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(r.Value(key), &list); err != nil {
		return nil, fmt.Errorf("%s is %.40s, expected a list of objects", key, r.Value(key))
	}
	out := make([]Record, len(list))
	for i, v := range list {
		var err error
		if out[i], err = ParseRecord(v); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return out, nil
}

// scalar is a JSON value that is no list and no object, as a text.
func scalar(value json.RawMessage) (text string, ok bool) {
	switch {
	case len(value) == 0 || string(value) == "null":
		return "", true
	case value[0] == '"':
		err := json.Unmarshal(value, &text)
		return text, err == nil
	case value[0] == '[' || value[0] == '{':
		return "", false
	}
	return string(value), true
}

// nothing are the words that Python writes for numbers that are none.
var nothing = []string{"-Infinity", "Infinity", "NaN"}

// withoutNaN writes null for NaN and the infinities, which JSON has not and Python writes all the same.
func withoutNaN(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	var out []byte
	inside := false // a text
scan:
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inside && c == '\\' && i+1 < len(data):
			out = append(out, c, data[i+1])
			i++
			continue
		case c == '"':
			inside = !inside
		case !inside:
			for _, word := range nothing {
				if bytes.HasPrefix(data[i:], []byte(word)) {
					out, i = append(out, "null"...), i+len(word)-1
					continue scan
				}
			}
		}
		out = append(out, data[i])
	}
	return out
}
