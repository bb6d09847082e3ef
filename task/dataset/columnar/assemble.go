package columnar

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/parquet-go/parquet-go"
)

// fields are an object's, in the order of the file.
type fields []field

type field struct {
	name  string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (f fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(field.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(field.value)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", field.name, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// assemble puts the value of a node together from those of its columns.
func (n *node) assemble(columns [][]parquet.Value) (any, error) {
	if n.optional && absent(columns, n.definition) {
		return nil, nil
	}
	if n.repeated {
		return n.many(columns, (*node).value)
	}
	return n.value(columns)
}

// absent says that a node is not there: its first column says so, as all do.
func absent(columns [][]parquet.Value, definition int) bool {
	return len(columns) == 0 || len(columns[0]) == 0 || columns[0][0].DefinitionLevel() < definition
}

// value is that of one element.
func (n *node) value(columns [][]parquet.Value) (any, error) {
	switch n.kind {
	case leaf:
		return n.convert(columns[0][0])
	case list:
		return n.children[0].many(columns, func(repeated *node, columns [][]parquet.Value) (any, error) {
			return repeated.children[0].assemble(columns)
		})
	case bag:
		return n.children[0].many(columns, (*node).value)
	case lookup:
		return n.children[0].entries(columns)
	}
	out := fields{}
	for i := range n.children {
		child := &n.children[i]
		value, err := child.assemble(columns[child.first-n.first:][:child.columns])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", child.name, err)
		}
		out = append(out, field{child.name, value})
	}
	return out, nil
}

// many lists the elements of a repeated node.
func (n *node) many(columns [][]parquet.Value, element func(*node, [][]parquet.Value) (any, error)) ([]any, error) {
	out := []any{}
	for one := range n.parts(columns) {
		value, err := element(n, one)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

// parts yields the values of each element of a repeated node: a new one begins wherever a column goes on with it.
func (n *node) parts(columns [][]parquet.Value) func(func([][]parquet.Value) bool) {
	return func(yield func([][]parquet.Value) bool) {
		if absent(columns, n.definition) {
			return
		}
		rest := append([][]parquet.Value(nil), columns...)
		for len(rest[0]) > 0 {
			one := make([][]parquet.Value, len(rest))
			for i, values := range rest {
				end := min(1, len(values))
				for end < len(values) && values[end].RepetitionLevel() > n.repetition {
					end++
				}
				one[i], rest[i] = values[:end], values[end:]
			}
			if !yield(one) {
				return
			}
		}
	}
}

// entries is a map as an object.
func (n *node) entries(columns [][]parquet.Value) (any, error) {
	out := fields{}
	key, value := &n.children[0], &n.children[1]
	for one := range n.parts(columns) {
		k, err := key.assemble(one[:key.columns])
		if err != nil {
			return nil, err
		}
		v, err := value.assemble(one[key.columns:])
		if err != nil {
			return nil, err
		}
		out = append(out, field{fmt.Sprint(k), v})
	}
	return out, nil
}
