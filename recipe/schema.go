package recipe

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A field is one key of the language, as the struct tags of [Recipe] or of settings describe it. A field with fields of its own is a section.
type field struct {
	name     string // last part of the key
	path     string // whole key, such as team.turns
	parent   *field // the section that it is in; nil: the recipe itself
	index    []int  // of the struct field in its section's struct, or in the settings that the section holds
	own      bool   // it belongs to the settings that the section's name has chosen
	typ      reflect.Type
	def      string   // default in YAML form; empty: the zero value
	words    []string // allowed words, of the text or of a list's items; nil: any
	zero     string   // a word that stands for 0, as null does then; empty: none
	auto     *float64 // the number that the word auto stands for, which is left to parley; nil: the word is none
	takes    string   // a text that it takes without quotes although YAML has another type for it; empty: none
	unit     string   // what a number lacks to be a value of this text; empty: quotes
	min      *float64 // least number, inclusive
	max      *float64 // greatest number, inclusive
	doc      string
	named    string // what on disk its texts name, see paths.go; empty: nothing
	scores   bool   // it changes how single responses are scored
	measured string // what a task that is only measured on does with it; empty: it is a key there too
	fields   []*field
}

// A listed is the type of a field whose words, and what they mean, are listed elsewhere.
type listed interface {
	words() (names []string, doc string)
}

// fieldsOf lists the keys that a struct declares in a section. Those of an embedded struct are among them; fields without a name are none.
func fieldsOf(section *field, t reflect.Type, index []int) []*field {
	var fields []*field
	for i := range t.NumField() {
		sf, at := t.Field(i), append(slices.Clone(index), i)
		tag := sf.Tag.Get
		name := tag("yaml")
		switch {
		case sf.Anonymous && name == "":
			fields = append(fields, fieldsOf(section, sf.Type, at)...)
			continue
		case name == "" || name == "-":
			continue
		}
		f := &field{
			name: name, path: join(section.path, name), parent: section, index: at, typ: sf.Type, def: tag("default"), words: allowed(tag("oneof")),
			zero: tag("zero"), takes: tag("takes"), auto: bound(tag("auto")), unit: tag("unit"), min: bound(tag("min")), max: bound(tag("max")), doc: tag("doc"), named: tag("names"),
			scores: tag("scores") == "yes", measured: tag("measured"),
		}
		if sf.Type.Kind() == reflect.Struct {
			f.fields = fieldsOf(f, sf.Type, nil)
		}
		if register, ok := reflect.Zero(sf.Type).Interface().(listed); ok {
			f.words, f.doc = register.words()
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

// anyLeaf says whether a key under f that holds a value, or f itself, is one of those asked for.
func (f *field) anyLeaf(asked func(leaf *field) bool) bool {
	found := false
	f.leaves(func(leaf *field) { found = found || asked(leaf) })
	return found
}

// find returns the field of a whole key under f, such as team.turns, or nil.
func (f *field) find(path string) *field {
	for part := range strings.SplitSeq(path, ".") {
		if f = f.child(part); f == nil {
			return nil
		}
	}
	return f
}

// at returns the value of f inside r.
func (f *field) at(r *Recipe) reflect.Value {
	if f.parent == nil {
		return reflect.ValueOf(r).Elem()
	}
	return f.in(f.parent.at(r))
}

// in returns the value of f inside its section.
func (f *field) in(section reflect.Value) reflect.Value {
	if f.own {
		section = section.FieldByName("Settings").Elem().Elem()
	}
	return section.FieldByIndex(f.index)
}

// setDefault gives a value its default.
func (f *field) setDefault(v reflect.Value) {
	v.SetZero()
	if f.def == "" {
		return
	}
	if message, _ := f.assign(v, literal{text: f.def}); message != "" {
		panic("internal error: default: " + message)
	}
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
		if f.auto != nil {
			return "number or " + autoWord
		}
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
