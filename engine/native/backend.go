package native

import (
	"context"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/model"
	"parley/model/config"
)

// Backend opens embedded engines for whoever works with any kind of engine (train.Backend). Its zero value is ready.
type Backend struct{}

// Open puts a model on an embedded engine, which takes seconds and is not interrupted; m must stay open as long as it is used.
func (Backend) Open(_ context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	if o.Lexicon == nil {
		o.Lexicon = m.Lexicon
	}
	e, err := Open(m.Source, o)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Estimator says what an embedded engine over a model of a shape would take.
func (Backend) Estimator(c config.Config, o engine.Options) engine.Estimator { return NewPlan(c, o) }

// Kernels names the kernel set that computes under these options, and says why it is slow where it is plain Go for want of another.
func (Backend) Kernels(o engine.Options) (name, slow string) {
	name = o.Kernels
	if name == "" {
		all := kernel.Available()
		name = all[len(all)-1]
	}
	return name, kernel.Slow(o.Kernels)
}
