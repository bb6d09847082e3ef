package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"parley/rl/rollout"
	"parley/runs"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/plan"
	"parley/train/progress"
)

// untrainedSingles measures one untrained model at the team's budget of generated tokens: one long answer, and a vote over
// as many answers as the budget pays for.
func (r *runner) untrainedSingles(ctx context.Context, s lineup.Lineup) error {
	if !slices.Contains(r.recipe.Eval.Baselines, runs.Single) && !slices.Contains(r.recipe.Eval.Baselines, runs.MajorityVote) {
		return nil
	}
	alone, err := measure.Alone(s, r.recipe, false)
	if err != nil {
		return err
	}
	return r.singles(ctx, s, alone, []string{runs.Single, runs.MajorityVote}, r.report.Updates)
}

// trainedSingle trains one agent on as many generated answers as the team gave, in a run inside the run, and measures its vote
// at the team's budget.
func (r *runner) trainedSingle(ctx context.Context) error {
	if !r.wants(runs.TrainedSingle) {
		return nil
	}
	single, err := plan.Single(r.recipe)
	if err != nil {
		return err
	}
	s, err := lineup.Open(ctx, single, r.options.Backend)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := r.rates.Keep(s, func(string) {}); err != nil {
		return err
	}
	run, err := r.singleRun(ctx, s)
	if err != nil {
		return err
	}
	defer run.Close()
	s.Watch = r.news.Drawn
	l, err := newLoop(ctx, s, run, progress.SingleAgent, r.options)
	if err != nil {
		return err
	}
	l.timeline.Learned = r.news.Learned
	if err := l.train(ctx, r.updates()); err != nil {
		return err
	}
	measured, err := s.Measured()
	if err != nil {
		return err
	}
	alone, err := measure.Alone(measured, r.recipe, true)
	if err != nil {
		return err
	}
	return r.singles(ctx, measured, alone, []string{"", runs.TrainedSingle}, l.done)
}

// singleRun is the run of the trained single agent inside the run: the one that is there, put in order, or a new one.
func (r *runner) singleRun(ctx context.Context, s lineup.Lineup) (*runs.Run, error) {
	dir := filepath.Join(r.run.Dir(), runs.TrainedSingle)
	if err := r.run.Check(runs.TrainedSingle); err != nil {
		return nil, err
	}
	note, err := runs.Heal(dir)
	if note != "" {
		r.options.note(note)
	}
	if err != nil {
		return nil, err
	}
	run, err := runs.Open(dir)
	fresh := errors.Is(err, os.ErrNotExist)
	if fresh {
		run, err = r.options.create(ctx, dir, s)
	}
	if err != nil {
		return nil, err
	}
	if run.Inside(r.run); fresh {
		return run, nil
	}
	inside := r.options // it goes on for as long as the team's
	inside.Recipe, inside.Updates, inside.Further = s.Recipe, s.Recipe.Training.Updates, 0
	if err := inside.goOn(ctx, run, s); err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

// singles measures one agent alone under two names: its single answer, and a vote over as many answers as the trained team's budget of
// generated tokens pays for. An empty or unwanted name is left out of the report.
func (r *runner) singles(ctx context.Context, l lineup.Lineup, alone *rollout.Runner, names []string, updates int) error {
	var answer *measure.Measurement
	for i, name := range names {
		k := 1
		if i == 1 && r.recipe.Votes() {
			k = measure.Affordable(r.after.TokensPerProblem(), answer.TokensPerProblem())
		}
		if i == 1 && !r.wants(name) {
			continue
		}
		system := name
		if system == "" {
			system = "trained-single-answer"
		}
		m, err := r.measure(ctx, system, updates, func(ctx context.Context) (*measure.Measurement, error) {
			return measure.Of(l).Votes(ctx, system, alone, k)
		})
		if err != nil {
			return err
		}
		if i == 0 {
			answer = m
		}
		if i == 0 || name == runs.TrainedSingle {
			r.solo = m
		}
		if r.wants(name) {
			r.baselines = append(r.baselines, m)
		}
	}
	return nil
}
