package plan

import (
	"testing"

	"parley/recipe/language"
)

// TestSingleOfShipped: every run of every shipped recipe can be compared with a single agent, whatever is said about several turns.
func TestSingleOfShipped(t *testing.T) {
	for _, r := range language.New().Shipped() {
		r.Experiment.Seeds = nil // they change nothing of what is asked
		trials, err := r.Trials()
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range trials {
			if _, err := Single(trial.Recipe); err != nil {
				t.Errorf("%s %s: %v", r.Name, trial.Variant, err)
			}
		}
	}
}
