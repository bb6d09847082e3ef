package train

import (
	"errors"
	"fmt"
	"path/filepath"

	"parley/engine/native"
	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/rollout"
	"parley/runs"
)

// A base is one frozen base model with the engine that holds it. Agents of one base share both.
type base struct {
	name   string // as the recipe has it
	agents []int  // who speaks with it, from 0
	model  *model.Model
	engine *native.Engine
	judge  *watchedEngine // the same for judges, see judging
	shape  []byte         // its config.json, where the model itself is not opened
}

// config is the shape of the base.
func (b *base) config() (native.Config, error) {
	text := b.shape
	if b.model != nil {
		text = b.model.Source.Config()
	}
	c, err := native.ParseConfig(text)
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
func (b *base) load(options native.Options) error {
	var err error
	b.engine, err = native.Open(b.model.Source, options)
	if err != nil {
		return usererror.Errorf("load model %s: %w", b.name, err)
	}
	return nil
}

// closeAll releases engines and weights.
func closeAll(bases []*base) error {
	var errs []error
	for _, b := range bases {
		if b.engine != nil {
			b.engine.Close()
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
