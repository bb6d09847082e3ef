package plan

import (
	"parley/internal/shell"
	"parley/internal/usererror"
	"parley/recipe"
)

// Trains refuses a recipe of which nothing is trained and nothing is kept; nil is that of a run that goes on. Agents who write together are measured
// into a run folder, for who wrote what.
func Trains(r *recipe.Recipe) error {
	if r == nil || !r.AlgorithmType().Untrained || r.AlgorithmType().Decodes {
		return nil
	}
	return usererror.Errorf("recipe %s has algorithm %s: there is nothing to train; measure its team with `%s`, or talk to it with `%s`",
		r.Name, r.Algorithm, shell.Quote("parley", "eval", r.Name), shell.Quote("parley", "chat", r.Name))
}
