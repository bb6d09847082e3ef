package main

import (
	"errors"
	"fmt"
	"os"

	"parley/engine"
	"parley/engine/native"
	"parley/engine/native/kernel"
	"parley/internal/sysmem"
	"parley/model"
	"parley/model/config"
)

// modelInput is what the verbs take that read JSON lines for a model.
type modelInput struct {
	Model string `arg:"" help:"Name of a model, a folder in Hugging Face layout, or a .gguf file."`
	In    string `placeholder:"FILE" help:"Read JSON lines from FILE instead of stdin."`
}

// engineInput is what those verbs take that run a model.
type engineInput struct {
	modelInput
	Adapter string `placeholder:"DIR" help:"Load a PEFT adapter."`
	DType   string `name:"dtype" enum:"f32,bf16,int8,nf4" default:"f32" help:"Data type of the frozen base in memory: f32, bf16, int8 or nf4."`
}

// adapterPolicy is the policy that --adapter loads.
const adapterPolicy engine.Policy = "adapter"

// A loadedModel is a model on the embedded engine.
type loadedModel struct {
	model  *model.Model
	engine *native.Engine
	policy engine.Policy // the base without --adapter
}

// open loads the model and the adapter.
func (f *engineInput) open(a *app) (*loadedModel, error) {
	m, err := model.OpenIncomplete(f.Model)
	if err != nil {
		return nil, usagef("%v", err)
	}
	b, err := f.load(a, m)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return b, nil
}

func (f *engineInput) load(a *app, m *model.Model) (*loadedModel, error) {
	format, err := engine.ParseFormat(f.DType)
	if err != nil {
		return nil, usagef("--dtype: %v", err)
	}
	o := engine.Options{Kernels: os.Getenv("PARLEY_CPU"), Format: format, Available: sysmem.Available}
	if err := f.fits(m, o); err != nil {
		return nil, err
	}
	e, err := native.Open(m.Source, o)
	if err != nil {
		return nil, usagef("model %s: %v", f.Model, err)
	}
	a.noteSlow()
	b := &loadedModel{model: m, engine: e}
	if f.Adapter == "" {
		return b, nil
	}
	b.policy = adapterPolicy
	if err := e.Load(a.ctx, b.policy, f.Adapter); err != nil {
		e.Close()
		return nil, usagef("--adapter %s: %v", f.Adapter, err)
	}
	if err := a.noteBase(f.Adapter, f.Model); err != nil {
		e.Close()
		return nil, err
	}
	return b, nil
}

// fits refuses a model that is larger than the memory that is left. A configuration that cannot be read is for the engine to report.
func (f *engineInput) fits(m *model.Model, o engine.Options) error {
	c, err := config.Parse(m.Source.Config())
	if err != nil {
		return nil
	}
	need, left := native.NewPlan(c, o).Footprint(engine.Load{Length: 1, Tokens: 1, Frozen: true}, nil).Base, o.Available()
	if need <= left {
		return nil
	}
	hint := "hold it in less with --dtype bf16, int8 or nf4"
	if o.Format == engine.NF4 {
		hint = "choose a smaller one"
	}
	return usagef("model %s takes %s in %s, and %s are free: %s", f.Model, sysmem.Amount(need), o.Format, sysmem.Amount(left), hint)
}

func (b *loadedModel) close() error {
	b.engine.Close()
	return b.model.Close()
}

// checkIDs reports ids that the model cannot read.
func (b *loadedModel) checkIDs(ids []int) error {
	c := b.engine.Config()
	switch {
	case len(ids) == 0:
		return errors.New(`"ids" is empty; at least one token is needed`)
	case len(ids) > c.Context:
		return fmt.Errorf("%d ids do not fit the model's context of %d", len(ids), c.Context)
	}
	for i, id := range ids {
		if id < 0 || id >= c.Vocab {
			return fmt.Errorf("ids[%d] is %d; the vocabulary has %d tokens, from 0", i, id, c.Vocab)
		}
	}
	return nil
}

const linesHelp = "Reads JSON lines and writes one JSON line for each, in the same order. It stops at the first line that is wrong; the lines before it have been answered.\n\n"

// noteSlow says where plain Go computes.
func (a *app) noteSlow() {
	if why := kernel.Slow(os.Getenv("PARLEY_CPU")); why != "" {
		fmt.Fprintln(a.stderr, "note:", why)
	}
}
