package recipe

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// unknown says what is wrong with a key of a section that the recipe does not have: it is one of another task, an earlier release or another
// tool calls it so, or it is a mistake.
func (d *decoder) unknown(section *field, name string, value ast.Node, at origin) {
	path := join(section.path, name)
	if d.foreignTask(path, value, at) {
		return
	}
	message, hint := elsewhere(path)
	if message == "" {
		message = fmt.Sprintf("unknown key %q%s", name, within(section.path))
	}
	if hint == "" {
		hint = d.unknownHint(section, name)
	}
	d.fail(at, message, hint)
}

// foreignTask says whether a key is one that other tasks have, and reports it where it is a mistake to have it. value is nil where it cannot
// be read.
func (d *decoder) foreignTask(path string, value ast.Node, at origin) bool {
	theirs := d.language.declared(path)
	if len(theirs) == 0 {
		return false
	}
	printed := d.lenient && !d.flag
	if why, known := d.choice.why(d.language, parentOf(path)); known && !printed && !d.isDefault(theirs, value) {
		d.fail(at, path+" has no effect with "+why, "leave it out")
	}
	return true
}

// why names what decides which keys a section has. Where a name is not known, nobody can say which keys it has.
func (c choice) why(l *Language, section string) (why string, known bool) {
	name, why := c.task, "task "+c.task
	if section != "task" {
		name, why = c.measured, section+".name "+c.measured
	}
	_, known = l.Task(name)
	return why, known || name == sameTask
}

// isDefault says that a value is the default of a key of one of the tasks that have it: in a recipe that was printed in full it says nothing.
func (d *decoder) isDefault(fields []*field, value ast.Node) bool {
	if value == nil {
		return false
	}
	for _, f := range fields {
		trial := &decoder{language: d.language, choice: d.choice, origins: map[string]origin{}}
		given, usual := reflect.New(f.typ).Elem(), reflect.New(f.typ).Elem()
		trial.value(given, f, value, origin{})
		f.setDefault(usual)
		if len(trial.list) == 0 && reflect.DeepEqual(given.Interface(), usual.Interface()) {
			return true
		}
	}
	return false
}

// unknownHint looks for the key that was meant: first among the keys of the section, then for the same name elsewhere.
func (d *decoder) unknownHint(section *field, name string) string {
	if near := Nearest(name, section.names()); near != "" {
		return `did you mean "` + near + `"?`
	}
	var paths []string
	for _, path := range d.language.everyKey() {
		if lastPart(path) == name {
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		return "did you mean " + strings.Join(paths, " or ") + "?"
	}
	return "expected one of " + strings.Join(section.names(), ", ")
}
