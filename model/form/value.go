package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A kind is a kind of JSON.
type kind int

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

// A value is JSON with its keys in order and its numbers as they are written.
type value struct {
	kind    kind
	text    string // of a text; a number as it is written
	truth   bool
	items   []value
	members []member
}

type member struct {
	name  string
	value value
}

// member returns the value of a key.
func (v value) member(name string) (value, bool) {
	for _, m := range v.members {
		if m.name == name {
			return m.value, true
		}
	}
	return value{}, false
}

// maxNesting bounds how deep values lie in each other.
const maxNesting = 500

// parseValue reads JSON.
func parseValue(data []byte) value {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v := readValue(d, 0)
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		refuse("", "there is more behind its JSON")
	}
	return v
}

func readToken(d *json.Decoder) json.Token {
	t, err := d.Token()
	if err != nil {
		refuse("", "it is no JSON: %v", err)
	}
	return t
}

func readValue(d *json.Decoder, depth int) value {
	if depth > maxNesting {
		refuse("", "its JSON is nested more than %d deep", maxNesting)
	}
	switch t := readToken(d).(type) {
	case bool:
		return value{kind: boolean, truth: t}
	case json.Number:
		return value{kind: number, text: t.String()}
	case string:
		return value{kind: text, text: t}
	case json.Delim:
		v := value{kind: array}
		if t == '{' {
			v.kind = object
		}
		seen := map[string]bool{}
		for d.More() {
			if v.kind == array {
				v.items = append(v.items, readValue(d, depth+1))
				continue
			}
			name, _ := readToken(d).(string)
			if seen[name] {
				refuse("", "the key %q is there twice", name)
			}
			seen[name] = true
			v.members = append(v.members, member{name, readValue(d, depth+1)})
		}
		readToken(d)
		return v
	}
	return value{kind: null}
}

// step is a JSON pointer some steps further.
func step(pointer string, names ...string) string {
	for _, name := range names {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return pointer
}

// hasAny says whether one of some keys is there.
func (v value) hasAny(names ...string) bool {
	return slices.ContainsFunc(v.members, func(m member) bool { return slices.Contains(names, m.name) })
}

// at is the value that one step of a JSON pointer leads to.
func (v value) at(name string) (value, bool) {
	if v.kind == array {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v.items) {
			return v.items[i], true
		}
	}
	return v.member(name)
}
