package plan

import (
	"parley/recipe"
	"parley/rl/learn/preference"
)

// Iteration is the part of the run that an update belongs to, both counted from 0 (MAGRPO §5).
func Iteration(r *recipe.Recipe, update int) int {
	return recipe.Section[preference.Settings](r).Iteration(update, r.Training.Updates)
}

// Rival is the base of preference.comparator model; empty: there is none.
func Rival(r *recipe.Recipe) string {
	p := recipe.Section[preference.Settings](r)
	if !r.Prefers() || p.Comparator != "model" {
		return ""
	}
	return p.Model
}
