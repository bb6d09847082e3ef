package recipe

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// set applies one change key=value. The value is written as in the file, except that a text needs no quotes.
func (d *decoder) set(r *Recipe, set string) {
	d.file, d.flag = "--set "+set, true
	at := origin{file: d.file}
	key, text, ok := strings.Cut(set, "=")
	if !ok {
		d.fail(at, "expected key=value", "for example --set team.turns=3")
		return
	}
	f := d.schema.find(key)
	if f == nil {
		d.failed(parentOf(key))
		d.unknownSet(key, text, at)
		return
	}
	if f.path == presetKey {
		d.fail(at, presetKey+" is read before everything else, expected it in the recipe's file", "write it in a file")
		return
	}
	if f.section() {
		d.fail(at, key+" is a section, expected one of its keys: "+strings.Join(f.names(), ", "), "")
		return
	}
	d.given(f.path, at)
	before := len(d.list)
	if d.put(f, f.at(r), text, at); len(d.list) > before {
		d.failed(f.path)
	}
}

// put gives a key the value that a text means. A text needs no quotes.
func (d *decoder) put(f *field, v reflect.Value, text string, at origin) {
	if v.Kind() == reflect.String {
		d.report(at, f, v, literal{text: text})
	} else {
		d.setValue(v, f, text, at)
	}
}

// given records that key was set at a place, and with it the sections around key unless the file has them.
func (d *decoder) given(key string, at origin) {
	d.origins[key] = at
	for i, c := range key {
		if _, known := d.origins[key[:i]]; c == '.' && !known {
			d.origins[key[:i]] = at
		}
	}
}

func (d *decoder) report(at origin, f *field, v reflect.Value, lit literal) {
	if message, hint := f.assign(v, lit); message != "" {
		d.fail(at, message, hint)
	}
}

func (d *decoder) setValue(v reflect.Value, f *field, text string, at origin) {
	docs, _, message := parseYAML([]byte(text))
	switch {
	case message != "":
		d.fail(at, message, "")
	case len(docs) > 1:
		d.fail(at, fmt.Sprintf("%s has %d values, expected one", f.path, len(docs)), "remove the line ---")
	case len(docs) == 0 && v.Kind() == reflect.Slice:
		d.fail(at, fmt.Sprintf("%s has no value, expected a %s", f.path, f.kind()), noItems(f))
	case len(docs) == 0:
		d.report(at, f, v, literal{text: text, null: true, typed: true})
	default:
		d.value(v, f, docs[0], at)
	}
}

// noItems is the hint for a list without a value: how an empty one is written.
func noItems(f *field) string {
	if f.typ == variantsType {
		return "for none write {}"
	}
	return "for none write []"
}

// unknownSet is [decoder.unknown] for a whole key.
func (d *decoder) unknownSet(key, text string, at origin) {
	var value ast.Node
	if docs, _, _ := parseYAML([]byte(text)); len(docs) == 1 {
		value = docs[0]
	}
	if d.foreignTask(key, value, at) {
		return
	}
	message, hint := elsewhere(key)
	if message == "" {
		message = fmt.Sprintf("unknown key %q", key)
	}
	if hint == "" {
		hint = d.unknownSetHint(key)
	}
	d.fail(at, message, hint)
}

func (d *decoder) unknownSetHint(key string) string {
	all := d.language.everyKey()
	if near := Nearest(key, all); near != "" {
		return `did you mean "` + near + `"?`
	}
	for _, path := range all {
		if strings.HasSuffix(path, "."+key) {
			return `did you mean "` + path + `"?`
		}
	}
	return "docs/recipes.md and its pages list all keys"
}
