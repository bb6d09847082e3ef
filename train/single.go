package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"parley/rollout"
	"parley/runs"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/plan"
	"parley/train/progress"
)

// untrainedSingles measures one untrained model at the team's budget of generated tokens: one long answer, and a vote over
// as many answers as the budget pays for.
func (j *job) untrainedSingles(ctx context.Context, s lineup.Lineup) error {
	if !slices.Contains(j.recipe.Eval.Baselines, runs.Single) && !slices.Contains(j.recipe.Eval.Baselines, runs.MajorityVote) {
		return nil
	}
	alone, err := measure.Alone(s, j.recipe, false)
	if err != nil {
		return err
	}
	return j.singles(ctx, s, alone, []string{runs.Single, runs.MajorityVote}, j.report.Updates)
}

// trainedSingle trains one agent on as many generated answers as the team gave, in a run inside the run, and measures its vote
// at the team's budget.
func (j *job) trainedSingle(ctx context.Context) error {
	if !j.wants(runs.TrainedSingle) {
		return nil
	}
	r, err := plan.Single(j.recipe)
	if err != nil {
		return err
	}
	s, err := lineup.Open(ctx, r, j.options.Backend)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := j.rates.Keep(s, func(string) {}); err != nil {
		return err
	}
	dir := filepath.Join(j.run.Dir(), runs.TrainedSingle)
	run, err := runs.Open(dir)
	before := err == nil
	if errors.Is(err, os.ErrNotExist) {
		run, err = create(dir, s, j.options.Version)
	}
	if err != nil {
		return err
	}
	defer run.Close()
	if before {
		if err := j.sameLength(run, s); err != nil {
			return err
		}
	}
	s.Watch = j.news.drawn
	l, err := newLoop(ctx, s, run, progress.SingleAgent, j.options.Observe)
	if err != nil {
		return err
	}
	l.timeline.Learned = j.news.learned
	if err := l.train(ctx, j.updates()); err != nil {
		return err
	}
	measured, err := s.Measured()
	if err != nil {
		return err
	}
	alone, err := measure.Alone(measured, j.recipe, true)
	if err != nil {
		return err
	}
	return j.singles(ctx, measured, alone, []string{"", runs.TrainedSingle}, l.done)
}

// sameLength lets the single agent's run go on, for as long as the team's.
func (j *job) sameLength(run *runs.Run, s lineup.Lineup) error {
	inside := j.options
	inside.Recipe, inside.Updates, inside.Further = s.Recipe, s.Recipe.Training.Updates, 0
	return inside.goOn(run, s)
}

// singles measures one agent alone under two names: its single answer, and a vote over as many answers as the trained team's budget of
// generated tokens pays for. An empty or unwanted name is left out of the report.
func (j *job) singles(ctx context.Context, l lineup.Lineup, alone *rollout.Runner, names []string, updates int) error {
	var answer *measure.Measurement
	for i, name := range names {
		k := 1
		if i == 1 && j.recipe.Votes() {
			k = measure.Affordable(j.after.TokensPerProblem(), answer.TokensPerProblem())
		}
		if i == 1 && !j.wants(name) {
			continue
		}
		system := name
		if system == "" {
			system = "trained-single-answer"
		}
		m, err := j.measure(ctx, system, updates, func(ctx context.Context) (*measure.Measurement, error) {
			return measure.Of(l).Votes(ctx, system, alone, k)
		})
		if err != nil {
			return err
		}
		if i == 0 {
			answer = m
		}
		if i == 0 || name == runs.TrainedSingle {
			j.solo = m
		}
		if j.wants(name) {
			j.baselines = append(j.baselines, m)
		}
	}
	return nil
}
