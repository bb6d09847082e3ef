package keys

import (
	"strings"

	"parley/recipe/schema"
)

// What a key with the tag reach lets a recipe do outside of its run's folder and the sandbox.
const (
	runs    = "runs"    // start a program, with its arguments
	Imports = "imports" // run a file of Python, unless that is isolated
	Asks    = "asks"    // send to a server
	Tells   = "tells"   // send it a secret: the value of an environment variable
	Writes  = "writes"  // write into a file or folder
)

// Reach lists the values of the keys of a struct that have the tag, in the order of its schema; of points to it. Of a command these are all
// its items. A file of Python is not among it where the key isolated beside it is true: the sandbox contains it.
func Reach(root *schema.Field, of any) (list []Named) {
	root.Leaves(func(f *schema.Field) {
		how := f.Tag.Get("reach")
		if how == "" || how == Imports && isolated(root, f, of) {
			return
		}
		for _, text := range pathTexts(f.At(of)) {
			if text != "" {
				list = append(list, Named{Key: f.Path, Kind: how, Path: text})
			}
		}
	})
	return list
}

// isolated is the value of the key of that name beside another; false: there is none.
func isolated(root, f *schema.Field, of any) bool {
	beside := root.Find(strings.TrimSuffix(f.Path, f.Name) + "isolated")
	return beside != nil && beside.At(of).Bool()
}
