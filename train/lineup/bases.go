package lineup

import (
	"context"
	"errors"
	"fmt"
	"io"

	"parley/engine"
	"parley/internal/usererror"
	"parley/model"
	"parley/model/config"
	"parley/model/form/lexicon"
	"parley/recipe"
	"parley/rl/rollout"
	"parley/runs"
	"parley/train/cluster"
	"parley/train/plan"
	"parley/train/timeline"
)

// A Base is one frozen base model with the engine that holds it. Agents of one base share both.
type Base struct {
	Name    string // as the recipe has it
	Agents  []int  // who speaks with it, from 0
	Model   *model.Model
	Engine  engine.Engine
	Context int                     // most tokens of a sequence, once the engine is there
	stops   *model.Stops            // texts that end answers; nil: none
	own     map[string]*model.Stops // of agents, by name, that have other ones
	Asked   *timeline.Engine        // the engine as scorers ask it, about answers of agents
	shape   config.Config
	here    bool // on the embedded engine, whatever else the recipe has
}

// openModels opens the base of every agent, and behind them that of a comparator where there is one. Names that mean the same file or folder
// are one base, if they are on one engine. A comparator is on the recipe's server or worker where that has its base.
func openModels(r *recipe.Recipe) ([]*Base, error) {
	var bases []*Base
	type seat struct {
		place string
		here  bool
	}
	known := map[seat]*Base{}
	open := func(name string, here bool) (*Base, error) {
		place := seat{model.Place(name), here}
		if known[place] == nil {
			b, err := openModel(name, here)
			if err != nil {
				return nil, errors.Join(err, closeAll(bases))
			}
			b.here = here
			known[place] = b
			bases = append(bases, b)
		}
		return known[place], nil
	}
	for agent, name := range r.Bases() {
		b, err := open(name, plan.Embedded(r, agent))
		if err != nil {
			return nil, err
		}
		if plan.Agent(r, agent).Speaker() == "" {
			b.Agents = append(b.Agents, agent)
		}
	}
	if name := plan.Rival(r); name != "" {
		elsewhere := known[seat{model.Place(name), false}] != nil
		if _, err := open(name, !elsewhere); err != nil {
			return nil, err
		}
	}
	return bases, nil
}

// follow takes over what the recipe says of reading and writing: whether content may have control tokens, the date, and which texts end
// answers.
func (b *Base) follow(r *recipe.Recipe) error {
	b.Model.AllowControl, b.Model.Now = r.Team.Prompts.ControlTokens, plan.Day(r)
	var err error
	if b.stops, err = b.Model.Stops(r.Sampling.Stop); err != nil {
		return usererror.Errorf("sampling.stop, for model %s: %w", b.Name, err)
	}
	for _, agent := range b.Agents {
		a := plan.Agent(r, agent)
		if len(a.Sampling.Stop) == 0 {
			continue
		}
		stops, err := b.Model.Stops(a.Sampling.Stop)
		if err != nil {
			return usererror.Errorf("team.agents.%s.sampling.stop, for model %s: %w", a.Name, b.Name, err)
		}
		if b.own == nil {
			b.own = map[string]*model.Stops{}
		}
		b.own[a.Name] = stops
	}
	return nil
}

// watch returns who ends the answers of an agent of the base at texts; nil: nobody.
func (b *Base) watch(agent string) func(least int) rollout.Watcher {
	stops := b.stopsOf(agent)
	if stops == nil {
		return nil
	}
	return func(least int) rollout.Watcher { return stops.Watch(least) }
}

// stopsOf are the texts that end the answers of an agent of the base; nil: none do.
func (b *Base) stopsOf(agent string) *model.Stops {
	if own, has := b.own[agent]; has {
		return own
	}
	return b.stops
}

// openModel opens a model that the embedded engine is to compute, or another one.
func openModel(name string, here bool) (*Base, error) {
	open := model.OpenElsewhere
	if here {
		open = model.Open
	}
	m, err := open(name)
	if err != nil {
		return nil, usererror.Errorf("open model: %w", err)
	}
	c, err := plan.Shape(m.Source.Config(), here)
	if err != nil {
		return nil, errors.Join(usererror.Errorf("model %s: %w", name, err), m.Close())
	}
	return &Base{Name: name, Model: m, shape: c}, nil
}

// load puts the base on an engine of its own.
func (b *Base) load(ctx context.Context, backend Backend, options engine.Options) error {
	if b.here {
		backend = cluster.Here(backend)
	}
	e, err := backend.Open(ctx, b.Model, options)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("load model %s: %w", b.Name, err) // interrupted, which is nobody's mistake
		}
		return usererror.Errorf("load model %s: %w", b.Name, err)
	}
	b.Engine, b.Asked, b.Context = e, timeline.Asked(e), b.shape.Context
	if c, ok := engine.As[engine.Contexter](e); ok {
		b.Context = c.Context()
	}
	return nil
}

// never lists tokens that are not to be drawn. A server has no masks: it draws what no text is made of as often as the base was
// taught to, and it is scored the same way.
func (b *Base) never() [][2]int {
	if _, elsewhere := engine.As[engine.Remote](b.Engine); elsewhere && !cluster.Masks(b.Engine) {
		return nil
	}
	return b.Model.Unused()
}

// closeAll releases engines and weights.
func closeAll(bases []*Base) error {
	var errs []error
	for _, b := range bases {
		if c, ok := b.Engine.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
		errs = append(errs, b.Model.Close())
	}
	return errors.Join(errs...)
}

// DescribeBases is what a run records about its bases.
func (l Lineup) DescribeBases() ([]runs.Base, error) {
	var out []runs.Base
	policies := plan.Policies(l.Recipe, l.Sharing, l.Protocol.Turns())
	for i, b := range l.Bases {
		hash, err := b.Model.Hash()
		if err != nil {
			return nil, fmt.Errorf("hash model %s: %w", b.Name, err)
		}
		described := runs.Base{Name: b.Name, SHA256: hash}
		for _, agent := range b.Agents {
			described.Agents = append(described.Agents, agent+1)
		}
		for _, p := range policies {
			if p.Base == i {
				described.Policies = append(described.Policies, string(p.Name))
			}
		}
		out = append(out, described)
	}
	return out, nil
}

// SameBases refuses a base that is not the one that the run was started over. Runs that recorded none are trusted.
func (l Lineup) SameBases(recorded []runs.Base) error {
	now, err := l.DescribeBases()
	if err != nil {
		return err
	}
	for i, was := range recorded {
		if i >= len(now) || now[i].SHA256 != was.SHA256 {
			return usererror.Errorf("the base model %s is not the one that the run was started over (its files had the hash %.12s…): put that back, or start a new run", was.Name, was.SHA256)
		}
	}
	return nil
}

// openForms reads the schemas of the recipe, and refuses those that a base has no tokens for, or that answers are too short for.
func (l *Lineup) openForms() (err error) {
	if !l.Recipe.Forced() || l.purpose == toReplay { // what was drawn is on record
		return nil
	}
	if l.forms, err = plan.ReadForms(l.Recipe); err != nil {
		return err
	}
	known := map[*Base]*lexicon.Lexicon{}
	for agent := range l.Protocol.Agents() {
		if l.forms.Of(agent) == "" || l.speakerOf(agent) != nil {
			continue
		}
		b := l.BaseOf(agent)
		tokens, open := known[b]
		if !open {
			if tokens, err = b.Model.Lexicon(); err != nil {
				return usererror.Errorf("%s: %w", plan.FormKey(l.Recipe, agent), err)
			}
			known[b] = tokens
		}
		if err := l.forms.CheckForm(l.Recipe, agent, b.Name, tokens); err != nil {
			return err
		}
	}
	return nil
}
