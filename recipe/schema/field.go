package schema

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Field is one key, as a struct's tags describe it. A field with fields of its own is a section; that of the whole file has no name. Whoever
// composes a schema may change what is exported; from the first decoding on nobody does.
type Field struct {
	Name    string // last part of the key
	Path    string // whole key, such as team.turns
	Type    reflect.Type
	Default string            // in YAML form; empty: the zero value
	Words   []string          // allowed words, of the text or of a list's items; nil: any
	Hints   map[string]string // by a word that is not allowed: what to write instead
	Doc     string            // what it means, as its struct explains it
	Tag     reflect.StructTag
	Fields  []*Field

	parent   *Field
	index    []int                           // of the struct field in its section's struct, or in what held gives
	held     func(section reflect.Value) any // the settings behind the section that the field is in: a pointer to a struct; nil: in none
	zero     string                          // a word that stands for 0, as null does then; empty: none
	unit     string                          // what a number lacks to be a value of this text; empty: quotes
	auto     *float64                        // the number that the word auto stands for, which is left to the program; nil: the word is none
	takes    string                          // a text that it takes without quotes although YAML has another type for it; empty: none
	min, max *float64                        // least and greatest number, inclusive
	most     int                             // of a whole number without a greatest one, either sign; 0: of an element that has none
}

// Of returns the schema of a struct: a section without a name.
func Of(t reflect.Type) *Field {
	root := &Field{Type: t}
	root.Fields = fieldsOf(root, t, nil, nil, nil)
	return root
}

// Hold lists the keys of settings of a type that section f holds: held finds them, a pointer to a struct, in the section's value. The caller
// puts them among the fields.
func (f *Field) Hold(t reflect.Type, held func(section reflect.Value) any) []*Field {
	return fieldsOf(f, t, nil, held, nil)
}

// HoldSection returns a whole section of f, whose settings held finds: a pointer to a struct of the type. The caller puts it among the fields.
func (f *Field) HoldSection(name string, t reflect.Type, held func(section reflect.Value) any) *Field {
	s := &Field{Name: name, Path: join(f.Path, name), Type: t, parent: f, held: held}
	s.Fields = fieldsOf(s, t, nil, nil, nil)
	return s
}

// Held says that the field is one of settings that its section holds.
func (f *Field) Held() bool { return f.held != nil }

// fieldsOf lists the keys that a struct declares in a section. Those of an embedded struct are among them; fields without a name are none. Their texts
// stand in around where the struct has none of its own.
func fieldsOf(section *Field, t reflect.Type, index []int, held func(reflect.Value) any, around *texts) []*Field {
	var fields []*Field
	in := textsOf(section, t, around)
	for i := range t.NumField() {
		sf, at := t.Field(i), append(slices.Clone(index), i)
		switch name := sf.Tag.Get("yaml"); {
		case sf.Anonymous && name == "":
			fields = append(fields, fieldsOf(section, sf.Type, at, held, in)...)
		case name == "" || name == "-":
		default:
			f := newField(section, name, sf, in)
			f.index, f.held = at, held
			fields = append(fields, f)
		}
	}
	if in != around {
		in.refuseUnused(t)
	}
	return fields
}

func newField(section *Field, name string, sf reflect.StructField, in *texts) *Field {
	tag := sf.Tag.Get
	f := &Field{
		Name: name, Path: join(section.Path, name), Type: sf.Type, Default: tag("default"), Words: allowed(tag("oneof")), Tag: sf.Tag,
		parent: section, zero: tag("zero"), auto: bound(tag("auto")), takes: tag("takes"), unit: tag("unit"), min: bound(tag("min")), max: bound(tag("max")), most: mostWhole,
	}
	if f.max != nil || tag("most") == "none" {
		f.most = math.MaxInt
	}
	if sf.Type.Kind() == reflect.Struct && !isTree(sf.Type) {
		f.Fields = fieldsOf(f, sf.Type, nil, nil, in)
	}
	in.give(f)
	return f
}

// allowed reads a oneof tag; without one every word is allowed, nil.
func allowed(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Fields(tag)
}

// mostWhole is the greatest number, whole or not, of a key that names no greatest one: above what anybody means, and below what no machine can count or hold.
// The tag most:"none" is for seeds and budgets.
const mostWhole = 1_000_000_000

// bound reads a min or max tag. Tags are part of the program, so one that is no number is a mistake in it.
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

// Section says that f has keys under it.
func (f *Field) Section() bool { return f.Fields != nil }

// child returns the field of a name directly under f, or nil.
func (f *Field) child(name string) *Field {
	for _, c := range f.Fields {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Names lists the keys directly under f.
func (f *Field) Names() []string {
	names := make([]string, len(f.Fields))
	for i, c := range f.Fields {
		names[i] = c.Name
	}
	return names
}

// Leaves calls visit for f, or for every key under it that holds a value, in struct order.
func (f *Field) Leaves(visit func(*Field)) {
	if !f.Section() {
		visit(f)
	}
	for _, c := range f.Fields {
		c.Leaves(visit)
	}
}

// anyLeaf says whether a key under f that holds a value, or f itself, is one of those asked for.
func (f *Field) anyLeaf(asked func(leaf *Field) bool) bool {
	found := false
	f.Leaves(func(leaf *Field) { found = found || asked(leaf) })
	return found
}

// Find returns the field of a whole key under f, such as team.turns, or nil.
func (f *Field) Find(path string) *Field {
	for part := range strings.SplitSeq(path, ".") {
		if f = f.child(part); f == nil {
			return nil
		}
	}
	return f
}

// At returns the value of f inside a struct, to which root points and whose schema f is in.
func (f *Field) At(root any) reflect.Value {
	if f.parent == nil {
		return reflect.ValueOf(root).Elem()
	}
	return f.in(f.parent.At(root))
}

// in returns the value of f inside its section.
func (f *Field) in(section reflect.Value) reflect.Value {
	if f.held != nil {
		section = reflect.ValueOf(f.held(section)).Elem()
	}
	return section.FieldByIndex(f.index)
}

// SetDefault gives a value its default.
func (f *Field) SetDefault(v reflect.Value) {
	v.SetZero()
	if f.Default == "" {
		return
	}
	if isTree(f.Type) {
		d := NewDecoder("", "")
		if d.put(f, v, f.Default, Origin{}); d.Failed() {
			panic("internal error: default: " + d.Err().Error())
		}
		return
	}
	if message, _ := f.assign(v, literal{text: f.Default}); message != "" {
		panic("internal error: default: " + message)
	}
}

// SetDefaults gives every key of a struct its default. root points to the struct.
func (f *Field) SetDefaults(root any) {
	f.Leaves(func(leaf *Field) { leaf.SetDefault(leaf.At(root)) })
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
