package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"parley/internal/plainfile"
)

// Parse reads the syntax of the decoder's text, which is to be one document or none.
func (d *Decoder) Parse(data []byte) { d.root = d.document(data) }

// document reads the syntax of a text; nil: it is empty or broken.
func (d *Decoder) document(data []byte) ast.Node {
	start := Origin{d.file, 1, 1}
	if len(data) > plainfile.MaxYAML {
		d.Fail(start, fmt.Sprintf("the file has %d bytes, expected a %s of at most %d", len(data), d.noun, plainfile.MaxYAML), "")
		return nil
	}
	if !utf8.Valid(data) {
		d.Fail(start, "the file is not valid UTF-8", "save it as UTF-8")
		return nil
	}
	docs, at, message := parseYAML(data)
	switch {
	case message != "":
		at.File = d.file
		d.Fail(at, message, "")
	case len(docs) > 1:
		d.Fail(d.place(docs[1]), fmt.Sprintf("a second document begins, expected one %s per file", d.noun), "remove the line ---")
	case len(docs) == 1:
		return docs[0]
	}
	return nil
}

// parseYAML returns the bodies of the documents in data that are not empty, or where and why data is not YAML, or too much of it.
func parseYAML(data []byte) (docs []ast.Node, at Origin, message string) {
	// The YAML parser is lenient by panicking on some malformed inputs; a text that makes it panic is not YAML.
	defer func() {
		if p := recover(); p != nil {
			docs, at, message = nil, Origin{Line: 1, Column: 1}, fmt.Sprint("not YAML: ", p)
		}
	}()
	tokens, place, message := plainfile.YAMLTokens(string(data))
	if message != "" {
		return nil, Origin{Line: place.Line, Column: place.Column}, message
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		at = Origin{Line: 1, Column: 1}
		var y yaml.Error
		if errors.As(err, &y) && y.GetToken() != nil && y.GetToken().Position != nil {
			at.Line, at.Column = y.GetToken().Position.Line, y.GetToken().Position.Column
		}
		return nil, at, "not YAML: " + errorText(err, y)
	}
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.NullType {
			docs = append(docs, doc.Body)
		}
	}
	return docs, Origin{}, ""
}

// errorText is the parser's message without its picture of the source.
func errorText(err error, y yaml.Error) string {
	if y != nil {
		return y.GetMessage()
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// A Scalar is a value as it stands in a text, before there is a schema to read it by.
type Scalar struct {
	Text string
	Null bool
	At   Origin
}

// Lookup returns the scalar that the text, or the last over it, gives a key such as task.name; ok is false where none does.
func (d *Decoder) Lookup(key string) (s Scalar, ok bool) {
	for _, text := range slices.Backward(append([]overlay{{d.name, d.root}}, d.overlays...)) {
		if text.root == nil {
			continue
		}
		if node := valueOf(text.root, key); node != nil {
			lit, ok := literalOf(node)
			at := d.place(node)
			at.File = text.file
			return Scalar{Text: lit.text, Null: lit.null, At: at}, ok
		}
	}
	return Scalar{}, false
}

// valueOf returns the value of a key such as task.name in a document; nil: it is not there.
func valueOf(doc ast.Node, path string) ast.Node {
	name, rest, deeper := strings.Cut(path, ".")
	m, ok := doc.(ast.MapNode)
	if !ok {
		return nil
	}
	for it := m.MapRange(); it.Next(); {
		switch key, plain := keyName(it.Key()); {
		case !plain || key != name:
		case deeper:
			return valueOf(it.Value(), rest)
		default:
			return it.Value()
		}
	}
	return nil
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
