package lineup

import (
	"context"
	"slices"

	"parley/recipe"
	"parley/runs"
)

// probe asks a reward of the user's own about a training problem, with as many responses as it will get: those of the team that is trained,
// of the one that is measured, and of a single agent where one is measured or trained beside them.
func (l *Lineup) probe(ctx context.Context) error {
	if l.purpose != toTrain {
		return nil // it has paid
	}
	return l.Scorer.Probe(ctx, l.Training.Problems[0], responseCounts(l.Recipe))
}

// responseCounts lists how many responses a reward gets in a run of r.
func responseCounts(r *recipe.Recipe) []int {
	if r.AlgorithmType().Decodes {
		return []int{1}
	}
	counts := []int{r.Team.Agents.N, r.MeasuredAgents()}
	if asksOne(r) {
		counts = append(counts, 1)
	}
	slices.Sort(counts)
	counts = slices.Compact(counts)
	slices.Reverse(counts)
	return counts
}

// asksOne reports whether answers of one agent alone are rewarded.
func asksOne(r *recipe.Recipe) bool {
	single := func(system string) bool {
		return system == runs.Single || system == runs.MajorityVote || system == runs.TrainedSingle
	}
	return slices.ContainsFunc(r.Eval.Baselines, single) || r.Eval.NoHistory || r.Task.Filter.Active()
}
