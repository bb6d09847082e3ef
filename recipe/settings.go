package recipe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/task"
)

// ScoringSettings returns the settings of a task with changes of the form key=value, such as scorer=robust. Only what changes how single
// responses are scored can be changed. An error is an [*Errors].
func ScoringSettings(t *task.Type, sets []string) (settings any, err error) {
	v := reflect.New(reflect.TypeOf(t.Settings))
	var keys []string
	for _, f := range fieldsOf(&field{}, v.Elem().Type(), nil) {
		if f.scores {
			keys = append(keys, f.name)
		}
	}
	return v.Interface(), change("task "+t.Name, v.Elem(), keys, sets)
}

// ChangedUser returns the settings of a user's own reward with changes of the form key=value. keys are those that can be changed.
func ChangedUser(keys, sets []string) (User, error) {
	var u User
	err := change("the reward", reflect.ValueOf(&u).Elem(), keys, sets)
	return u, err
}

// change gives a struct of settings its defaults and makes the changes.
func change(of string, v reflect.Value, keys, sets []string) error {
	d := &decoder{origins: map[string]origin{}}
	fields := fieldsOf(&field{}, v.Type(), nil)
	for _, f := range fields {
		f.setDefault(v.FieldByIndex(f.index))
	}
	for _, set := range sets {
		d.file, d.flag = "--set "+set, true
		at := origin{file: d.file}
		key, text, ok := strings.Cut(set, "=")
		known := slices.IndexFunc(fields, func(f *field) bool { return f.name == key && slices.Contains(keys, key) })
		switch {
		case !ok:
			d.fail(at, "write key=value", "")
		case known < 0:
			d.fail(at, fmt.Sprintf("%s has no setting %q: it has %s", of, key, orNone(keys)), "")
		default:
			d.put(fields[known], v.FieldByIndex(fields[known].index), text, at)
		}
	}
	if len(d.list) > 0 {
		return &Errors{d.list}
	}
	return nil
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
