package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// An overlay is a text over another: where it has a key, the other's value of it does not count.
type overlay struct {
	file string
	root ast.Node // nil: it is empty or broken
}

// Overlay reads the syntax of a text over the decoder's own and over those before it. file is its name in errors. Sections are merged key by key,
// trees with parts part by part; everything else is replaced. It comes after Parse.
func (d *Decoder) Overlay(file string, data []byte) {
	d.file = file
	d.overlays = append(d.overlays, overlay{file, d.document(data)})
	d.file = d.name
}

// decodeOverlays reads what stands over the text.
func (d *Decoder) decodeOverlays(into any) {
	for _, o := range d.overlays {
		if d.file, d.over = o.file, true; o.root != nil {
			d.section(reflect.ValueOf(into).Elem(), d.schema, o.root)
		}
	}
	d.file, d.over = d.name, false
}

// parts reads a mapping over a tree with parts into these; false: the node replaces the tree. Places of what is replaced are forgotten.
func (d *Decoder) parts(v reflect.Value, f *Field, node ast.Node) bool {
	whole, parted := v.Addr().Interface().(Parted)
	if parted {
		names, _ := whole.Parts()
		parted = len(names) > 0
	}
	if _, mapping := node.(ast.MapNode); !parted || !mapping {
		maps.DeleteFunc(d.origins, func(key string, _ Origin) bool { return key != f.Path && inside(key, f.Path) })
		return false
	}
	pairs, _ := Node{f.Path, d, node}.Pairs()
	for _, p := range pairs {
		switch part := whole.Part(p.Name); {
		case part == nil:
			d.broken = append(d.broken, f.Path)
			d.Fail(d.origins[p.Path], fmt.Sprintf("%s has no %q", f.Path, p.Name), noPart(whole, p.Name))
		case !p.Null():
			p.Section(part)
		}
	}
	return true
}

// layer is the number of the overlay that a file is, from 1; 0: it is none.
func (d *Decoder) layer(file string) int {
	return slices.IndexFunc(d.overlays, func(o overlay) bool { return o.file == file }) + 1
}
