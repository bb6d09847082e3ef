package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"parley/engine"
	"parley/internal/usererror"
	"parley/model"
	"parley/model/config"
	"parley/recipe"
	"parley/rollout"
	"parley/runs"
)

// A base is one frozen base model with the engine that holds it. Agents of one base share both.
type base struct {
	name   string // as the recipe has it
	agents []int  // who speaks with it, from 0
	model  *model.Model
	engine engine.Engine
	judge  *watchedEngine // the same for judges, see judging
	shape  []byte         // its config.json, where the model itself is not opened
	// context is the most tokens of a sequence, once the engine is there.
	context int
}

// config is the shape of the base.
func (b *base) config() (config.Config, error) {
	text := b.shape
	if b.model != nil {
		text = b.model.Source.Config()
	}
	c, err := config.Parse(text)
	if err != nil {
		return c, usererror.Errorf("model %s: %w", b.name, err)
	}
	return c, nil
}

// openModels opens the base of every agent, and behind them that of a rival where there is one. Names that mean the same file or
// folder are one base.
func openModels(r *recipe.Recipe) ([]*base, error) {
	var bases []*base
	known := map[string]*base{}
	open := func(name string) (*base, error) {
		place := whereIs(name)
		if known[place] == nil {
			m, err := model.Open(name)
			if err != nil {
				return nil, errors.Join(usererror.Errorf("open model: %w", err), closeAll(bases))
			}
			known[place] = &base{name: name, model: m}
			bases = append(bases, known[place])
		}
		return known[place], nil
	}
	for agent, name := range r.Bases() {
		b, err := open(name)
		if err != nil {
			return nil, err
		}
		b.agents = append(b.agents, agent)
	}
	if name := r.Rival(); name != "" {
		if _, err := open(name); err != nil {
			return nil, err
		}
	}
	return bases, nil
}

// whereIs is the same for all names of one model.
func whereIs(name string) string {
	path, err := model.Find(name)
	if name == model.Shipped || err != nil {
		return name
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return path
}

// load puts the base on an engine of its own.
func (b *base) load(ctx context.Context, backend Backend, options engine.Options) error {
	e, err := backend.Open(ctx, b.model, options)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("load model %s: %w", b.name, err) // interrupted, which is nobody's mistake
		}
		return usererror.Errorf("load model %s: %w", b.name, err)
	}
	b.engine = e
	if c, ok := e.(engine.Contexter); ok {
		b.context = c.Context()
		return nil
	}
	c, err := b.config()
	b.context = c.Context
	return err
}

// closeAll releases engines and weights.
func closeAll(bases []*base) error {
	var errs []error
	for _, b := range bases {
		if c, ok := b.engine.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
		errs = append(errs, b.model.Close())
	}
	return errors.Join(errs...)
}

// baseOf returns the base of an agent.
func (s *session) baseOf(agent int) *base { return s.bases[s.sharing.Bases[agent]] }

// codecs are those of the agents.
func (s *session) codecs() []rollout.Codec {
	out := make([]rollout.Codec, s.protocol.Agents())
	for agent := range out {
		out[agent] = s.baseOf(agent).model
	}
	return out
}

// describeBases is what a run records about its bases.
func (s *session) describeBases() ([]runs.Base, error) {
	var out []runs.Base
	for _, b := range s.bases {
		hash, err := b.model.Hash()
		if err != nil {
			return nil, fmt.Errorf("hash model %s: %w", b.name, err)
		}
		described := runs.Base{Name: b.name, SHA256: hash}
		for _, agent := range b.agents {
			described.Agents = append(described.Agents, agent+1)
		}
		for _, p := range s.policies() {
			if p.base == b {
				described.Policies = append(described.Policies, string(p.name))
			}
		}
		out = append(out, described)
	}
	return out, nil
}

// sameBases refuses a base that is not the one that the run was started over. Runs that recorded none are trusted.
func (s *session) sameBases(recorded []runs.Base) error {
	now, err := s.describeBases()
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
