package plan

import (
	"parley/engine"
	"parley/recipe"
	"parley/rl/learn"
)

// Sampling is how the recipe's completions are drawn in training.
func Sampling(r *recipe.Recipe) engine.Sampling {
	return engine.Sampling{Temperature: r.Sampling.Temperature, TopK: r.Sampling.TopK, TopP: r.Sampling.TopP}
}

// ReusesActivations says that what is sampled first is trained on first, by steps that take all of it: the engine may then keep what training
// would compute again.
func ReusesActivations(r *recipe.Recipe) bool {
	g := recipe.Section[learn.Group](r)
	return r.Training.Async == 0 && r.Kind() == learn.GroupRelative && g.Padding == "exact" && g.TrainBatch == 0 && g.Buffer == 0
}
