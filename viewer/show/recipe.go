package show

import (
	"fmt"
	"slices"

	"parley/recipe"
	"parley/runs"
	"parley/train/record"
)

// A RecipeView is the recipe of a run as it was.
type RecipeView struct {
	YAML        string       `json:"yaml"`
	Preset      string       `json:"preset"` // the shipped recipe that it is compared with; empty: there is none
	Differences []Difference `json:"differences"`
}

// A Difference is a key with another value than the preset has.
type Difference struct {
	Key    string `json:"key"`
	Preset string `json:"preset"`
	Run    string `json:"run"`
}

// Recipe is that of a run, compared with the shipped recipe of its preset, or else of its name.
func (r *Root) Recipe(id string, l *recipe.Language) (*RecipeView, error) {
	dir, err := r.Path(id)
	if err != nil {
		return nil, err
	}
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, err
	}
	view := &RecipeView{YAML: meta.Recipe, Differences: []Difference{}}
	own := r.recipes.Filled(l, meta.Recipe)
	view.Preset = own.Text("preset")
	if view.Preset == "" && slices.Contains(recipe.Names(), meta.Name) {
		view.Preset = meta.Name
	}
	if view.Preset == "" {
		return view, nil
	}
	shipped, err := l.Load(view.Preset, nil)
	if err != nil {
		return nil, fmt.Errorf("compare with the preset: %w", err)
	}
	preset, err := record.Flatten(string(shipped.YAML()))
	if err != nil {
		return nil, fmt.Errorf("compare with the preset: %w", err)
	}
	for _, d := range record.CompareFlat(preset, own.FlatRecipe, "about", "minutes", "preset") {
		_, here := preset.Values[d.Key]
		if _, there := own.Values[d.Key]; !there && !own.Known {
			continue // its release did not know the key
		}
		if !here && !own.Known {
			d.A = NotHere
		}
		view.Differences = append(view.Differences, Difference{d.Key, d.A, d.B})
	}
	return view, nil
}

// NotHere stands in the place of the value of a key that this release does not know.
const NotHere = "not in this release"

// recipeOf reads the recipe of a run.
func (r *Root) recipeOf(id string) (*record.FlatRecipe, error) {
	dir, err := r.Path(id)
	if err != nil {
		return nil, err
	}
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, err
	}
	return r.recipes.Of(meta.Recipe)
}

// Flat is the recipe of a run as keys and values; a run whose run.json is damaged has an empty one.
func (r *Root) Flat(id string) *record.FlatRecipe {
	if f, err := r.recipeOf(id); err == nil {
		return f
	}
	return &record.FlatRecipe{}
}

// Keys are values of recipes' keys, by the run that has them.
type Keys struct {
	Keys   []string                     `json:"keys"`   // those in which recipes of the folder differ, in the order of a recipe
	Values map[string]map[string]string `json:"values"` // of the keys that were asked for: run, key, value
	Left   int                          `json:"left"`   // how many runs were not looked at
}

// mostRecipes is how many recipes are read for a table: the newest.
const mostRecipes = 400

// Keys looks at the recipes of all runs.
func (r *Root) Keys(asked []string) (*Keys, error) {
	rows, err := r.Rows()
	if err != nil {
		return nil, err
	}
	out := &Keys{Keys: []string{}, Values: map[string]map[string]string{}, Left: max(0, len(rows)-mostRecipes)}
	rows = rows[:len(rows)-out.Left]
	first, with, differs := map[string]string{}, map[string]int{}, map[string]bool{} // by key: its value in the first run that has it, how many do
	for _, row := range rows {
		f := r.Flat(row.ID)
		for _, key := range f.Keys {
			if with[key] == 0 {
				first[key] = f.Values[key]
				out.Keys = append(out.Keys, key)
			}
			with[key]++
			differs[key] = differs[key] || f.Values[key] != first[key]
		}
		out.Values[row.ID] = map[string]string{}
		for _, key := range asked {
			if value, ok := f.Values[key]; ok {
				out.Values[row.ID][key] = value
			}
		}
	}
	out.Keys = slices.DeleteFunc(out.Keys, func(key string) bool { return !differs[key] && with[key] == len(rows) })
	return out, nil
}
