package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
)

// A StudyError says that a name means the folder of a study, which is no run and nothing else.
type StudyError struct{ error }

func (e *StudyError) Unwrap() error { return e.error }

// FindRun returns the folder that a user means by a path or by a name in the runs folder.
func FindRun(name string) (string, error) {
	for _, dir := range []string{name, filepath.Join(runs.Root(), name)} {
		var none *runs.NotRunError
		if _, err := runs.Read(dir); !errors.As(err, &none) {
			return dir, nil // a damaged run is one: who reads it says so
		}
		if runs.IsStudy(dir) {
			names := runs.Inside(dir)
			if len(names) == 0 {
				return "", &StudyError{Usagef("%s is a study without any run yet", dir)}
			}
			return "", &StudyError{several(runs.Study, dir, names)}
		}
		if runs.Begun(dir) {
			return "", Usagef("%s is no run yet: its process ended before it had written run.json; start it again with: parley train RECIPE --out %s", dir, usererror.Quote(dir))
		}
	}
	list, err := runs.List(runs.Root())
	if err != nil {
		return "", err
	}
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	if near := usererror.Nearest(filepath.Base(name), names); near != "" {
		return "", Usagef("there is no run %q; did you mean %q?", name, near)
	}
	return "", Usagef("there is no run %q; %s shows those in %s", name, usererror.Word("`parley run list`", "parley.runs()"), runs.Root())
}

// FindRuns is [FindRun] of several names: the first that is none is an error.
func FindRuns(names []string) ([]string, error) {
	dirs := make([]string, len(names))
	for i, name := range names {
		dir, err := FindRun(name)
		if err != nil {
			return nil, err
		}
		dirs[i] = dir
	}
	return dirs, nil
}

// UnknownTarget is the error for a name that is neither a run's nor a recipe's.
func UnknownTarget(name string) error {
	if near := nearest(name, nil); near != "" {
		return Usagef("there is no run and no recipe %q; did you mean %q?", name, near)
	}
	return Usagef("there is no run and no recipe %q; `parley run list` and `parley recipe list` show them", name)
}

// UnknownSpeaker is the error for a name that is neither a run's nor a recipe's nor one of models, each of which answers questions. pull is
// how a model of the name may be got, as the end of a sentence, or empty.
func UnknownSpeaker(name string, models []string, pull string) error {
	if strings.HasPrefix(filepath.ToSlash(name), "runs/") {
		pull = "" // no model is published by that name: it is the path of a run
	}
	if near := nearest(name, models); near != "" {
		return Usagef("there is no run, no recipe and no model %q; did you mean %q?%s", name, near, pull)
	}
	return Usagef("there is no run, no recipe and no model %q; `parley run list`, `parley recipe list` and `parley model list` show them%s", name, pull)
}

// nearest is the run, the recipe or the model that was probably meant; empty: none is near. A path that ends with the name of a run means that.
func nearest(name string, models []string) string {
	names := teams()
	if base := filepath.Base(name); base != name && slices.Contains(names, base) {
		return base
	}
	return usererror.Nearest(name, append(names, models...))
}

// teams are the names of recipes and of runs.
func teams() []string {
	names := recipe.Names()
	if list, err := runs.List(runs.Root()); err == nil {
		for _, s := range list {
			names = append(names, s.Name)
		}
	}
	return names
}
