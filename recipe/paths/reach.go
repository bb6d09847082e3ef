package paths

import "parley/recipe/schema"

// What a key with the tag reach lets a recipe do outside of its run's folder and the sandbox.
const (
	Runs    = "runs"    // start a program, with its arguments
	Imports = "imports" // run a file of Python, unless that is isolated
	Asks    = "asks"    // send to a server
	Tells   = "tells"   // send it a secret: the value of an environment variable
	Writes  = "writes"  // write into a file or folder
)

// Reach lists the values of the keys of a struct that have the tag, in the order of its schema; of points to it. Of a command these are all
// its items.
func Reach(root *schema.Field, of any) (list []Named) {
	root.Leaves(func(f *schema.Field) {
		how := f.Tag.Get("reach")
		if how == "" {
			return
		}
		for _, text := range texts(f.At(of)) {
			if text != "" {
				list = append(list, Named{Key: f.Path, Kind: how, Path: text})
			}
		}
	})
	return list
}
