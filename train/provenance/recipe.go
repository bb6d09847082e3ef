package provenance

import (
	"cmp"
	"fmt"
	"strings"

	"parley/recipe"
	"parley/rl/learn"
)

// asRecorded is r with the date and the learning rate of the run that it is compared with, where it leaves them open.
func asRecorded(r, run *recipe.Recipe) *recipe.Recipe {
	out := *r
	out.Date = cmp.Or(r.Date, run.Date)
	if r.Optimizer.LR == learn.AutoRate {
		out.Optimizer.LR = run.Optimizer.LR
	}
	return &out
}

// RecipeChanged describes the first line in which a recipe is another than the one that a run recorded; empty: none.
func RecipeChanged(run, r *recipe.Recipe) string {
	return firstDifference(string(run.YAML()), string(asRecorded(r, run).YAML()))
}

// firstDifference describes the first line in which two texts differ; empty: none.
func firstDifference(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("it had %q, now %q", strings.TrimSpace(a[i]), strings.TrimSpace(b[i]))
		}
	}
	if len(a) != len(b) {
		return "it has another length"
	}
	return ""
}
