package recipe

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// An origin is the place that gave a key its value.
type origin struct {
	file         string
	line, column int
}

// A decoder fills a recipe from syntax trees. It goes on after an error, so that all of them are found.
type decoder struct {
	language *Language
	choice   choice            // of tasks
	schema   *field            // all keys that the recipe has
	file     string            // shown in errors
	folder   string            // that paths in the file are relative to; empty: paths stay as they are
	flag     bool              // the text is the value of a --set flag: positions inside it mean nothing
	lenient  bool              // the file is a recipe that was printed before what chooses its keys was changed: keys that are gone are no mistakes
	list     []Error           // everything found so far
	broken   []string          // keys whose values could not be read, and sections with unknown keys
	origins  map[string]origin // by key: where the user gave it a value, the last place if there are several
}

// place is where a syntax node stands.
func (d *decoder) place(n ast.Node) origin {
	if d.flag {
		return origin{file: d.file}
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
	return origin{d.file, p.Line, p.Column}
}

func (d *decoder) fail(at origin, message, hint string) {
	d.list = append(d.list, Error{at.file, at.line, at.column, brief(message), hint})
}

// section reads a mapping into the struct v.
func (d *decoder) section(v reflect.Value, f *field, node ast.Node) {
	m, ok := node.(ast.MapNode)
	if !ok {
		d.failed(f.path)
		d.fail(d.place(node), fmt.Sprintf("%s is %s, expected keys: %s", orRecipe(f.path), describe(node), strings.Join(f.names(), ", ")), "")
		return
	}
	seen := map[string]origin{}
	for it := m.MapRange(); it.Next(); {
		d.key(v, f, it.Key(), it.Value(), seen)
	}
}

func orRecipe(path string) string {
	if path == "" {
		return "the recipe"
	}
	return path
}

func (d *decoder) key(v reflect.Value, f *field, key ast.MapKeyNode, value ast.Node, seen map[string]origin) {
	at := d.place(key)
	name, ok := keyName(key)
	if !ok {
		d.fail(at, "only plain keys are allowed, no anchors, merges or complex keys", "write the keys out")
		return
	}
	if first, twice := seen[name]; twice {
		d.fail(at, fmt.Sprintf("%s is given twice, first on line %d", join(f.path, name), first.line), "remove one")
		return
	}
	seen[name] = at
	child := f.child(name)
	if child == nil {
		d.failed(f.path)
		d.unknown(f, name, value, at)
		return
	}
	d.value(child.in(v), child, value, at)
}

// keyName returns the text of a key that is a plain or quoted scalar.
func keyName(key ast.MapKeyNode) (string, bool) {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return key.GetToken().Value, true
	}
	return "", false
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func within(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

// value reads the value of one key.
func (d *decoder) value(v reflect.Value, f *field, node ast.Node, key origin) {
	d.origins[f.path] = key
	if before := len(d.list); !f.section() {
		defer func() {
			if len(d.list) > before {
				d.failed(f.path)
			}
		}()
	}
	switch {
	case f.section():
		d.section(v, f, node)
	case f.typ == variantsType:
		d.variants(v, f, node)
	case v.Kind() == reflect.Slice:
		d.items(v, f, node)
	default:
		d.scalar(v, f, node)
	}
}

// items reads a list. An empty list and an absent one are both nil.
func (d *decoder) items(v reflect.Value, f *field, node ast.Node) {
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		d.fail(d.place(node), fmt.Sprintf("%s is %s, expected a %s", f.path, describe(node), f.kind()), "write [a, b] or one line \"- a\" each")
		return
	}
	list := reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values))
	item := &field{name: f.name, path: f.path, typ: f.typ.Elem(), words: f.words, min: f.min, max: f.max}
	for i, n := range seq.Values {
		item.path = fmt.Sprintf("%s[%d]", f.path, i)
		d.scalar(list.Index(i), item, n)
	}
	v.SetZero()
	if list.Len() > 0 {
		v.Set(list)
	}
}

func (d *decoder) scalar(v reflect.Value, f *field, node ast.Node) {
	lit, ok := literalOf(node)
	if !ok {
		d.fail(d.place(node), fmt.Sprintf("%s is %s, expected a %s", f.path, describe(node), f.kind()), "")
		return
	}
	if message, hint := f.assign(v, lit); message != "" {
		d.fail(d.place(node), message, hint)
	}
}

// literalOf returns the scalar that a node is.
func literalOf(node ast.Node) (literal, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		t := n.GetToken().Type
		return literal{text: n.Value, quoted: t == token.SingleQuoteType || t == token.DoubleQuoteType}, true
	case *ast.LiteralNode:
		return literal{text: n.Value.Value, quoted: true}, true
	case *ast.NullNode:
		return literal{text: node.GetToken().Value, null: true, typed: true}, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return literal{text: node.GetToken().Value, typed: true}, true
	}
	return literal{}, false
}

// describe names what stands where something else was expected.
func describe(node ast.Node) string {
	switch node.(type) {
	case ast.MapNode:
		return "a section"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "empty"
	case *ast.AnchorNode, *ast.AliasNode:
		return "an anchor or an alias"
	case *ast.TagNode:
		return "a tag"
	}
	if lit, ok := literalOf(node); ok {
		return fmt.Sprintf("%q", lit.text)
	}
	return "something else"
}
