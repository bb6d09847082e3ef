package schema

import (
	"fmt"
	"reflect"
	"strings"
)

// A Parted tree consists of sections by name, such as the agents of a team. Changes set keys of these: team.agents.critic.adapter.rank=8.
type Parted interface {
	Tree
	// Part points to the section of a name, a struct with tags; nil: there is none.
	Part(name string) any
	// Parts are the names. Where there are none, none says what to write.
	Parts() (names []string, none string)
}

// PartOf divides a key such as team.agents.critic.adapter.rank: into the field that has parts, the part's name and the key in it. f is nil where no
// field with parts is on the way.
func (f *Field) PartOf(key string) (parted *Field, name, rest string) {
	for i, c := range key {
		if c != '.' {
			continue
		}
		if at := f.Find(key[:i]); at != nil && !at.Section() && reflect.PointerTo(at.Type).Implements(reflect.TypeFor[Parted]()) {
			name, rest, _ = strings.Cut(key[i+1:], ".")
			return at, name, rest
		}
	}
	return nil, "", ""
}

// setPart makes a change of a key in a part; false: the key is in none.
func (d *Decoder) setPart(into any, key, text string, at Origin) bool {
	parted, name, rest := d.schema.PartOf(key)
	if parted == nil {
		return false
	}
	whole := parted.At(into).Addr().Interface().(Parted)
	part := whole.Part(name)
	if part == nil {
		d.broken = append(d.broken, parted.Path)
		d.Fail(at, fmt.Sprintf("%s has no %q", parted.Path, name), noPart(whole, name))
		return true
	}
	path := join(parted.Path, name)
	section := sectionOf(path, reflect.TypeOf(part).Elem())
	f := section
	if rest != "" {
		f = section.Find(rest)
	}
	switch {
	case f == nil:
		d.broken = append(d.broken, ParentOf(key))
		d.Fail(at, fmt.Sprintf("unknown key %q in %s", rest, path), section.meantKey(rest))
	case f.Section():
		d.Fail(at, key+" is a section, expected one of its keys: "+strings.Join(f.Names(), ", "), "")
	default:
		d.change(f, f.At(part), text, at)
	}
	return true
}

// noPart says which parts there are.
func noPart(whole Parted, name string) string {
	names, none := whole.Parts()
	if len(names) == 0 {
		return none
	}
	if hint := meant(name, names); hint != "" {
		return hint
	}
	return "it has " + strings.Join(names, ", ")
}

// meantKey is the hint for a key that a section does not have.
func (f *Field) meantKey(key string) string {
	var all []string
	f.Leaves(func(leaf *Field) { all = append(all, strings.TrimPrefix(leaf.Path, f.Path+".")) })
	if hint := meant(key, all); hint != "" {
		return hint
	}
	return "expected one of " + strings.Join(all, ", ")
}
