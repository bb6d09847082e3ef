// Package train is the loop: a recipe becomes a run.
//
// [Run] opens what the recipe asks for, measures the untrained team on held-out problems, and then repeats one update after
// another: draw problems, let the team roll them out, credit every answer, take optimizer steps, write what happened, save a
// checkpoint. At the end it measures the trained team and the baselines at equal generated tokens, exports the adapters and
// writes the report.
//
//	run.go        options, results; open.go opens a run or goes on with one
//	runner.go     one run from its beginning to its report; measuring.go and single.go measure further systems
//	loop.go       one update after another, resumable at any moment; iteration.go says whose candidates preferences compare
//	experiment.go several runs by one word, and their table
//	evaluate.go   measuring without training
//
// The rooms below do the work: plan says what follows from a recipe alone, estimate what it needs, lineup opens it, score says what answers
// are worth, measure plays held-out problems, passrate chooses problems, report writes what people read, timeline records where time goes.
//
// A run is a function of its recipe and seed. Nothing depends on time, on the number of threads, or on whether the run was
// interrupted: metrics.jsonl of a run that was killed and resumed equals that of an unbroken one byte for byte.
package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/internal/service"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/train/lineup"
	"parley/train/plan"
	"parley/train/progress"
	"parley/train/record"
	"parley/train/together"
)

// Options say what to run.
type Options struct {
	Backend    lineup.Backend   // the engines to run on
	Recipe     *recipe.Recipe   // nil: that of the run to resume
	Language   *recipe.Language // of the recipes that runs recorded; nil: that of Recipe
	Dir        string           // run folder; empty: the default place
	Resume     bool             // Dir is a run that is to go on; of [Evaluate]: Kept is an evaluation that is to
	Kept       string           // of [Evaluate]: folder for what is finished, until all is; empty: nothing is kept
	MaxUpdates int              // stop training after so many updates; negative: the recipe's number
	Updates    int              // of a run that goes on: how many it is to have in the end; 0: as many as its recipe says
	Further    int              // the same, counted from those that it has done
	Version    string           // of parley, for the run's record
	// Moved says where files are now that the recipe of the run in Dir names: changes key=value.
	Moved []string
	// AcceptChanged goes on, or measures, though what decides the run's numbers is another now than it recorded.
	AcceptChanged bool
	// AcceptLoss goes on though something that the run has written is gone and cannot be made again.
	AcceptLoss bool
	// Trust goes on with a run, measures it or talks to it though it was made elsewhere and its recipe does things with the user's rights.
	Trust   bool
	Answers string      // of [Evaluate]: file for what every system answered to every held-out problem; empty: none
	Observe func(Event) // called from one goroutine at a time; may be nil

	of string // the folder of the experiment that the run is one of
}

// language is that of recorded recipes; nil: none is known.
func (o *Options) language() *recipe.Language {
	if o.Language == nil && o.Recipe != nil {
		return o.Recipe.Language()
	}
	return o.Language
}

// parse reads a recipe that was recorded.
func (o *Options) parse(file, text string) (*recipe.Recipe, error) {
	language := o.language()
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
	if err := o.heal(); err != nil {
		return nil, err
	}
	if err := cmp.Or(plan.Trains(o.Recipe, ""), plan.Taught(o.Recipe)); err != nil {
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
	o.Recipe = s.Recipe
	if err := run.Bound(o.MaxUpdates); err != nil {
		return nil, err
	}
	if s.Harness != nil {
		s.Harness.LogTo(record.HarnessLog{Dir: run.Dir()})
	}
	o.started(run)
	progress.Tell(o.Observe, slices.Concat(s.Notes(), s.TemplateNotes()))
	if err := run.Retry(); err != nil {
		return nil, err
	}
	r := &runner{options: o, recipe: o.Recipe, run: run, changes: run.Meta().Changes}
	news := progress.NewNewsroom(o.Observe, o.Recipe, r.updates())
	r.options.Observe, r.news = news.Event, news
	result, err := r.do(ctx, s)
	if err != nil && ctx.Err() != nil {
		saved := "the last finished update"
		if n := o.Recipe.Training.Checkpoint; n > 1 {
			saved = fmt.Sprintf("the last checkpoint (training.checkpoint: every %d updates)", n)
		}
		return nil, &interruption{err, fmt.Sprintf("everything up to %s is saved; go on with\n  %s", saved, runs.Again(run.Dir()))}
	}
	if err != nil {
		err = record.HarnessLog{Dir: run.Dir()}.Named(err)
		return nil, errors.Join(err, run.Fail(err))
	}
	return result, nil
}

// heal puts back run.json of a run that is to go on, where it is damaged.
func (o *Options) heal() error {
	if !o.Resume {
		return nil
	}
	note, err := runs.Heal(o.Dir)
	if note != "" {
		o.note(note)
	}
	return err
}

// byItself does a run whose algorithm plays by itself.
func (r *runner) byItself(ctx context.Context, l lineup.Lineup) (*Result, error) {
	j := together.Job{
		Lineup: l, Folder: r.run, Updates: r.updates(), AcceptLoss: r.options.AcceptLoss, Note: r.options.note, Report: r.newReport(l), Speakers: record.Speakers(r.recipe),
		Updated: func(m *Metrics, t *Timing) {
			r.options.Observe(Event{Kind: Updated, Phase: "team", Update: m.Update, Updates: r.updates(), Metrics: m, Timing: t})
		},
	}
	rep, text, err := together.Run(ctx, j)
	return &Result{Dir: j.Dir(), Report: rep, Text: text}, err
}

// ErrInterrupted is wrapped by the error of a run that was interrupted. Everything up to its last checkpoint is saved, and
// the error's text holds the command that resumes it.
var ErrInterrupted = errors.New("interrupted")

// An interruption is the error of what was interrupted: who was waited for then, as far as why says it, and what is kept.
type interruption struct {
	why  error
	kept string
}

func (e *interruption) Error() string {
	return ErrInterrupted.Error() + service.Waited(e.why) + ": " + e.kept
}

func (e *interruption) Unwrap() []error { return []error{ErrInterrupted, e.why} }

// A UserError is a mistake in what the user asked for; nothing was started.
type UserError = usererror.Error

// An Event is one piece of progress of a run: package news says what there is.
type (
	Event     = progress.Event
	EventKind = progress.EventKind
	Metrics   = progress.Metrics
	Timing    = progress.Timing
)

// What an event reports: see [progress.EventKind].
const (
	Started   = progress.Started
	Note      = progress.Note
	Warning   = progress.Warning
	Measuring = progress.Measuring
	Training  = progress.Training
	Measured  = progress.Measured
	Updated   = progress.Updated
	Working   = progress.Working
)

// started tells of the folder of a run, or of an experiment.
func (o *Options) started(run *runs.Run) {
	r := runner{options: *o, recipe: o.Recipe}
	o.Observe(Event{Kind: Started, Dir: run.Dir(), Of: o.of, Message: o.Recipe.Name, Updates: r.updates()})
}

// note passes a note on.
func (o *Options) note(message string) { o.Observe(Event{Kind: Note, Message: message}) }
