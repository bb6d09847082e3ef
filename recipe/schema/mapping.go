package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// A Mapping is a pointer to a value that maps names to lists of texts, in order.
type Mapping interface {
	Shape() Shape
	Check(name string) (message, hint string) // what is wrong with a name, behind the key; empty: nothing
	Add(name string, texts []string)
	Each(visit func(name string, texts []string))
}

// A Shape says what a [Mapping] is called in messages.
type Shape struct {
	Kind     string // such as: named list of changes
	Expected string // such as: a name with a list of changes each
	Example  string // such as: plain: []
}

// asMapping returns the mapping that a pointer is; nil: it is none.
func asMapping(p reflect.Value) Mapping {
	m, _ := p.Interface().(Mapping)
	return m
}

// mapping reads a [Mapping].
func (d *Decoder) mapping(v reflect.Value, f *Field, node ast.Node) {
	v.SetZero()
	into := asMapping(v.Addr())
	m, ok := node.(ast.MapNode)
	if !ok {
		d.Fail(d.place(node), fmt.Sprintf("%s is %s, expected %s", f.Path, describe(node), into.Shape().Expected), "write for example "+into.Shape().Example)
		return
	}
	var seen []string
	for it := m.MapRange(); it.Next(); {
		name, _ := keyName(it.Key())
		if message, hint := into.Check(name); message != "" {
			d.Fail(d.place(it.Key()), f.Path+" "+message, hint)
			continue
		}
		if slices.Contains(seen, name) {
			d.Fail(d.place(it.Key()), fmt.Sprintf("%s names %s twice", f.Path, name), "remove one")
		}
		seen = append(seen, name)
		var texts []string
		d.items(reflect.ValueOf(&texts).Elem(), &Field{Name: name, Path: f.Path + "." + name, Type: reflect.TypeFor[[]string]()}, it.Value())
		into.Add(name, texts)
	}
}

// mappingText prints a mapping; see [ValueText].
func mappingText(m Mapping, indent string) string {
	var b strings.Builder
	m.Each(func(name string, texts []string) {
		fmt.Fprintf(&b, "\n%s  %s:%s", indent, text(name, indent), ValueText(reflect.ValueOf(texts), indent+"  "))
	})
	if b.Len() == 0 {
		return " {}"
	}
	return b.String()
}
