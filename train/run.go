package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/recipe"
	"parley/runs"
	"parley/train/lineup"
	"parley/train/plan"
	"parley/train/progress"
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
	Observe func(Event) // called from one goroutine at a time; may be nil
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
	o.Observe(Event{Kind: Started, Dir: run.Dir(), Message: o.Recipe.Name})
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
