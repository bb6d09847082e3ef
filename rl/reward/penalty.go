package reward

import (
	"fmt"
	"slices"
)

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

// Penalise returns a debate with the penalty in place of the scores that are flagged. The debate itself does not change.
func Penalise(debate []Turn, penalty float64) []Turn {
	out := make([]Turn, len(debate))
	for t, turn := range debate {
		out[t] = slices.Clone(turn)
		for i, a := range turn {
			if a.Flagged {
				out[t][i].Score = penalty
			}
		}
	}
	return out
}
