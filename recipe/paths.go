package recipe

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// What a key with the tag names holds.
const (
	namesFile    = "file"    // a file, which may not be there yet
	namesFolder  = "folder"  // a folder
	namesData    = "data"    // a file, a folder, or the name of a data set that was pulled
	namesModel   = "model"   // a file, a folder, or the name of a base model
	namesCommand = "command" // a program and its arguments, of which some may be files
)

// A NamedFile is a file, a folder, a data set or a model that a recipe names.
type NamedFile struct {
	Key  string // of the recipe, such as reward.user.python
	Kind string // file, folder, data, model or command, as the key has it
	Path string // a path, or a name that is none
}

// NamedFiles lists what the keys of r name, in the order of the language. Of a command these are all its items.
func (r *Recipe) NamedFiles() (list []NamedFile) {
	r.schema().leaves(func(f *field) {
		if f.named == "" {
			return
		}
		names := []string{}
		if v := f.at(r); v.Kind() == reflect.String {
			names = append(names, v.String())
		} else {
			names = v.Interface().([]string)
		}
		for _, name := range names {
			if name != "" {
				list = append(list, NamedFile{Key: f.path, Kind: f.named, Path: name})
			}
		}
	})
	return list
}

// replaceNames replaces the names that a value of a key holds; of a key that names no files, nothing.
func replaceNames(f *field, v reflect.Value, replace func(string) string) {
	switch {
	case f.named == "":
	case v.Kind() == reflect.String:
		v.SetString(replace(v.String()))
	default:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len()) // presets share their lists
		for i := range v.Len() {
			list.Index(i).SetString(replace(v.Index(i).String()))
		}
		if v.Len() > 0 {
			v.Set(list)
		}
	}
}

// locate makes the paths of a recipe whole, so that it means the same from any current folder. In a file they are relative to the file's
// folder, after --set to the current one. Where nothing of a name is in the file's folder, the current one is looked in too.
func (d *decoder) locate(r *Recipe) {
	d.schema.leaves(func(f *field) {
		at, given := d.origins[f.path]
		if !given {
			return
		}
		folder := d.folder
		if at.line == 0 {
			folder = "."
		}
		replaceNames(f, f.at(r), d.locator(f, folder))
	})
	for i, v := range r.Experiment.Variants {
		r.Experiment.Variants[i].Set = d.locateSets(v.Set)
	}
}

// locateSets does the same with the changes of a variant. A value that cannot be read is left to those who report it.
func (d *decoder) locateSets(sets []string) []string {
	out := append([]string(nil), sets...)
	for i, set := range sets {
		key, text, _ := strings.Cut(set, "=")
		f := d.schema.find(key)
		if f == nil || f.named == "" {
			continue
		}
		trial := &decoder{language: d.language, choice: d.choice, schema: d.schema, origins: map[string]origin{}}
		v := reflect.New(f.typ).Elem()
		if trial.put(f, v, text, origin{}); len(trial.list) > 0 {
			continue
		}
		replaceNames(f, v, d.locator(f, d.folder))
		if v.Kind() == reflect.String {
			out[i] = key + "=" + v.String()
		} else {
			out[i] = key + "=" + flowList(v)
		}
	}
	return out
}

// flowList writes a list of texts on one line.
func flowList(v reflect.Value) string {
	items := make([]string, v.Len())
	for i := range items {
		items[i] = quote(v.Index(i).String())
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// locator returns what finds the whole path of a name of a key.
func (d *decoder) locator(f *field, folder string) func(string) string {
	shipped := d.schema.find("model").def
	first := true
	return func(name string) string {
		program := f.named == namesCommand && first && !strings.ContainsAny(name, `/\`) // of the search path
		first = false
		if name == "" || filepath.IsAbs(name) || program || f.named == namesModel && name == shipped {
			return name
		}
		for _, from := range []string{folder, "."} {
			path, err := filepath.Abs(filepath.Join(from, name))
			if err == nil && f.isThere(path) {
				return path
			}
		}
		dotted := strings.HasPrefix(name, "."+string(filepath.Separator)) || strings.HasPrefix(name, "..")
		if f.named == namesFile || f.named == namesFolder || dotted && f.named != namesCommand {
			if path, err := filepath.Abs(filepath.Join(folder, name)); err == nil {
				return path
			}
		}
		return name
	}
}

// isThere says whether a path is what the key names. An argument of a command is taken for a file only where there is one.
func (f *field) isThere(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (f.named != namesCommand || info.Mode().IsRegular())
}
