package train

import (
	"fmt"

	"parley/model"
	"parley/recipe"
	"parley/task/dataset"
	"parley/task/labelled"
)

// usualSets are the data sets on the Hub that tasks mean when the recipe names none.
var usualSets = map[string]string{"gsm8k": "openai/gsm8k", "svamp": "ChilleD/SVAMP", "gsm-hard": "reasoning-machines/gsm-hard", "nli": "facebook/anli"}

// openLabelled opens a task over a data set of problems with right answers.
func openLabelled(t recipe.Task) (*labelled.Task, error) {
	form, known := labelled.Named(t.Name)
	if !known {
		panic("internal error: no form for task " + t.Name)
	}
	path := setOf(t)
	if path == "" {
		return nil, fmt.Errorf("task %s needs task.path: the file or folder of its data set", t.Name)
	}
	set, err := dataset.Open(path, model.CacheRoot())
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", t.Name, err)
	}
	if set, err = set.Subset(t.Subset); err != nil {
		return nil, fmt.Errorf("task.subset: %w", err)
	}
	o := labelled.Options{SkipBroken: t.BadLines == "skip", LastNumber: t.Answer == "last-number", Verifier: t.VerifierProblems}
	o.Train, o.Test = halves(set)
	return labelled.New(form, o)
}

// setOf is where the data set of a task is; empty: it has none, or names none.
func setOf(t recipe.Task) string {
	if t.Path != "" {
		return t.Path
	}
	return usualSets[t.Name]
}

// halves says which files of a set are for training and which are held out: train and test, with validation in the place of the
// one that lacks. A set with no such pair is returned whole, to be divided problem by problem.
func halves(set dataset.Set) (train, test []labelled.File) {
	for _, pair := range [][2]string{{dataset.Train, dataset.Test}, {dataset.Train, dataset.Validation}, {dataset.Validation, dataset.Test}} {
		if a, b := set.Of(pair[0]), set.Of(pair[1]); len(a) > 0 && len(b) > 0 {
			return sources(a), sources(b)
		}
	}
	return sources(set.Files), nil
}

func sources(files []dataset.File) []labelled.File {
	out := make([]labelled.File, len(files))
	for i, f := range files {
		out[i] = f
	}
	return out
}
