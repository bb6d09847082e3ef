package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// A Tree is a pointer to a value with a form of its own in YAML, such as a list of steps with steps in them: it reads and writes itself.
type Tree interface {
	Kind() string // for messages and references, such as: list of steps
	Read(n Node)
	// Write returns what stands after the colon, with the space or line break before it.
	Write(indent string) string
}

// asTree returns the tree that a pointer is; nil: it is none.
func asTree(p reflect.Value) Tree {
	t, _ := p.Interface().(Tree)
	return t
}

// isTree says that values of a type are trees.
func isTree(t reflect.Type) bool { return reflect.PointerTo(t).Implements(reflect.TypeFor[Tree]()) }

// A Node is a place in a text that a [Tree] reads.
type Node struct {
	Path string // of the key, such as team.workflow[2].prompt
	d    *Decoder
	node ast.Node
}

// Fail reports what is wrong with the node.
func (n Node) Fail(message, hint string) {
	n.d.broken = append(n.d.broken, n.Path)
	n.d.Fail(n.d.place(n.node), message, hint)
}

// Expect reports that the node is something else than what is expected.
func (n Node) Expect(what, hint string) {
	n.Fail(fmt.Sprintf("%s is %s, expected %s", n.Path, describe(n.node), what), hint)
}

// Text is the text that the node is: quoted or plain, but no number, truth value or null.
func (n Node) Text() (string, bool) {
	lit, ok := literalOf(n.node)
	return lit.text, ok && !lit.typed
}

// Int is the whole number that the node is.
func (n Node) Int() (int, bool) {
	lit, ok := literalOf(n.node)
	if !ok || lit.quoted {
		return 0, false
	}
	i, err := strconv.Atoi(lit.text)
	return i, err == nil
}

// Null says that the node is empty.
func (n Node) Null() bool {
	lit, ok := literalOf(n.node)
	return ok && lit.null
}

// Items are those of the list that the node is.
func (n Node) Items() ([]Node, bool) {
	seq, ok := n.node.(*ast.SequenceNode)
	if !ok {
		return nil, false
	}
	out := make([]Node, len(seq.Values))
	for i, item := range seq.Values {
		out[i] = Node{fmt.Sprintf("%s[%d]", n.Path, i), n.d, item}
		n.d.origins[out[i].Path] = n.d.place(item)
	}
	return out, true
}

// JSON is the node as JSON, keys in their order; ok is false where it has something that JSON does not have.
func (n Node) JSON() (string, bool) {
	if pairs, ok := n.Pairs(); ok {
		parts := make([]string, len(pairs))
		for i, p := range pairs {
			value, ok := p.JSON()
			if !ok {
				return "", false
			}
			parts[i] = quoted(p.Name) + ": " + value
		}
		return "{" + strings.Join(parts, ", ") + "}", true
	}
	if items, ok := n.Items(); ok {
		parts := make([]string, len(items))
		for i, item := range items {
			if parts[i], ok = item.JSON(); !ok {
				return "", false
			}
		}
		return "[" + strings.Join(parts, ", ") + "]", true
	}
	lit, ok := literalOf(n.node)
	switch {
	case lit.null:
		return "null", ok
	case lit.typed:
		text := strings.ToLower(lit.text)
		return text, ok && json.Valid([]byte(text))
	case !lit.quoted && json.Valid([]byte(lit.text)): // a number such as 1e-08, in which the parser sees none
		return lit.text, ok
	}
	return quoted(lit.text), ok
}

// JSON is a text of the language as one JSON value, keys in their order. An error is an [*Errors].
func JSON(text []byte) (json.RawMessage, error) {
	d := NewDecoder("", "text")
	d.Parse(text)
	if d.root == nil {
		return json.RawMessage("{}"), d.Err()
	}
	n := Node{"", d, d.root}
	value, ok := n.JSON()
	if !ok {
		n.Fail("it has something that JSON does not have", "")
	}
	return json.RawMessage(value), d.Err()
}

// quoted is a text as JSON.
func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // texts always have JSON, and a builder takes all
	return strings.TrimSuffix(b.String(), "\n")
}

// A Named node is the value of a key.
type Named struct {
	Name string
	Node
}

// Pairs are those of the mapping that the node is, in order. Keys that stand there twice are reported, and come once.
func (n Node) Pairs() ([]Named, bool) {
	m, ok := n.node.(ast.MapNode)
	if !ok {
		return nil, false
	}
	var out []Named
	seen := map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		name, plain := keyName(it.Key())
		at := n.d.place(it.Key())
		if !plain || seen[name] {
			n.d.Fail(at, fmt.Sprintf("%s is given twice, or is no plain key", join(n.Path, name)), "remove one")
			continue
		}
		seen[name] = true
		path := join(n.Path, name)
		n.d.origins[path] = at
		out = append(out, Named{name, Node{path, n.d, it.Value()}})
	}
	return out, true
}

// Section reads the mapping that the node is into a struct with tags, to which into points: what it does not have keeps its value.
func (n Node) Section(into any) {
	n.d.section(reflect.ValueOf(into).Elem(), sectionOf(n.Path, reflect.TypeOf(into).Elem()), n.node)
}

// Has says that the mapping that the node is has a key.
func (n Node) Has(name string) bool { return valueOf(n.node, name) != nil }

func sectionOf(path string, t reflect.Type) *Field {
	root := &Field{Path: path, Type: t}
	root.Fields = fieldsOf(root, t, nil, nil, nil)
	return root
}

// Defaults gives a struct with tags, to which into points, the defaults of its keys.
func Defaults(into any) { Of(reflect.TypeOf(into).Elem()).SetDefaults(into) }

// Lines are the keys of a struct with tags that have other values than their defaults, each as a line or more that begin with indent.
func Lines(of any, indent string) []string {
	v := reflect.ValueOf(of).Elem()
	return lines(Of(v.Type()), v, indent)
}

func lines(f *Field, v reflect.Value, indent string) (out []string) {
	for _, c := range f.Fields {
		value := c.in(v)
		if c.Section() {
			if inner := lines(c, value, indent+"  "); len(inner) > 0 {
				out = append(out, indent+c.Name+":\n"+strings.Join(inner, "\n"))
			}
			continue
		}
		usual := reflect.New(c.Type).Elem()
		c.SetDefault(usual)
		if !reflect.DeepEqual(value.Interface(), usual.Interface()) {
			out = append(out, indent+c.Name+":"+c.ValueText(value, indent))
		}
	}
	return out
}

// Texts writes one text or a list of them as what stands after a colon.
func Texts(list []string, indent string) string {
	if len(list) == 1 {
		return " " + text(list[0], indent)
	}
	return ValueText(reflect.ValueOf(list), indent)
}

// Key writes a name as a key.
func Key(name string) string { return text(name, "") }
