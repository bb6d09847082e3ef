package schema

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"parley/internal/usererror"
)

// A Vocabulary is what is known of keys that a schema does not have.
type Vocabulary interface {
	// Explain says what is wrong with a key, and what to write instead; where a text is empty, the decoder says what it can. fine: it is no
	// mistake to have the key.
	Explain(k Unknown) (message, hint string, fine bool)
	// Keys lists all keys that there are, under one condition or another. A mistaken one may mean one of them.
	Keys() []string
	// Reference says where all keys are listed.
	Reference() string
	// Example is a change, such as lr=0.1.
	Example() string
}

// Unknown is a key that the schema does not have.
type Unknown struct {
	Path  string
	Set   bool     // it is that of a change, not of the text
	value ast.Node // nil: it cannot be read
}

// Has says that the key's value is the default of a field.
func (k Unknown) Has(f *Field) bool {
	if k.value == nil {
		return false
	}
	trial := NewDecoder("", "")
	given, usual := reflect.New(f.Type).Elem(), reflect.New(f.Type).Elem()
	trial.value(given, f, k.value, Origin{})
	f.SetDefault(usual)
	return !trial.Failed() && reflect.DeepEqual(given.Interface(), usual.Interface())
}

// unknown reports a key that a section does not have, unless the vocabulary finds it no mistake.
func (d *Decoder) unknown(section *Field, name string, value ast.Node, at Origin) {
	message, hint, fine := d.explain(Unknown{Path: join(section.Path, name), Set: d.flag, value: value})
	if fine {
		return
	}
	if message == "" {
		message = fmt.Sprintf("unknown key %q%s", name, within(section.Path))
	}
	if hint == "" {
		hint = d.unknownHint(section, name)
	}
	d.Fail(at, message, hint)
}

func (d *Decoder) explain(k Unknown) (message, hint string, fine bool) {
	if d.vocabulary == nil {
		return "", "", false
	}
	return d.vocabulary.Explain(k)
}

func (d *Decoder) everyKey() []string {
	if d.vocabulary == nil {
		return nil
	}
	return d.vocabulary.Keys()
}

// unknownHint looks for the key that was meant: first among the keys of the section, then for the same name elsewhere.
func (d *Decoder) unknownHint(section *Field, name string) string {
	if hint := meant(name, section.Names()); hint != "" {
		return hint
	}
	var paths []string
	for _, path := range d.everyKey() {
		if path[strings.LastIndexByte(path, '.')+1:] == name {
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		return "did you mean " + strings.Join(paths, " or ") + "?"
	}
	return "expected one of " + strings.Join(section.Names(), ", ")
}

// unknownSet is [Decoder.unknown] for the whole key of a change.
func (d *Decoder) unknownSet(key, text string, at Origin) {
	var value ast.Node
	if docs, _, _ := parseYAML([]byte(text)); len(docs) == 1 {
		value = docs[0]
	}
	message, hint, fine := d.explain(Unknown{Path: key, Set: true, value: value})
	if fine {
		return
	}
	if message == "" {
		message = fmt.Sprintf("unknown key %q", key)
	}
	if hint == "" {
		hint = d.unknownSetHint(key)
	}
	d.Fail(at, message, hint)
}

func (d *Decoder) unknownSetHint(key string) string {
	all := d.everyKey()
	if hint := meant(key, all); hint != "" {
		return hint
	}
	for _, path := range all {
		if strings.HasSuffix(path, "."+key) {
			return `did you mean "` + path + `"?`
		}
	}
	if d.vocabulary == nil {
		return ""
	}
	return d.vocabulary.Reference()
}

// meant is the hint for a word that is not among words.
func meant(word string, words []string) string {
	if near := usererror.Nearest(word, words); near != "" {
		return `did you mean "` + near + `"?`
	}
	return ""
}

func within(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}
