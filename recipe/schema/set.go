package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/internal/usererror"
)

// set makes one change key=value. The value is written as in the file, except that a text needs no quotes.
func (d *Decoder) set(into any, set string) {
	d.file, d.flag = usererror.Spoken("--set ")+set, true
	at := Origin{File: d.file}
	key, text, ok := strings.Cut(set, "=")
	if !ok {
		hint := ""
		if d.vocabulary != nil {
			hint = usererror.Spoken("for example --set ") + d.vocabulary.Example()
		}
		d.Fail(at, "expected key=value", hint)
		return
	}
	f := d.schema.Find(key)
	switch {
	case f == nil && d.setPart(into, key, text, at):
		return
	case f == nil:
		d.broken = append(d.broken, ParentOf(key))
		d.unknownSet(key, text, at)
		return
	case f.Tag.Get("early") == "yes":
		d.Fail(at, fmt.Sprintf("%s is read before everything else, expected it in the %s's file", f.Path, d.noun), "write it in a file")
		return
	case f.Section():
		d.Fail(at, key+" is a section, expected one of its keys: "+strings.Join(f.Names(), ", "), "")
		return
	}
	d.change(f, f.At(into), text, at)
}

// change gives a key the value of a change.
func (d *Decoder) change(f *Field, v reflect.Value, text string, at Origin) {
	d.given(f.Path, at)
	before := len(d.list)
	if d.put(f, v, text, at); len(d.list) > before {
		d.broken = append(d.broken, f.Path)
	}
}

// given records that key was set at a place, and with it the sections around key unless the file has them.
func (d *Decoder) given(key string, at Origin) {
	d.origins[key] = at
	for i, c := range key {
		if _, known := d.origins[key[:i]]; c == '.' && !known {
			d.origins[key[:i]] = at
		}
	}
}

// put gives a key the value that a text means. A text needs no quotes.
func (d *Decoder) put(f *Field, v reflect.Value, text string, at Origin) {
	if v.Kind() == reflect.String && !isTree(v.Type()) {
		d.report(at, f, v, literal{text: text})
		return
	}
	docs, _, message := parseYAML([]byte(text))
	switch {
	case message != "":
		d.Fail(at, message, "")
	case len(docs) > 1:
		d.Fail(at, fmt.Sprintf("%s has %d values, expected one", f.Path, len(docs)), "remove the line ---")
	case len(docs) == 1:
		d.value(v, f, docs[0], at)
	case isTree(v.Type()):
		d.Fail(at, fmt.Sprintf("%s has no value, expected a %s", f.Path, f.Kind()), "leave the key out")
	case v.Kind() == reflect.Slice:
		d.Fail(at, fmt.Sprintf("%s has no value, expected a %s", f.Path, f.Kind()), "for none write"+ValueText(reflect.Zero(v.Type()), ""))
	default:
		d.report(at, f, v, literal{text: text, null: true, typed: true})
	}
}

// Read returns the value of f that a text means behind --set; ok is false where it cannot be read.
func (f *Field) Read(text string) (v reflect.Value, ok bool) {
	d, v := NewDecoder("", ""), reflect.New(f.Type).Elem()
	d.put(f, v, text, Origin{})
	return v, !d.Failed()
}

// ParentOf is the key whose part a key is; empty: it stands alone.
func ParentOf(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i]
	}
	return ""
}

// Change gives a struct its defaults and makes changes of the form key=value. into points to the struct; keys are those that can be changed, and
// of says what has them, such as task sums. An error is an [*Errors].
func Change(of string, root *Field, into any, keys, sets []string) error {
	d := NewDecoder("", of)
	root.SetDefaults(into)
	for _, set := range sets {
		d.file, d.flag = usererror.Spoken("--set ")+set, true
		at := Origin{File: d.file}
		key, text, ok := strings.Cut(set, "=")
		f := root.Find(key)
		switch {
		case !ok:
			d.Fail(at, "write key=value", "")
		case f == nil || !slices.Contains(keys, key):
			d.Fail(at, fmt.Sprintf("%s has no setting %q: it has %s", of, key, orNone(keys)), "")
		default:
			d.put(f, f.At(into), text, at)
		}
	}
	return d.Err()
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
