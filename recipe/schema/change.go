package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Change gives a struct its defaults and makes changes of the form key=value. into points to the struct; keys are those that can be changed, and
// of says what has them, such as task sums. An error is an [*Errors].
func Change(of string, root *Field, into any, keys, sets []string) error {
	d := NewDecoder("", of)
	root.SetDefaults(into)
	for _, set := range sets {
		d.file, d.flag = "--set "+set, true
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
