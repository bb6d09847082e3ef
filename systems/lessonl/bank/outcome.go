package bank

import "parley/internal/tie"

// A Class is how a program did; prompts have a text for each.
type Class string

// The classes.
const (
	MuchFaster     Class = "much_faster" // at least 1.1 times
	SlightlyFaster Class = "slightly_faster"
	Slower         Class = "slower"
	NotEquivalent  Class = "not_equivalent"
	NotCompilable  Class = "not_compilable"
)

// Fast is the speed-up from which a program, or s·f of a lesson, counts as an improvement.
const Fast = 1.1

// Classify returns the class of a program, and its credit: the speed-up of a right one, else 0.
func Classify(compiled, correct bool, speedup float64) (Class, float64) {
	switch {
	case !compiled:
		return NotCompilable, 0
	case !correct:
		return NotEquivalent, 0
	case reaches(speedup, Fast):
		return MuchFaster, speedup
	case reaches(speedup, 1):
		return SlightlyFaster, speedup
	}
	return Slower, speedup
}

// reaches says that x is at least a bound, rounding aside.
func reaches(x, bound float64) bool { return !tie.Above(bound, x, 0) }
