package plan

import (
	"fmt"

	"parley/recipe"
	"parley/rl/learn"
)

// slowest is the share of the automatic learning rate below which a rate is worth a note.
const slowest = 1. / 20

// ChooseRate gives a recipe that leaves its learning rate to parley that of its largest base, which has so many parameters. From then on it is a
// recipe with a rate, and is recorded as one. The note says how it was chosen, or that a rate of the recipe's own is far lower; it is empty where
// there is nothing to say.
func ChooseRate(given *recipe.Recipe, largest int) (r *recipe.Recipe, note string) {
	automatic := given.AlgorithmType().Rate(largest, given.Policies)
	if lr := given.Optimizer.LR; lr != learn.AutoRate {
		if lr < slowest*automatic {
			note = fmt.Sprintf("optimizer.lr is %g, which is low for %s on a base of %s parameters: auto would be %g", lr, learner(given.Policies), short(largest), automatic)
		}
		return given, note
	}
	if given.AlgorithmType().Untrained() { // nothing learns at any rate
		return given, ""
	}
	own := *given
	own.Optimizer.LR = automatic
	return &own, fmt.Sprintf("optimizer.lr auto is %g: %s on a base of %s parameters", automatic, learner(own.Policies), short(largest))
}

// learner says what policies train.
func learner(p learn.Policies) string {
	if p.Full {
		return "full copies"
	}
	return fmt.Sprintf("adapters of rank %d and alpha %g", p.Rank, p.Alpha)
}

// short prints a number of parameters with three digits at most.
func short(n int) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "B"}, {1e6, "M"}, {1e3, "k"}} {
		if x := float64(n) / unit.size; x >= 1 {
			return fmt.Sprintf("%.3g%s", x, unit.name)
		}
	}
	return fmt.Sprint(n)
}

// settling are the updates after a warm-up in which policies need not have moved yet.
const settling = 2

// Warming is the update up to which policies may be still because their learning rates rise, or have just risen.
func Warming(r *recipe.Recipe) (update int) {
	schedules, _ := r.Schedules() // of a recipe that was checked
	for _, s := range schedules {
		if s.Warmup > 0 {
			update = max(update, (s.Warmup*r.Training.Updates+s.Steps-1)/s.Steps+settling)
		}
	}
	return update
}
