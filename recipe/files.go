package recipe

import (
	"parley/recipe/paths"
	"parley/recipe/schema"
)

// NamedFiles lists the files, folders, data sets and models that the keys of r name, in the order of the language.
func (r *Recipe) NamedFiles() []paths.Named { return paths.In(r.schema(), r) }

// locate makes the paths of a recipe whole, so that it means the same from any current folder. In a file they are relative to the file's
// folder, after --set to the current one. Where nothing of a name is in the file's folder, the current one is looked in too.
func (d *reader) locate(r *Recipe) {
	in := paths.Locator{Folder: d.folder, Shipped: r.shippedBase()}
	r.schema().Leaves(func(f *schema.Field) {
		switch at, given := d.Given(f.Path); {
		case !given:
		case at.Line == 0:
			paths.Locator{Folder: ".", Shipped: in.Shipped}.Locate(f, f.At(r))
		default:
			in.Locate(f, f.At(r))
		}
	})
	for i, v := range r.Experiment.Variants {
		r.Experiment.Variants[i].Set = in.Sets(r.schema(), v.Set)
	}
}
