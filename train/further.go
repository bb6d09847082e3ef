package train

import (
	"context"

	"parley/engine"
	"parley/learn"
	"parley/runs"
	"parley/train/measure"
)

// further measures what the recipe asks for beside the team: the untrained team with twice the tokens, policies without history, and
// one agent alone.
func (j *job) further(ctx context.Context, s *session) error {
	if err := j.double(ctx, s); err != nil {
		return err
	}
	if err := j.withoutHistory(ctx, s); err != nil {
		return err
	}
	if err := j.untrainedTeams(ctx, s); err != nil {
		return err
	}
	return j.untrainedSingles(ctx, s)
}

// double measures the untrained team with twice the tokens an answer, the paper's baseline (maporl.md §8.1).
func (j *job) double(ctx context.Context, s *session) error {
	if !j.wants(runs.OffTheShelfDouble) {
		return nil
	}
	m, err := j.measure(ctx, runs.OffTheShelfDouble, 0, func(ctx context.Context) (*measure.Measurement, error) {
		team, err := s.ofSize(s.recipe.MeasuredAgents())
		if err != nil {
			return nil, err
		}
		runner := team.evaluation(false)
		runner.Settings.MaxTokens *= 2
		return team.measurer().Debates(ctx, runs.OffTheShelfDouble, runner)
	})
	if err == nil {
		j.baselines = append(j.baselines, m)
	}
	return err
}

// withoutHistory measures the base, and every trained policy, as a single agent who answers the question (Remark 2): what a policy has
// learned of the task, and not of talking, shows there.
func (j *job) withoutHistory(ctx context.Context, s *session) error {
	if !j.recipe.Eval.NoHistory {
		return nil
	}
	asked := []learn.Trainee{{Policy: engine.Base, Agent: j.recipe.Soloist()}}
	if j.after != j.before {
		asked = append(asked, s.sharing.Trained(s.protocol.Turns(), false)...)
	}
	for _, p := range asked {
		name, updates := string(p.Policy), j.report.Updates
		if p.Policy == engine.Base {
			name, updates = runs.OffTheShelf, 0
		}
		m, err := j.measure(ctx, "without-history-"+name, updates, func(ctx context.Context) (*measure.Measurement, error) {
			runner, err := s.soloist(p)
			if err != nil {
				return nil, err
			}
			return s.measurer().Votes(ctx, name, runner, 1)
		})
		if err != nil {
			return err
		}
		j.alone = append(j.alone, m)
	}
	return nil
}
