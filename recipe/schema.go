package recipe

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// A field is one key of the language, as the struct tags of [Recipe] describe it. A field with fields of its own is a section.
type field struct {
	name   string // last part of the key
	path   string // whole key, such as team.turns
	index  int    // of the struct field in its parent
	typ    reflect.Type
	def    string   // default in YAML form; empty: the zero value
	words  []string // allowed words, of the text or of a list's items; nil: any
	zero   string   // a word that stands for 0, as null does then; empty: none
	unit   string   // what a number lacks to be a value of this text; empty: quotes
	min    *float64 // least number, inclusive
	max    *float64 // greatest number, inclusive
	doc    string
	fields []*field
}

// A register is the type of a field whose words, and what they mean, are listed elsewhere.
type register interface {
	words() (names []string, doc string)
}

// schema returns the whole language: a section without a name whose fields are the top-level keys.
var schema = sync.OnceValue(func() *field {
	root := &field{typ: reflect.TypeFor[Recipe]()}
	root.fields = fieldsOf(root.typ, "")
	return root
})

func fieldsOf(t reflect.Type, prefix string) []*field {
	var fields []*field
	for i := range t.NumField() {
		sf := t.Field(i)
		name := sf.Tag.Get("yaml")
		f := &field{name: name, path: prefix + name, index: i, typ: sf.Type,
			def: sf.Tag.Get("default"), words: allowed(sf.Tag.Get("oneof")),
			zero: sf.Tag.Get("zero"), unit: sf.Tag.Get("unit"),
			min: bound(sf.Tag.Get("min")), max: bound(sf.Tag.Get("max")), doc: sf.Tag.Get("doc")}
		if sf.Type.Kind() == reflect.Struct {
			f.fields = fieldsOf(sf.Type, f.path+".")
		}
		if listed, ok := reflect.Zero(sf.Type).Interface().(register); ok {
			f.words, f.doc = listed.words()
		}
		fields = append(fields, f)
	}
	return fields
}

// allowed reads a oneof tag; without one every word is allowed, nil.
func allowed(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Fields(tag)
}

// bound reads a min or max tag. The tags are part of this package, so one that is no number is a mistake in it.
func bound(tag string) *float64 {
	if tag == "" {
		return nil
	}
	x, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		panic("internal error: bound " + tag)
	}
	return &x
}

func (f *field) section() bool { return f.fields != nil }

func (f *field) child(name string) *field {
	for _, c := range f.fields {
		if c.name == name {
			return c
		}
	}
	return nil
}

// names lists the keys directly under f.
func (f *field) names() []string {
	names := make([]string, len(f.fields))
	for i, c := range f.fields {
		names[i] = c.name
	}
	return names
}

// leaves calls visit for f, or for every key under it that holds a value, in struct order.
func (f *field) leaves(visit func(*field)) {
	if !f.section() {
		visit(f)
	}
	for _, c := range f.fields {
		c.leaves(visit)
	}
}

// find returns the field of a whole key such as team.turns, or nil.
func find(path string) *field {
	f := schema()
	for part := range strings.SplitSeq(path, ".") {
		if f = f.child(part); f == nil {
			return nil
		}
	}
	return f
}

// at returns the value of f inside r.
func (f *field) at(r *Recipe) reflect.Value {
	v := reflect.ValueOf(r).Elem()
	at := schema()
	for part := range strings.SplitSeq(f.path, ".") {
		at = at.child(part)
		v = v.Field(at.index)
	}
	return v
}

// kind names the type of f's values in an error message or in the reference.
func (f *field) kind() string {
	switch t := f.typ; {
	case f.section():
		return "section"
	case t == variantsType:
		return "named list of changes"
	case t.Kind() == reflect.Pointer:
		return (&field{typ: t.Elem()}).kind()
	case t.Kind() == reflect.Slice:
		return "list of " + (&field{typ: t.Elem(), words: f.words}).kind() + "s"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int && f.zero != "":
		return "whole number or " + f.zero
	case t.Kind() == reflect.Int:
		return "whole number"
	case t.Kind() == reflect.Float64:
		return "number"
	case f.words != nil:
		return "word"
	}
	return "text"
}

// rangeText says which values f takes beyond its kind: "one of a, b", "1 to 16", "at least 0"; empty: any.
func (f *field) rangeText() string {
	switch {
	case f.words != nil:
		return "one of " + strings.Join(f.words, ", ")
	case f.min != nil && f.max != nil:
		return fmt.Sprintf("%s to %s", number(*f.min), number(*f.max))
	case f.min != nil:
		return "at least " + number(*f.min)
	case f.max != nil:
		return "at most " + number(*f.max)
	}
	return ""
}
