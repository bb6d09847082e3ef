package plan

import (
	"slices"
	"time"

	"parley/model"
	"parley/recipe"
)

// Dated is r with the date that its prompts have: its own, else, where a base's chat template prints one, that of a day. Where none does it
// stays as it is. The runs of an experiment have one date.
func Dated(r *recipe.Recipe, day time.Time) *recipe.Recipe {
	if r.Date != "" || !printsDate(r) {
		return r
	}
	out := *r
	out.Date = day.Format(time.DateOnly)
	return &out
}

// printsDate reports whether the template of a base prints the date, in any run of the recipe. Bases that cannot be read are for others to
// report.
func printsDate(r *recipe.Recipe) bool {
	names := append(slices.Clone(r.Bases()), Rival(r))
	if r.Experiment.Active() {
		trials, _ := r.Trials()
		for _, t := range trials {
			names = append(names, t.Recipe.Bases()...)
		}
	}
	slices.Sort(names)
	return slices.ContainsFunc(slices.Compact(names), func(name string) bool {
		if name == "" {
			return false
		}
		t, err := model.OpenTemplate(name)
		return err == nil && t.Dated
	})
}

// Day is the time that prompts of a recipe print: the beginning of its date.
func Day(r *recipe.Recipe) time.Time {
	day, _ := time.Parse(time.DateOnly, r.Date) // the recipe was checked; without a date nothing prints one
	return day
}
