// Package schema reads and prints YAML files whose keys are the fields of Go structs.
//
// A struct declares its keys by tags: yaml (the name), default, oneof (the words allowed), min and max (inclusive), zero, unit. What they mean
// stands in a Markdown file, which the method KeyTexts of the struct returns with its name: below the heading "## lr" what lr means. [Of] makes a
// [Field] of each key, the root of all keys. It panics where a text belongs to no key, or a key has two: both are mistakes in the program. A section
// may hold further settings behind its own, whose type is known at run time only: [Field.Hold] lists their keys.
//
// A [Decoder] is strict. An unknown key, a key given twice, a wrong type, a number out of range and a word that is not allowed are errors, and
// all are found in one pass, each with its line and column. Anchors, merge keys, tags and several documents in a file are no part of the
// language. How deep a text nests and how many tokens it has is bounded before the YAML parser sees it.
//
//	root := schema.Of(reflect.TypeFor[Settings]())
//	d := schema.NewDecoder("settings.yaml", "settings")
//	d.Parse(data)
//	d.Decode(root, &settings, []string{"lr=0.1"})
//	err := d.Err() // an [*Errors]
//
// [Print] writes a struct with the meaning of each key as a comment; decoding the print gives the struct again. What the keys mean, which go
// together and which have other names elsewhere is not known here: a [Vocabulary] says it.
package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// An Origin is the place that gave a key its value.
type Origin struct {
	File         string
	Line, Column int // from 1; 0: a change, as after --set
}

// A Decoder fills a struct from a text and changes of it. It goes on after an error, so that all of them are found. First comes Parse, then
// Decode, then what the caller finds wrong, then Err.
type Decoder struct {
	vocabulary Vocabulary // nil: none
	noun       string     // what is read, such as recipe
	name       string     // of the text
	file       string     // shown in errors: name, or a change
	flag       bool       // the text is the value of a change: positions inside it mean nothing
	root       ast.Node   // nil: the text is empty or broken
	overlays   []overlay  // texts over it, the last of which wins
	over       bool       // one of them is read
	schema     *Field
	list       []Error           // everything found so far
	broken     []string          // keys whose values could not be read, and sections with unknown keys, which may have been meant for any of theirs
	origins    map[string]Origin // by key: where the user gave it a value, the last place if there are several
}

// NewDecoder returns a decoder of a text. Errors show the name of its file, and noun says what it is, such as recipe.
func NewDecoder(file, noun string) *Decoder {
	return &Decoder{name: file, file: file, noun: noun, origins: map[string]Origin{}}
}

// Ask makes a vocabulary say what is wrong with unknown keys.
func (d *Decoder) Ask(v Vocabulary) { d.vocabulary = v }

// Decode fills the struct that into points to, whose schema is given: first from the text, then from those over it, then from changes of the form
// key=value. Keys that none has keep their values.
func (d *Decoder) Decode(schema *Field, into any, sets []string) {
	d.schema = schema
	if d.root != nil {
		d.section(reflect.ValueOf(into).Elem(), schema, d.root)
	}
	d.decodeOverlays(into)
	for _, set := range sets {
		d.set(into, set)
	}
	d.file, d.flag = d.name, false
}

// Fail reports an error.
func (d *Decoder) Fail(at Origin, message, hint string) {
	d.list = append(d.list, Error{at.File, at.Line, at.Column, brief(message), hint})
}

// Failed says that something is wrong.
func (d *Decoder) Failed() bool { return len(d.list) > 0 }

// Partly says that the text was read, but for some values.
func (d *Decoder) Partly() bool { return len(d.broken) > 0 }

// Sound says that the values of keys were read, as far as the text has them: whether they go together can be asked.
func (d *Decoder) Sound(keys ...string) bool {
	for _, broken := range d.broken {
		for _, key := range keys {
			if broken == "" || inside(key, broken) || inside(broken, key) {
				return false
			}
		}
	}
	return true
}

// inside says that a key is another, or stands in it.
func inside(key, whole string) bool {
	rest, ok := strings.CutPrefix(key, whole)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Err is an [*Errors] with everything that is wrong, or nil.
func (d *Decoder) Err() error {
	if len(d.list) == 0 {
		return nil
	}
	d.sortErrors()
	return &Errors{d.list}
}

// Given returns the place that gave a key its value; ok is false where none did.
func (d *Decoder) Given(key string) (at Origin, ok bool) {
	at, ok = d.origins[key]
	return at, ok
}

// Origin is where the user wrote the first of keys that the user wrote at all; else the top of the file.
func (d *Decoder) Origin(keys ...string) Origin {
	for _, key := range keys {
		if at, ok := d.origins[key]; ok {
			return at
		}
	}
	return Origin{d.file, 1, 1}
}

// Near is where a key such as team.workflow[2].prompt stands, or what it is in; else the first of others that the user wrote.
func (d *Decoder) Near(key string, others ...string) Origin {
	for at := key; at != ""; {
		if origin, ok := d.Given(at); ok {
			return origin
		}
		at = at[:max(strings.LastIndexByte(at, '.'), strings.LastIndexByte(at, '['), 0)]
	}
	return d.Origin(others...)
}

// RefuseRepeats reports words that stand twice in a list of words.
func (d *Decoder) RefuseRepeats(of any) {
	d.schema.Leaves(func(f *Field) {
		if f.Words == nil || f.Type.Kind() != reflect.Slice {
			return
		}
		items := f.At(of).Interface().([]string)
		for i, item := range items {
			if slices.Contains(items[:i], item) {
				d.Fail(d.Origin(f.Path), fmt.Sprintf("%s names %s twice", f.Path, item), "remove one")
			}
		}
	})
}

// place is where a syntax node stands.
func (d *Decoder) place(n ast.Node) Origin {
	if d.flag {
		return Origin{File: d.file}
	}
	switch m := n.(type) {
	case *ast.MappingValueNode:
		return d.place(m.Key)
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return d.place(m.Values[0].Key)
		}
	}
	p := n.GetToken().Position
	return Origin{d.file, p.Line, p.Column}
}

// section reads a mapping into the struct v.
func (d *Decoder) section(v reflect.Value, f *Field, node ast.Node) {
	m, ok := node.(ast.MapNode)
	if !ok {
		d.broken = append(d.broken, f.Path)
		whole := f.Path
		if whole == "" {
			whole = "the " + d.noun
		}
		d.Fail(d.place(node), fmt.Sprintf("%s is %s, expected keys: %s", whole, describe(node), strings.Join(f.Names(), ", ")), "")
		return
	}
	seen := map[string]Origin{}
	for it := m.MapRange(); it.Next(); {
		d.key(v, f, it.Key(), it.Value(), seen)
	}
}

func (d *Decoder) key(v reflect.Value, f *Field, key ast.MapKeyNode, value ast.Node, seen map[string]Origin) {
	at := d.place(key)
	name, ok := keyName(key)
	if !ok {
		d.Fail(at, "only plain keys are allowed, no anchors, merges or complex keys", "write the keys out")
		return
	}
	if first, twice := seen[name]; twice {
		d.Fail(at, fmt.Sprintf("%s is given twice, first on line %d", join(f.Path, name), first.Line), "remove one")
		return
	}
	seen[name] = at
	child := f.child(name)
	if child == nil {
		d.broken = append(d.broken, f.Path)
		d.unknown(f, name, value, at)
		return
	}
	d.value(child.in(v), child, value, at)
}

// value reads the value of one key.
func (d *Decoder) value(v reflect.Value, f *Field, node ast.Node, key Origin) {
	d.origins[f.Path] = key
	if f.Section() {
		d.section(v, f, node)
		return
	}
	if d.over && d.parts(v, f, node) {
		return
	}
	before, known := len(d.list), len(d.broken)
	d.leaf(v, f, node)
	if len(d.list) > before && len(d.broken) == known { // a tree says itself which of its keys are broken
		d.broken = append(d.broken, f.Path)
	}
}

// leaf reads a value of a key that is no section.
func (d *Decoder) leaf(v reflect.Value, f *Field, node ast.Node) {
	switch {
	case asTree(v.Addr()) != nil:
		v.SetZero()
		asTree(v.Addr()).Read(Node{f.Path, d, node})
	case asMapping(v.Addr()) != nil:
		d.mapping(v, f, node)
	case v.Kind() == reflect.Slice:
		d.items(v, f, node)
	default:
		d.scalar(v, f, node)
	}
}

// items reads a list. An empty list and an absent one are both nil.
func (d *Decoder) items(v reflect.Value, f *Field, node ast.Node) {
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		d.Fail(d.place(node), fmt.Sprintf("%s is %s, expected a %s", f.Path, describe(node), f.Kind()), "write [a, b] or one line \"- a\" each")
		return
	}
	list := reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values))
	item := &Field{Name: f.Name, Path: f.Path, Type: f.Type.Elem(), Words: f.Words, min: f.min, max: f.max, most: f.most}
	for i, n := range seq.Values {
		item.Path = fmt.Sprintf("%s[%d]", f.Path, i)
		d.scalar(list.Index(i), item, n)
	}
	v.SetZero()
	if list.Len() > 0 {
		v.Set(list)
	}
}

func (d *Decoder) scalar(v reflect.Value, f *Field, node ast.Node) {
	lit, ok := literalOf(node)
	if !ok {
		d.Fail(d.place(node), fmt.Sprintf("%s is %s, expected a %s", f.Path, describe(node), f.Kind()), "")
		return
	}
	d.report(d.place(node), f, v, lit)
}

// report gives v the value of a scalar, or reports what is wrong with it.
func (d *Decoder) report(at Origin, f *Field, v reflect.Value, lit literal) {
	if message, hint := f.assign(v, lit); message != "" {
		d.Fail(at, message, hint)
	}
}
