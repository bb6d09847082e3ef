package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/sysmem"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/train/measure"
	"parley/train/report"
)

// Options say what to run.
type Options struct {
	Backend    Backend          // the engines to run on
	Recipe     *recipe.Recipe   // nil: that of the run to resume
	Language   *recipe.Language // of the recipes that runs recorded; nil: that of Recipe
	Dir        string           // run folder; empty: the default place
	Resume     bool             // Dir is a run that is to go on
	MaxUpdates int              // stop training after so many updates; negative: the recipe's number
	Version    string           // of parley, for the run's record
	Observe    func(Event)      // called from one goroutine at a time; may be nil
}

// parse reads a recipe that was recorded.
func (o *Options) parse(file, text string) (*recipe.Recipe, error) {
	language := o.Language
	if language == nil && o.Recipe != nil {
		language = o.Recipe.Language()
	}
	if language == nil {
		return nil, errors.New("no language to read it in: set train.Options.Language")
	}
	return language.Parse(file, []byte(text), nil)
}

// complete fills in what may be left out.
func (o *Options) complete() error {
	if o.Backend == nil {
		return errors.New("train: Options.Backend is nil: name the engines to run on, native.Backend{} for the embedded one")
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	return nil
}

// A Result is what a finished run leaves behind.
type Result struct {
	Dir    string
	Report runs.Report
	Text   string // what a user reads at the end
}

// Run trains what the recipe asks for and reports. A run that is interrupted returns an error that wraps [ErrInterrupted];
// everything up to its last checkpoint is saved, by default that of its last finished update.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if several, err := o.experiment(); several || err != nil {
		if err != nil {
			return nil, err
		}
		return runExperiment(ctx, o)
	}
	s, run, err := prepare(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	o.Observe(Event{Kind: Started, Dir: run.Dir(), Message: o.Recipe.Name})
	s.announce(o.Observe)
	s.warn(o.Observe)
	j := &job{options: o, recipe: o.Recipe, run: run}
	result, err := j.do(ctx, s)
	if err != nil && ctx.Err() != nil {
		saved := "the last finished update"
		if n := o.Recipe.Training.Checkpoint; n > 1 {
			saved = fmt.Sprintf("the last checkpoint (training.checkpoint: every %d updates)", n)
		}
		return nil, fmt.Errorf("%w: everything up to %s is saved; go on with\n  parley train --resume %s", ErrInterrupted, saved, run.Dir())
	}
	return result, err
}

// prepare opens the session and the run folder. A new folder is made only once everything that the recipe asks for is there.
func prepare(ctx context.Context, o *Options) (*session, *runs.Run, error) {
	if o.Resume {
		run, err := resume(o)
		if err != nil {
			return nil, nil, err
		}
		s, err := reopen(ctx, o.Recipe, run.Meta().Bases, o.Backend)
		if err != nil {
			return nil, nil, errors.Join(err, run.Close())
		}
		return s, run, nil
	}
	s, err := open(ctx, o.Recipe, o.Backend)
	if err != nil {
		return nil, nil, err
	}
	dir := o.Dir
	if dir == "" {
		dir = runs.FreeDir(runs.Root(), o.Recipe.Name, o.Recipe.Seed)
	}
	run, err := create(dir, s, o.Version)
	if err != nil {
		s.close()
		return nil, nil, err
	}
	return s, run, nil
}

// create makes the run folder of a session.
func create(dir string, s *session, version string) (*runs.Run, error) {
	meta, err := newMeta(s, version)
	if err != nil {
		return nil, err
	}
	return runs.Create(dir, meta)
}

// reopen opens the session of a run that exists, over the bases that it recorded.
func reopen(ctx context.Context, r *recipe.Recipe, recorded []runs.Base, backend Backend) (*session, error) {
	s, err := open(ctx, r, backend)
	if err != nil {
		return nil, err
	}
	if err := s.sameBases(recorded); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// resume opens the run to go on with and takes its recipe.
func resume(o *Options) (*runs.Run, error) {
	run, err := runs.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	recorded, err := o.parse(filepath.Join(o.Dir, "run.json"), run.Meta().Recipe)
	if err != nil {
		run.Close()
		var wrong *recipe.Errors
		if errors.As(err, &wrong) && wrong.Renamed() {
			return nil, fmt.Errorf("%s was started by an earlier release, whose recipes had other keys: finish it with that release, or start a new run\n%w", o.Dir, err)
		}
		return nil, fmt.Errorf("the recipe recorded in %s: %w", o.Dir, err)
	}
	if o.Recipe != nil {
		if line := firstDifference(run.Meta().Recipe, string(o.Recipe.YAML())); line != "" {
			run.Close()
			return nil, usererror.Errorf("the recipe changed since %s was started: %s; resume without a recipe, or start a new run", o.Dir, line)
		}
	}
	if now := kernelsInUse(recorded, o.Backend); now != run.Meta().Kernels {
		o.Observe(Event{Kind: Note, Message: fmt.Sprintf("this run was started with the %s kernels and goes on with %s: numbers may differ in the last digits", run.Meta().Kernels, now)})
	}
	o.Recipe = recorded
	return run, nil
}

// firstDifference describes the first line in which two texts differ; empty: none.
func firstDifference(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("it had %q, now %q", strings.TrimSpace(a[i]), strings.TrimSpace(b[i]))
		}
	}
	if len(a) != len(b) {
		return "it has another length"
	}
	return ""
}

// A job is one call of Run.
type job struct {
	options Options
	recipe  *recipe.Recipe
	run     *runs.Run
	report  runs.Report
	before  *measure.Measurement
	after   *measure.Measurement
	rates   rates

	baselines []*measure.Measurement
	alone     []*measure.Measurement // of policies that answer without history; empty: not asked for
	problems  []string               // ids of the held-out ones
	solo      *measure.Measurement   // of one model, its answers scored as the team's are; nil: none
	diagnosis *runs.Diagnosis        // of the team's training; nil: its algorithm has no groups
}

// do takes the session over and closes it.
func (j *job) do(ctx context.Context, s *session) (*Result, error) {
	closed := false
	closeSession := func() {
		if !closed {
			closed = true
			s.close()
		}
	}
	defer closeSession()
	if err := j.team(ctx, s); err != nil {
		return nil, err
	}
	if err := j.further(ctx, s.exam); err != nil {
		return nil, err
	}
	closeSession()
	if err := j.trainedSingle(ctx); err != nil {
		return nil, err
	}
	return j.finish()
}

// team measures the untrained team, trains it, exports its adapters and measures it again.
func (j *job) team(ctx context.Context, s *session) error {
	var err error
	if j.rates, err = s.passRates(ctx, j.run, j.options.Observe); err != nil {
		return err
	}
	if err := s.keep(j.rates, j.options.Observe); err != nil {
		return err
	}
	l, err := newLoop(ctx, s, j.run, "team", j.options.Observe)
	if err != nil {
		return err
	}
	if j.before, err = j.measure(ctx, "off-the-shelf", 0, func(ctx context.Context) (*measure.Measurement, error) {
		return s.exam.measureTeam(ctx, "off-the-shelf", false)
	}); err != nil {
		return err
	}
	if err := l.train(ctx, j.updates()); err != nil {
		return err
	}
	j.report = j.newReport(s.exam)
	j.report.Updates, j.report.GeneratedTokens = l.done, l.tokens
	j.report.PredictedMemory, j.report.PeakMemory = int64(s.predicted), sysmem.Peak()
	j.diagnosis = l.diagnosis()
	for _, p := range s.test {
		j.problems = append(j.problems, p.ID)
	}
	if j.report.TrainSeconds, err = trainSeconds(j.run.Dir()); err != nil {
		return err
	}
	if err := j.run.WriteDir("adapters", func(dir string) error { return s.save(context.WithoutCancel(ctx), dir, s.policies()) }); err != nil {
		return err
	}
	j.after, err = j.measure(ctx, "trained", l.done, func(ctx context.Context) (*measure.Measurement, error) {
		return s.exam.measureTeam(ctx, "trained", true)
	})
	s.tell(j.options.Observe)
	return err
}

// updates is how many updates this call trains up to.
func (j *job) updates() int {
	if n := j.options.MaxUpdates; n >= 0 {
		return min(n, j.recipe.Training.Updates)
	}
	return j.recipe.Training.Updates
}

func (s *session) metric() string {
	if s.recipe.Reward.Joint() {
		return "return"
	}
	return "accuracy"
}

// trainSeconds adds up the updates of a run, those before an interruption too.
func trainSeconds(dir string) (float64, error) {
	sum := 0.0
	err := runs.ReadLines(dir, "timing.jsonl", func(data []byte) error {
		var t Timing
		err := json.Unmarshal(data, &t)
		sum += t.Seconds
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("add up training time: %w", err)
	}
	return sum, nil
}

// newReport is the report of a session before anything is measured.
func (j *job) newReport(s *session) runs.Report {
	return runs.Report{Recipe: j.recipe.Name, Task: s.task.Name(), Metric: s.metric(), Problems: len(s.test), Seed: j.recipe.Seed}
}

// measure returns the measurement of a system after so many updates, from the run folder where an interrupted run has left
// it.
func (j *job) measure(ctx context.Context, system string, updates int, do func(context.Context) (*measure.Measurement, error)) (*measure.Measurement, error) {
	if m := j.recorded(system, updates); m != nil {
		return m, nil
	}
	j.options.Observe(Event{Kind: Measuring, System: system})
	m, err := do(ctx)
	if err != nil {
		return nil, err
	}
	j.options.Observe(Event{Kind: Measured, System: system, Score: m.Score()})
	if j.run == nil {
		return m, nil
	}
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return m, j.run.WriteFile(measurementFile(system, updates), data)
}

func measurementFile(system string, updates int) string {
	return fmt.Sprintf("evaluation/%s-%06d.json", system, updates)
}

// recorded returns a measurement that the run already holds; nil: none.
func (j *job) recorded(system string, updates int) *measure.Measurement {
	if j.run == nil {
		return nil
	}
	data, err := j.run.ReadFile(measurementFile(system, updates))
	var m measure.Measurement
	if err != nil || json.Unmarshal(data, &m) != nil || len(m.Tokens) == 0 {
		return nil
	}
	return &m
}

// untrainedSingles measures one untrained model at the team's budget of generated tokens: one long answer, and a vote over
// as many answers as the budget pays for.
func (j *job) untrainedSingles(ctx context.Context, s *session) error {
	if !slices.Contains(j.recipe.Eval.Baselines, "single") && !slices.Contains(j.recipe.Eval.Baselines, "majority-vote") {
		return nil
	}
	alone, err := s.alone(j.recipe, false)
	if err != nil {
		return err
	}
	return j.singles(ctx, s, alone, []string{"single", "majority-vote"}, 0)
}

// wants reports whether the recipe asks for a baseline.
func (j *job) wants(system string) bool { return slices.Contains(j.recipe.Eval.Baselines, system) }

// trainedSingle trains one agent on as many generated answers as the team gave, in a run inside the run, and measures its vote
// at the team's budget.
func (j *job) trainedSingle(ctx context.Context) error {
	if !j.wants("trained-single") {
		return nil
	}
	r, err := singleRecipe(j.recipe)
	if err != nil {
		return err
	}
	s, err := open(ctx, r, j.options.Backend)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.keep(j.rates, func(Event) {}); err != nil {
		return err
	}
	dir := filepath.Join(j.run.Dir(), "trained-single")
	run, err := runs.Open(dir)
	if errors.Is(err, os.ErrNotExist) {
		run, err = create(dir, s, j.options.Version)
	}
	if err != nil {
		return err
	}
	defer run.Close()
	l, err := newLoop(ctx, s, run, "single agent", j.options.Observe)
	if err != nil {
		return err
	}
	if err := l.train(ctx, j.updates()); err != nil {
		return err
	}
	alone, err := s.exam.alone(j.recipe, true)
	if err != nil {
		return err
	}
	return j.singles(ctx, s.exam, alone, []string{"", "trained-single"}, l.done)
}

// finish writes the report.
func (j *job) finish() (*Result, error) {
	if err := j.results(); err != nil {
		return nil, err
	}
	if err := j.diagnose(); err != nil {
		return nil, err
	}
	text := j.text()
	drawn, err := j.figures()
	if err != nil {
		return nil, err
	}
	if err := j.run.WriteReport(j.report, report.Illustrated(text, drawn), drawn); err != nil {
		return nil, err
	}
	return &Result{Dir: j.run.Dir(), Report: j.report, Text: text}, nil
}
