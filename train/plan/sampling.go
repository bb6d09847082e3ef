package plan

import (
	"parley/engine"
	"parley/recipe"
)

// Sampling is how the recipe's completions are drawn in training.
func Sampling(r *recipe.Recipe) engine.Sampling {
	return engine.Sampling{Temperature: r.Sampling.Temperature, TopK: r.Sampling.TopK, TopP: r.Sampling.TopP}
}

// GroupSize is how many completions an agent gives at a node in training.
func GroupSize(r *recipe.Recipe) int {
	switch {
	case r.Algorithm.Debates():
		return 1
	case r.Algorithm.Pairs():
		return r.Preference.Candidates
	}
	return r.Group.Size
}

// ReusesActivations says that what is sampled first is trained on first, by steps that take all of it: the engine may then keep what training
// would compute again.
func ReusesActivations(r *recipe.Recipe) bool {
	g := &r.Group
	return r.Algorithm.GroupRelative() && g.Padding == "exact" && g.TrainBatch == 0 && g.Buffer == 0
}
