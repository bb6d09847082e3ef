package keys

// This file knows which keys name files, and makes their relative paths whole. A struct's tag names says what a key holds: file, folder, policy,
// data, model, command, interpreter, tool or output.

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"parley/recipe/schema"
)

// What a key with the tag names holds. Nothing else is asked of data: a file, a folder, or the name of a data set that was pulled.
const (
	file    = "file"    // a file, which may not be there yet
	folder  = "folder"  // a folder
	policy  = "policy"  // the folder of a run or of an adapter, or the name of an adapter that ships
	model   = "model"   // a file, a folder, or the name of a base model
	command = "command" // a program and its arguments, of which some may be files
	tool    = "tool"    // a file of Python, or a word
	output  = "output"  // a folder that a run writes; the word of the tag takes is none

	interpreter = "interpreter" // a program that runs parley's own code
)

// kind is what a key names; empty: nothing on disk.
func kind(f *schema.Field) string { return f.Tag.Get("names") }

// A Named is a file, a folder, a data set or a model that a key names.
type Named struct {
	Key  string // such as reward.user.python
	Kind string // file, folder, policy, data, model, command or tool, as the key has it
	Path string // a path, or a name that is none
}

// In lists what the keys of a struct name, in the order of its schema; of points to it. Of a command these are all its items. What a run writes
// is not among it, nor is an interpreter, which decides no numbers that its version does not.
func In(root *schema.Field, of any) (list []Named) {
	root.Leaves(func(f *schema.Field) {
		if k := kind(f); k == "" || k == output || k == interpreter {
			return
		}
		for _, name := range pathTexts(f.At(of)) {
			if name != "" && !inline(name) {
				list = append(list, Named{Key: f.Path, Kind: kind(f), Path: name})
			}
		}
	})
	return list
}

// inline says that a text of several lines stands where a file could: it is what would be in the file.
func inline(name string) bool { return strings.Contains(name, "\n") }

// pathTexts are those of a text or of a list of texts.
func pathTexts(v reflect.Value) []string {
	if v.Kind() == reflect.String {
		return []string{v.String()}
	}
	return v.Interface().([]string)
}

// A Locator makes paths whole.
type Locator struct {
	Folder string // that a relative path is in; the current one is looked in too
}

// ships says that what a key of a kind names comes with parley, and is no file.
func ships(kind, name string) bool {
	return slices.Contains(map[string][]string{
		model:  {"parley-base", "parley-weak", "parley-games", "parley-cards", "parley-coder", "parley-writer"},
		policy: {"parley-explains", "parley-plain"},
		folder: {"parley-verifier", "parley-weak-verifier"},
	}[kind], name)
}

// Locate replaces the relative paths that a value of a key holds; of a key that names no files, nothing.
func (l Locator) Locate(f *schema.Field, v reflect.Value) {
	switch whole := l.finder(kind(f)); {
	case kind(f) == "", v.Kind() == reflect.String && v.String() == f.Tag.Get("takes"):
	case v.Kind() == reflect.String:
		v.SetString(whole(v.String()))
	case v.Len() > 0:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len()) // presets share their lists
		for i := range v.Len() {
			list.Index(i).SetString(whole(v.Index(i).String()))
		}
		v.Set(list)
	}
}

// Sets does the same with changes of the form key=value, whose keys find knows. A value that cannot be read is left to those who report it.
func (l Locator) Sets(find func(key string) *schema.Field, sets []string) []string {
	out := append([]string(nil), sets...)
	for i, set := range sets {
		key, text, _ := strings.Cut(set, "=")
		f := find(key)
		if f == nil || kind(f) == "" {
			continue
		}
		v, ok := f.Read(text)
		if !ok {
			continue
		}
		if l.Locate(f, v); v.Kind() == reflect.String {
			out[i] = key + "=" + v.String()
		} else {
			out[i] = key + "=" + schema.FlowList(pathTexts(v))
		}
	}
	return out
}

// finder returns what finds the whole path of each name that a key of a kind holds, in their order.
func (l Locator) finder(kind string) func(string) string {
	first := true
	return func(name string) string {
		program := (kind == command && first || kind == interpreter) && !strings.ContainsAny(name, `/\`) // of the search path
		first = false
		if name == "" || inline(name) || filepath.IsAbs(name) || program || ships(kind, name) {
			return name
		}
		looked := []string{l.Folder, "."}
		if kind == output {
			looked = nil // it is to be there, whatever is elsewhere
		}
		for _, from := range looked {
			path, err := filepath.Abs(filepath.Join(from, name))
			if err == nil && isThere(kind, path) {
				return path
			}
		}
		dotted := strings.HasPrefix(name, "."+string(filepath.Separator)) || strings.HasPrefix(name, "..")
		if kind == file || kind == folder || kind == output || dotted && kind != command {
			if path, err := filepath.Abs(filepath.Join(l.Folder, name)); err == nil {
				return path
			}
		}
		return name
	}
}

// isThere says whether a path is what a key of a kind names. An argument of a command is taken for a file only where there is one.
func isThere(kind, path string) bool {
	info, err := os.Stat(path)
	return err == nil && (kind != command && kind != tool || info.Mode().IsRegular()) && (kind != tool || strings.HasSuffix(path, ".py"))
}
