package plan

import (
	"cmp"
	"os"
	"path/filepath"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/learn"
	"parley/systems/fuse"
)

// Trains refuses a recipe of which nothing is trained and nothing is kept; nil is that of a run that goes on. Agents who write together are measured
// into a run folder, for who wrote what. called is how commands name the recipe; empty: by its name.
func Trains(r *recipe.Recipe, called string) error {
	if r == nil || r.AlgorithmType().Episodes != learn.FromNowhere {
		return nil
	}
	called = cmp.Or(called, r.Name)
	return usererror.Errorf("recipe %s has algorithm %s: there is nothing to train; measure its team with `%s`, or talk to it with `%s`",
		r.Name, r.Algorithm, usererror.Quote("parley", "eval", called), usererror.Quote("parley", "chat", called))
}

// Taught refuses a student of a team that is not there, before there is a run folder; nil is the recipe of a run that goes on.
func Taught(r *recipe.Recipe) error {
	if r == nil || r.Algorithm != fuse.Distillation {
		return nil
	}
	dir := recipe.Section[fuse.Distil](r).Run
	if dir == "" {
		return usererror.Errorf("distil.run is empty: train a team first, such as `parley train magrpo-tiny --out TEAM`, and name its folder with --set distil.run=TEAM")
	}
	if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
		return usererror.Errorf("distil.run: %s is no run: name the folder of one that has trained a team", dir)
	}
	return nil
}
