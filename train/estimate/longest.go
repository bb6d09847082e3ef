package estimate

import (
	"parley/model/config"
	"parley/recipe"
)

// Longest is about how long a sequence of a run can get, in tokens, over a base of a context: as if every answer were as long as it may be.
func Longest(r *recipe.Recipe, context int) int {
	u := Run{Recipe: r, Bases: []Base{{Config: config.Config{Context: context}}}}
	return min(context, u.longest())
}
