package provenance

import (
	"fmt"
	"slices"
	"strconv"

	"parley/recipe"
	"parley/runs"
)

// lengthKey is what changes when a run is trained further.
const lengthKey = "training.updates"

// WithUpdates is r with another number of updates. file is its name in errors.
func WithUpdates(r *recipe.Recipe, file string, updates int) (*recipe.Recipe, error) {
	return r.Language().Parse(file, r.YAML(), []string{fmt.Sprintf("%s=%d", lengthKey, updates)})
}

// Lengthen records that a run goes on to be as long as a recipe says, and was to be another length.
func Lengthen(run *runs.Run, was int, r *recipe.Recipe) error {
	done, err := Done(run.Dir())
	if err != nil {
		return err
	}
	c := runs.Change{Update: done, What: lengthKey, Was: strconv.Itoa(was), Now: strconv.Itoa(r.Training.Updates)}
	return run.Amend(func(m *runs.Meta) {
		m.Recipe, m.Changes = string(r.YAML()), append(slices.Clone(m.Changes), c)
	})
}

// At is the recipe of a run as it was in an update: learning rates that decay depend on how long the run was to be then.
func At(meta runs.Meta, r *recipe.Recipe, file string, update int) (*recipe.Recipe, error) {
	for _, c := range meta.Changes {
		if c.What != lengthKey || update > c.Update {
			continue
		}
		updates, err := strconv.Atoi(c.Was)
		if err != nil {
			return nil, fmt.Errorf("%s: changes: %w", file, err)
		}
		return WithUpdates(r, file, updates)
	}
	return r, nil
}

// Done is how many updates of the run in dir have a line in metrics.jsonl.
func Done(dir string) (int, error) {
	s, err := runs.Summarise(dir)
	return s.Updates, err
}
