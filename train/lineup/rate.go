package lineup

import (
	"fmt"

	"parley/learn"
)

// slowest is the share of the automatic learning rate below which a rate is worth a note.
const slowest = 1. / 20

// chooseRate gives a recipe that leaves its learning rate to parley that of its largest base. From then on it is a recipe with a rate, and is
// recorded as one. A rate of the recipe's own that is far lower is noted.
func (l *Lineup) chooseRate() {
	largest := 0
	for _, b := range l.Bases {
		if len(b.Agents) > 0 { // a comparator does not learn
			largest = max(largest, b.shape.Parameters())
		}
	}
	r := *l.Recipe
	automatic := r.AlgorithmType().Rate(largest, r.Policies)
	if r.Optimizer.LR != learn.AutoRate {
		if given := r.Optimizer.LR; given < slowest*automatic {
			l.RateNote = fmt.Sprintf("optimizer.lr is %g, which is low for %s on a base of %s parameters: auto would be %g", given, trained(r.Policies), short(largest), automatic)
		}
		return
	}
	if r.AlgorithmType().Untrained { // nothing learns at any rate
		return
	}
	r.Optimizer.LR = automatic
	l.Recipe = &r
	l.RateNote = fmt.Sprintf("optimizer.lr auto is %g: %s on a base of %s parameters", r.Optimizer.LR, trained(r.Policies), short(largest))
}

// trained says what policies train.
func trained(p learn.Policies) string {
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
