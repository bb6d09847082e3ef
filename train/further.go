package train

import (
	"path/filepath"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/learn/preference"
	"parley/runs"
	"parley/train/provenance"
)

// lengthen makes the recipe of a run that goes on train as many updates as the options ask for. It changes nothing of the run.
func (o *Options) lengthen(run *runs.Run) error {
	done, err := provenance.Done(run.Dir())
	if err != nil {
		return err
	}
	total := o.Updates
	if o.Further > 0 {
		total = done + o.Further
		if o.Recipe.Experiment.Active() {
			total = o.Recipe.Training.Updates + o.Further
		}
	}
	was := o.Recipe.Training.Updates
	switch {
	case total == 0 || total == was:
		return nil
	case spent(o.Recipe, generated(run.Dir())):
		return usererror.Errorf("%s has generated its training.tokens, %d, whatever its number of updates: start a new run with more", run.Dir(), o.Recipe.Training.Tokens)
	case total < done:
		return usererror.Errorf("%s has done %d updates already: --updates %d is less", run.Dir(), done, total)
	case o.Recipe.Prefers() && recipe.Section[preference.Settings](o.Recipe).Iterations > 1:
		return usererror.Errorf("%s was divided into %d iterations of %d updates in all: with another number its iterations would be others; start a new run with training.updates=%d", run.Dir(), recipe.Section[preference.Settings](o.Recipe).Iterations, was, total)
	}
	longer, err := provenance.WithUpdates(o.Recipe, filepath.Join(run.Dir(), "run.json"), total)
	if err != nil {
		return &usererror.Error{Err: err}
	}
	o.Recipe = longer
	return nil
}

// generated is how many tokens the training of a finished run has generated; 0: it has no report.
func generated(dir string) int {
	report, err := runs.ReadReport(dir)
	if err != nil {
		return 0
	}
	return report.GeneratedTokens
}

// record writes into run.json that the run trains another number of updates, where it does, and that the user trusts it.
func (o *Options) record(run *runs.Run) error {
	was, err := o.parse(filepath.Join(run.Dir(), "run.json"), run.Meta().Recipe)
	if err != nil {
		return err
	}
	if o.Updates+o.Further > 0 && was.Training.Updates != o.Recipe.Training.Updates {
		if err := provenance.Lengthen(run, was.Training.Updates, o.Recipe); err != nil {
			return err
		}
	}
	if err := provenance.Relocate(run, was, o.Recipe); err != nil {
		return err
	}
	if err := provenance.RenewTrust(run, was); err != nil {
		o.note(err.Error())
	}
	return nil
}
