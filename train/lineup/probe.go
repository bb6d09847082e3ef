package lineup

import (
	"context"
	"slices"
)

// probe asks a reward of the user's own about a training problem, and about a held-out one where another task is measured, in every form in which
// the run will ask it.
func (l *Lineup) probe(ctx context.Context) error {
	if l.purpose != toTrain {
		return nil // it has paid
	}
	problems := l.Training.Problems[:1]
	if l.elsewhere() && len(l.HeldOut) > 0 {
		problems = append(slices.Clip(problems), l.HeldOut[0])
	}
	return l.Scorer.Probe(ctx, problems...)
}
