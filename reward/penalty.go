package reward

import "fmt"

// DefaultPenalty is what a flagged answer gets in place of its score (§2.1).
const DefaultPenalty = -10.0

// A Scope says what a penalty replaces (§2.1).
type Scope string

const (
	ScopeScore Scope = "score" // the score, before the design: earlier turns of all agents feel it (the default)
	ScopeOwn   Scope = "own"   // only the reward of the flagged answer itself, after the design
)

// Check reports whether s is a known scope.
func (s Scope) Check() error {
	if s != ScopeScore && s != ScopeOwn {
		return fmt.Errorf("penalty scope %q is not known: use %q or %q", string(s), ScopeScore, ScopeOwn)
	}
	return nil
}

// Penalise returns values with the penalty in place of those that are flagged, [turn][agent] both. Nil flags: none.
func Penalise(values [][]float64, flagged [][]bool, penalty float64) [][]float64 {
	out := make([][]float64, len(values))
	for t, turn := range values {
		out[t] = append([]float64(nil), turn...)
		for a := range turn {
			if flagged != nil && flagged[t][a] {
				out[t][a] = penalty
			}
		}
	}
	return out
}
