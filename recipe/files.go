package recipe

import (
	"path/filepath"
	"reflect"
	"slices"

	"parley/recipe/keys"
	"parley/recipe/schema"
)

// NamedFiles lists the files, folders, data sets and models that the keys of r name, in the order of the language.
func (r *Recipe) NamedFiles() []keys.Named {
	return append(keys.In(r.schema(), r), r.ofAgents(keys.In)...)
}

// ofAgents is what their keys name.
func (r *Recipe) ofAgents(in func(root *schema.Field, of any) []keys.Named) (list []keys.Named) {
	for i := range r.Team.Agents.Named {
		for _, named := range in(agentKeys(), &r.Team.Agents.Named[i]) {
			named.Key = "team.agents." + r.Team.Agents.Named[i].Name + "." + named.Key
			list = append(list, named)
		}
	}
	return list
}

// agentKeys are those of an agent.
func agentKeys() *schema.Field { return schema.Of(reflect.TypeFor[keys.Agent]()) }

// key is the field of a key, one of an agent's own too; nil: there is none.
func (r *Recipe) key(path string) *schema.Field {
	if parted, _, rest := r.schema().PartOf(path); parted != nil {
		return agentKeys().Find(rest)
	}
	return r.schema().Find(path)
}

// locateAgents makes the paths whole that agents name.
func (d *reader) locateAgents(r *Recipe) {
	if _, given := d.Given("team.agents"); !given {
		return
	}
	named := slices.Clone(r.Team.Agents.Named) // presets share theirs
	for i := range named {
		agent := "team.agents." + named[i].Name + "."
		agentKeys().Leaves(func(f *schema.Field) {
			d.locator(d.Near(agent+f.Path, "team.agents")).Locate(f, f.At(&named[i]))
		})
	}
	r.Team.Agents.Named = named
}

// Lists says that a key holds a list.
func (r *Recipe) Lists(key string) bool {
	f := r.key(key)
	return f != nil && f.Type.Kind() == reflect.Slice
}

// Moved is r with other values of keys that name files, as changes key=value say them; relative paths are relative to the current folder. file is its
// name in errors.
func (r *Recipe) Moved(file string, sets []string) (*Recipe, error) {
	return r.language.parseIn(".", file, r.YAML(), sets)
}

// Located are changes of r, of which the relative paths are made whole: they are in a folder, or in the current one.
func (r *Recipe) Located(folder string, sets []string) []string {
	return keys.Locator{Folder: folder}.Sets(r.key, sets)
}

// Reach lists what r does beyond its run's folder and the sandbox, as far as its keys say so: see [keys.Reach].
func (r *Recipe) Reach() []keys.Named {
	return append(keys.Reach(r.schema(), r), r.ofAgents(keys.Reach)...)
}

// locate makes the paths of a recipe whole, so that it means the same from any current folder. In a file they are relative to the file's
// folder, after --set to the current one. Where nothing of a name is in the file's folder, the current one is looked in too.
func (d *reader) locate(r *Recipe) {
	r.schema().Leaves(func(f *schema.Field) {
		if at, given := d.Given(f.Path); given {
			d.locator(at).Locate(f, f.At(r))
		}
	})
	d.locateAgents(r)
	in := d.locator(d.Near("experiment.variants"))
	for i, v := range r.Experiment.Variants {
		r.Experiment.Variants[i].Set = in.Sets(r.key, v.Set)
	}
}

// locator is for paths that stand at a place.
func (d *reader) locator(at schema.Origin) keys.Locator {
	switch {
	case at.Line == 0:
		return keys.Locator{Folder: "."}
	case slices.Contains(d.overlays, at.File):
		return keys.Locator{Folder: filepath.Dir(at.File)}
	}
	return keys.Locator{Folder: d.folder}
}
