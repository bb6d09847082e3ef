package servecmd

// This file lets several teams of a server use one engine over one base. The base is in memory once, and one step draws a token of each
// request, of all teams.
//
// A team that opens a base gets a [View] of it with names of policies of its own: two teams may both have a policy1. Views sample, score and load
// policies; they train nothing.

import (
	"context"
	"errors"
	"sync"

	"parley/rl/rollout/gather"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
)

// A Backend opens embedded engines, one for each base. Its zero value is ready.
type Backend struct {
	native.Backend

	mu    sync.Mutex
	bases map[key]*base
	views int // opened so far
}

// A key is what two who share an engine have to agree on.
type key struct {
	place   string
	format  engine.Format
	kernels string
}

// A base is an engine and those who use it.
type base struct {
	*native.Engine
	batcher *gather.Batcher
	users   int
}

// Open puts a model on an engine, or finds the one that has it (train.Backend). The model of who came first must stay open as long as anybody uses it: close
// views in the reverse order.
func (b *Backend) Open(_ context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	v, err := b.view(m, o)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// view is [Backend.Open] with all that a view can do.
func (b *Backend) view(m *model.Model, o engine.Options) (*view, error) {
	kernels, _ := b.Kernels(o)
	k := key{model.Place(m.Name), o.Format, kernels}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bases[k] == nil {
		o.ScoreAsSampled = true // one that scores otherwise could not be shared with teams
		o.Lexicon = m.Lexicon
		e, err := native.Open(m.Source, o)
		if err != nil {
			return nil, err
		}
		if b.bases == nil {
			b.bases = map[key]*base{}
		}
		b.bases[k] = &base{Engine: e, batcher: gather.NewBatcher(e)}
	}
	at := b.bases[k]
	at.users++
	b.views++
	return &view{base: at, number: b.views, leave: sync.OnceValue(func() error { return b.leave(k) })}, nil
}

// leave closes an engine whose last user goes.
func (b *Backend) leave(k key) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.bases[k]
	if at.users--; at.users > 0 {
		return nil
	}
	delete(b.bases, k)
	return at.Close()
}

// errTrains says what views are not for.
var errTrains = errors.New("the engine is shared: it trains nothing")
