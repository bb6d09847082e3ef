// Package passrate chooses problems by how often the untrained model solves them, alone and in one turn (task.filter).
//
// [Measure] finds the rates out once, in the folder of the run, and goes on where it was interrupted. [Rates.Keep] leaves the problems
// whose rates lie within the recipe's bounds. Rates are a function of recipe and seed.
//
// proposals.go draws what the frozen agents of a workflow's first step write about training problems, once, before anything is trained
// (team.proposals; MLPO, arXiv 2507.08960). It keeps what they said in the folder of the run, and goes on where it was interrupted. Rows are
// the problems that are trained on: one for the v-th proposal of every peer. They are a function of recipe and seed too.
package passrate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"parley/engine"
	"parley/internal/folder"
	"parley/internal/tie"
	"parley/internal/usererror"
	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/runs"
	"parley/task"
	"parley/train/estimate"
	"parley/train/lineup"
	"parley/train/measure"
)

// A portion is a part of a run's problems that the recipe's filter chooses from.
type portion struct {
	name   string // as the user knows it
	file   string // of the run folder, where it keeps how often its untrained model solved each problem
	stream string // of random numbers
}

var (
	trainingPortion = portion{"training", "pass-rates.json", "pass-rate"}
	heldOutPortion  = portion{"held-out", "pass-rates-held-out.json", "held-out pass-rate"}
)

// Rates are pass rates of the untrained model, one for each problem of a portion; none: all its problems are kept.
type Rates struct {
	training, heldOut []task.PassRate
	proposals         []Drawn // for the problems that are kept; nil: the recipe wants none
}

// Measure returns the rates that the recipe asks for, from the run folder as far as they are there.
func Measure(ctx context.Context, s, measured lineup.Lineup, run *runs.Run, note func(string)) (Rates, error) {
	var all Rates
	var err error
	f := s.Recipe.Task.Filter
	if f.Active() {
		if all.training, err = rate(ctx, s, trainingPortion, s.Training.Problems, run.Dir(), run.WriteJSON, note); err != nil {
			return Rates{}, err
		}
	}
	if f.Active() && f.HeldOut {
		if all.heldOut, err = rate(ctx, measured, heldOutPortion, s.HeldOut, run.Dir(), run.WriteJSON, note); err != nil {
			return Rates{}, err
		}
	}
	err = all.propose(ctx, s, run.Dir(), run.WriteJSON, note)
	return all, err
}

// propose draws what frozen agents write about the problems that are kept, where the recipe wants it, but for what dir has already.
func (all *Rates) propose(ctx context.Context, s lineup.Lineup, dir string, write func(name string, v any) error, note func(string)) error {
	if s.Recipe.Team.Proposals.Each == 0 {
		return nil
	}
	kept, err := between(s, trainingPortion, s.Training.Problems, all.training, func(string) {})
	if err == nil {
		all.proposals, err = draw(ctx, s, kept, dir, write, note)
	}
	return err
}

// HeldOut returns those of held-out problems alone, for a measurement: from a folder as far as they are there, or taken anew where dir is empty. write
// keeps them.
func HeldOut(ctx context.Context, s lineup.Lineup, dir string, write func(name string, v any) error, note func(string)) (Rates, error) {
	f := s.Recipe.Task.Filter
	if !f.Active() || !f.HeldOut {
		return Rates{}, nil
	}
	heldOut, err := rate(ctx, s, heldOutPortion, s.HeldOut, dir, write, note)
	return Rates{heldOut: heldOut}, err
}

// KeepKnown leaves the training problems that the run in dir trained on, by the pass rates that it kept. Nothing is written.
func KeepKnown(ctx context.Context, s lineup.Lineup, dir string) error {
	if !s.Recipe.Task.Filter.Active() && s.Recipe.Team.Proposals.Each == 0 {
		return nil
	}
	if filepath.Base(dir) == runs.TrainedSingle {
		dir = filepath.Dir(dir) // a run inside a run has its problems
	}
	quiet := func(string) {}
	nowhere := func(string, any) error { return nil }
	var known Rates
	var err error
	if s.Recipe.Task.Filter.Active() {
		if known.training, err = rate(ctx, s, trainingPortion, s.Training.Problems, dir, nowhere, quiet); err != nil {
			return err
		}
	}
	if err := known.propose(ctx, s, dir, nowhere, quiet); err != nil {
		return err
	}
	return known.Keep(s, quiet)
}

// rate measures the pass rates of problems, but for those that dir has already.
func rate(ctx context.Context, s lineup.Lineup, p portion, problems []task.Problem, dir string, write func(name string, v any) error, note func(string)) ([]task.PassRate, error) {
	rates, err := knownRates(s, dir, p, problems, note)
	if err != nil {
		return nil, err
	}
	solo, err := trying(s)
	if err != nil {
		return nil, err
	}
	chunk := max(1, estimate.SamplesInFlight(s.Recipe)/s.Recipe.Task.Filter.Samples)
	told := -1 // tenths
	for at := len(rates); at < len(problems); at = len(rates) {
		if tenth := 10 * at / len(problems); tenth > told {
			told = tenth
			note(fmt.Sprintf("pass rates of the untrained model: %d of %d %s problems", at, len(problems), p.name))
		}
		episodes, err := solo.Run(ctx, p.stream, at, problems[at:min(at+chunk, len(problems))])
		if err != nil {
			return nil, fmt.Errorf("pass rates of the untrained model: %w", err)
		}
		for _, e := range episodes {
			rates = append(rates, passRate(e, solo.Settings.Episodes))
		}
		if err := write(p.file, rates); err != nil {
			return nil, err
		}
	}
	return rates, nil
}

// knownRates reads what a run, or an earlier part of it, has found out. An empty dir knows nothing.
func knownRates(s lineup.Lineup, dir string, p portion, problems []task.Problem, note func(string)) ([]task.PassRate, error) {
	if dir == "" {
		return nil, nil
	}
	var rates []task.PassRate
	err := runs.ReadSealed(dir, p.file, &rates)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, folder.ErrDamaged):
		note(fmt.Sprintf("%v: its pass rates are measured again", err))
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the run's %s: %w", p.file, err)
	}
	if !fit(rates, problems) {
		return nil, usererror.Errorf("the %s problems of task %s are not those that the run was started with: put the data set back, or start a new run", p.name, s.Task.Name())
	}
	return rates, nil
}

// fit reports whether rates are those of the first of some problems.
func fit(rates []task.PassRate, problems []task.Problem) bool {
	for i, r := range rates {
		if i >= len(problems) || problems[i].ID != r.ID || r.Right < 0 || r.Right > r.Samples {
			return false
		}
	}
	return true
}

// trying returns the rollout of one untrained agent that answers a training problem several times, sampled as in training.
func trying(s lineup.Lineup) (*rollout.Runner, error) {
	r := s.Recipe
	settings := rollout.Settings{Group: r.Task.Filter.Samples, Joint: credit.Aligned, MaxTokens: r.Sampling.MaxTokens, MinTokens: r.Sampling.MinTokens}
	sampling := engine.Sampling{Temperature: r.Sampling.Temperature, TopK: r.Sampling.TopK, TopP: r.Sampling.TopP}
	if r.Harnessed() { // its program alone knows what agents are asked
		settings.Group, settings.Episodes = 1, settings.Group
		return s.Runner(false, sampling, settings), nil
	}
	solo, err := measure.Alone(s, r, false)
	if err != nil {
		return nil, err
	}
	settings.Truncate, settings.Sampling = solo.Settings.Truncate, sampling
	solo.Settings = settings
	return solo, nil
}

// whole are what each episode of a problem solved , so many, that a program played; one that failed solved nothing.
func whole(e *rollout.Episode, samples int) []float64 {
	out := make([]float64, samples)
	for _, n := range e.Nodes {
		if len(n.Scored) == 0 || e.FailedSample(n.Sample) {
			continue
		}
		if out[n.Sample] = n.Scored[0].Reward; n.Scored[0].Signals != nil && n.Scored[0].Signals.Solved != nil {
			out[n.Sample] = *n.Scored[0].Signals.Solved
		}
	}
	return out
}

// passRate counts the right answers of an episode of a single agent, or of the episodes of a team in a program: those that agree with the truth, and programs that pass all tests.
func passRate(e *rollout.Episode, played int) task.PassRate {
	var shares []float64
	if played > 0 {
		shares = whole(e, played)
	} else {
		shares = measure.SharesSolved(e)
	}
	rate := task.PassRate{ID: e.Problem.ID, Samples: len(shares)}
	for _, share := range shares {
		if tie.Equal(share, 1, 1) {
			rate.Right++
		}
	}
	return rate
}

// Keep leaves those of a lineup's problems whose pass rates lie within the recipe's bounds.
func (all Rates) Keep(s lineup.Lineup, note func(string)) error {
	var err error
	if s.Training.Problems, err = between(s, trainingPortion, s.Training.Problems, all.training, note); err != nil {
		return err
	}
	if p := s.Recipe.Team.Proposals; p.Each > 0 && all.proposals != nil {
		if s.Training.Problems, err = rows(s.Training.Problems, all.proposals, p.MostRight, note); err != nil {
			return err
		}
	}
	s.HeldOut, err = between(s, heldOutPortion, s.HeldOut, all.heldOut, note)
	return err
}

// between chooses from a portion; without rates it keeps all problems.
func between(s lineup.Lineup, p portion, problems []task.Problem, rates []task.PassRate, note func(string)) ([]task.Problem, error) {
	if rates == nil {
		return problems, nil
	}
	f := s.Recipe.Task.Filter
	kept, theirs := task.Between(problems, rates, f.MinPassRate, f.MaxPassRate)
	account := fmt.Sprintf("the untrained model solves %d of %d %s problems at a rate from %g to %g (%d answers each; %.3f on average over all)",
		len(kept), len(rates), p.name, f.MinPassRate, f.MaxPassRate, f.Samples, task.MeanShare(rates))
	if len(kept) == 0 {
		return nil, usererror.Errorf("%s: none is left; widen task.filter", account)
	}
	note(fmt.Sprintf("%s; these are kept, %.3f on average", account, task.MeanShare(theirs)))
	return kept, nil
}
