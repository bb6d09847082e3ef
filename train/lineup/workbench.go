package lineup

import (
	"context"
	"errors"
	"io"
	"time"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/verifier"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
	"parley/train/plan"
)

// A Workbench is what a verifier is made and used with: the base of one agent of a recipe, loaded, and the recipe's task.
type Workbench struct {
	Recipe *recipe.Recipe // for this base alone, with the prompts written out
	Base   *verifier.Base
	Task   task.Task
	SHA256 string // of the base's files
	base   *Base
}

// OpenWorkbench loads the base of an agent of r, counted from 0, on an engine of a backend. The caller closes it.
func OpenWorkbench(ctx context.Context, r *recipe.Recipe, backend Backend, agent int) (*Workbench, error) {
	alone, err := aloneWith(r, agent)
	if err != nil {
		return nil, err
	}
	w := &Workbench{Recipe: plan.Dated(alone, time.Now())}
	if err := w.open(ctx, backend); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// aloneWith is r with the base of one agent for all, and with its prompts written out.
func aloneWith(r *recipe.Recipe, agent int) (*recipe.Recipe, error) {
	alone := *r
	p := plan.Prompts(r)
	alone.Model, alone.Models = r.Bases()[agent], nil
	alone.Team.Prompts.First, alone.Team.Prompts.Later = p.First, p.Later
	return r.Language().Parse(alone.Name, alone.YAML(), nil)
}

func (w *Workbench) open(ctx context.Context, backend Backend) error {
	var err error
	if w.Task, err = plan.OpenTask(ctx, w.Recipe, w.Recipe.Task, true); err != nil {
		return err
	}
	answerer, ok := w.Task.(task.Answerer)
	if !ok {
		return &usererror.Error{Err: errors.New("answers of task " + w.Task.Name() + " cannot be compared with a truth: a verifier cannot learn from them")}
	}
	if w.base, err = openModel(w.Recipe.Model, true); err != nil {
		return err
	}
	if err := w.base.follow(w.Recipe); err != nil {
		return err
	}
	if w.SHA256, err = w.base.Model.Hash(); err != nil {
		return err
	}
	if err := w.base.load(ctx, backend, plan.EngineOptions(w.Recipe.Engine)); err != nil {
		return err
	}
	w.Base, err = verifierBase(w.base, plan.Prompts(w.Recipe), w.Recipe, answerer)
	return err
}

// verifierBase is a base as verifiers use it.
func verifierBase(b *Base, p team.Prompts, r *recipe.Recipe, answerer task.Answerer) (*verifier.Base, error) {
	ask, err := asked(p)
	if err != nil {
		return nil, err
	}
	p.Examples = nil
	read, err := asked(p)
	if err != nil {
		return nil, err
	}
	out := &verifier.Base{
		Engine: b.Asked, Codec: b.Model, Context: b.Context, Never: b.Model.Unused(), Ask: ask, Read: read,
		Answer: func(p task.Problem, text string) (string, bool) { return task.AnswerTo(answerer, p, text) },
		Boxed:  r.Team.NormalizeVisible,
	}
	if b.stops != nil {
		out.Watch = func(least int) verifier.Watcher { return b.stops.Watch(least) }
	}
	return out, nil
}

// asked returns what an agent is asked about a problem in turn 1.
func asked(p team.Prompts) (func(p task.Problem) ([]team.Message, error), error) {
	first, err := protocols.Single().Open(team.Settings{Turns: 1, Prompts: p})
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	return func(p task.Problem) ([]team.Message, error) {
		asks, err := first.Next(p, nil)
		if err != nil {
			return nil, err
		}
		return asks[0].Messages, nil
	}, nil
}

// Close gives the memory back.
func (w *Workbench) Close() error {
	var errs []error
	if w.base != nil {
		errs = append(errs, closeAll([]*Base{w.base}))
	}
	if c, ok := w.Task.(io.Closer); ok {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
