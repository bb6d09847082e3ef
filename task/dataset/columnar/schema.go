package columnar

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// A node is one of the schema's, with what is needed to put rows together from its columns. Levels are Dremel's: how many of the optional
// and repeated nodes above a value, itself included, are there, and which of the repeated ones it goes on with.
type node struct {
	name       string
	optional   bool
	repeated   bool
	definition int // level at which it is there
	repetition int // level at which it goes on, where it is repeated
	first      int // of its columns
	columns    int
	kind       kind
	children   []node
	convert    func(parquet.Value) (any, error) // of a leaf
}

// A kind says what JSON a node becomes.
type kind int

const (
	object kind = iota
	leaf
	list   // children[0] is repeated, and its only child the element
	bag    // children[0] is repeated, and itself the element
	lookup // children[0] is repeated and holds a key and a value
)

// A builder makes the tree out of the file's list of elements, which is in depth-first order.
type builder struct {
	elements []format.SchemaElement
	at       int // next
	columns  int // so far
}

// tree returns the root of a file's schema.
func tree(m *format.FileMetaData) (node, error) {
	b := &builder{elements: m.Schema}
	return b.node(0, 0)
}

func (b *builder) node(definition, repetition int) (node, error) {
	if b.at == len(b.elements) {
		return node{}, errors.New("the file is damaged: its schema is cut short")
	}
	e := &b.elements[b.at]
	root := b.at == 0
	b.at++
	n := node{name: e.Name, definition: definition, repetition: repetition, first: b.columns}
	if !root {
		n.optional, n.repeated = e.RepetitionType.V == format.Optional, e.RepetitionType.V == format.Repeated
	}
	if n.optional || n.repeated {
		n.definition++
	}
	if n.repeated {
		n.repetition++
	}
	if e.Type.Valid {
		n.kind, n.columns, n.convert = leaf, 1, converter(e)
		b.columns++
		return n, nil
	}
	for range e.NumChildren.V {
		child, err := b.node(n.definition, n.repetition)
		if err != nil {
			return node{}, fmt.Errorf("column %s: %w", e.Name, err)
		}
		n.children = append(n.children, child)
	}
	n.columns = b.columns - n.first
	n.kind = group(e, n.children)
	return n, nil
}

// group says what a node with children becomes. Lists of two levels, which old writers made, have elements that repeat themselves.
func group(e *format.SchemaElement, children []node) kind {
	if len(children) != 1 || !children[0].repeated {
		return object
	}
	inner := children[0]
	switch e.LogicalType.Value.(type) {
	case *format.ListType:
		return elements(e, inner)
	case *format.MapType:
		return pairs(inner)
	}
	switch converted := e.ConvertedType; {
	case converted.Valid && converted.V == deprecated.List:
		return elements(e, inner)
	case converted.Valid && (converted.V == deprecated.Map || converted.V == deprecated.MapKeyValue):
		return pairs(inner)
	}
	return object
}

func elements(e *format.SchemaElement, inner node) kind {
	if inner.kind == leaf || len(inner.children) != 1 || inner.name == "array" || inner.name == e.Name+"_tuple" {
		return bag
	}
	return list
}

func pairs(inner node) kind {
	if len(inner.children) != 2 || inner.children[0].kind != leaf {
		return bag
	}
	return lookup
}
