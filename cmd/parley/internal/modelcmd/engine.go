package modelcmd

import (
	"errors"
	"fmt"
	"io"
	"os"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/engine/native"
	"parley/internal/sysmem"
	"parley/model"
	"parley/model/config"
	"parley/model/shipped"
)

// ModelInput is what the verbs take that read JSON lines for a model.
type ModelInput struct {
	Model string `arg:"" help:"Name of a model, a folder in Hugging Face layout, or a .gguf file."`
	In    string `placeholder:"FILE" help:"Read JSON lines from FILE instead of stdin."`
}

// EngineInput is what those verbs take that run a model.
type EngineInput struct {
	ModelInput
	Adapter string `placeholder:"DIR" help:"Load a PEFT adapter."`
	DType   string `name:"dtype" enum:"f32,bf16,int8,nf4" default:"f32" help:"Data type of the frozen base in memory: f32, bf16, int8 or nf4."`
	// ScoreAsSampled is the engine's option, for those who train with it.
	ScoreAsSampled bool `kong:"-"`
}

// adapterPolicy is the policy that --adapter loads.
const adapterPolicy engine.Policy = "adapter"

// A Loaded is a model on the embedded engine.
type Loaded struct {
	Model  *model.Model
	Engine *native.Engine
	Policy engine.Policy // the base without --adapter
}

// open loads the model and the adapter.
func (f *EngineInput) open(a *cli.App) (*Loaded, error) {
	m, err := model.OpenIncomplete(f.Model)
	if err != nil {
		return nil, cli.Usagef("%v", err)
	}
	b, err := f.Load(a, m)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return b, nil
}

// over opens the input and the model, and hands both out.
func (f *EngineInput) over(a *cli.App, use func(input io.Reader, b *Loaded) error) error {
	input, err := a.OpenInput(f.In)
	if err != nil {
		return err
	}
	defer input.Close()
	b, err := f.open(a)
	if err != nil {
		return err
	}
	defer b.Close()
	return use(input, b)
}

// OpenSpeaker opens a model for verbs that also take runs and recipes, and have found none of that name.
func OpenSpeaker(name string) (*model.Model, error) {
	m, err := model.Open(name)
	var none *model.NotFoundError
	switch {
	case errors.As(err, &none):
		models := shipped.Names()
		for _, c := range model.Cached() {
			models = append(models, c.Name)
		}
		return nil, cli.UnknownSpeaker(name, models, none.Pull())
	case err != nil:
		return nil, cli.Usagef("%v", err)
	}
	return m, nil
}

// Options are those of an engine for the model m, for which there has to be enough memory.
func (f *EngineInput) Options(m *model.Model) (engine.Options, error) {
	format, err := engine.ParseFormat(f.DType)
	if err != nil {
		return engine.Options{}, cli.Usagef("--dtype: %v", err)
	}
	o := engine.Options{Kernels: os.Getenv("PARLEY_CPU"), Format: format, Available: sysmem.Available, ScoreAsSampled: f.ScoreAsSampled}
	return o, f.fits(m, o)
}

// Load puts the model m, with the adapter where there is one, on an engine.
func (f *EngineInput) Load(a *cli.App, m *model.Model) (*Loaded, error) {
	o, err := f.Options(m)
	if err != nil {
		return nil, err
	}
	e, err := native.Open(m.Source, o)
	if err != nil {
		return nil, cli.Usagef("model %s: %v", f.Model, err)
	}
	a.NoteSlow()
	for _, note := range m.Notes() {
		a.Sayf("note: model %s: %s\n", f.Model, note)
	}
	b := &Loaded{Model: m, Engine: e}
	if f.Adapter == "" {
		return b, nil
	}
	b.Policy = adapterPolicy
	if wholeModel(f.Adapter) {
		e.Close()
		return nil, cli.Usagef("--adapter %s: the folder is a whole model and no adapter: name it as the model, if it has a tokenizer; `parley run export RUN --merged` writes a policy of policies.full with one", f.Adapter)
	}
	if err := e.Load(a.Ctx, b.Policy, f.Adapter); err != nil {
		e.Close()
		return nil, cli.Usagef("--adapter %s: %v", f.Adapter, err)
	}
	if err := noteBase(a, f.Adapter, f.Model); err != nil {
		e.Close()
		return nil, err
	}
	return b, nil
}

// fits refuses a model that is larger than the memory that is left. A configuration that cannot be read is for the engine to report.
func (f *EngineInput) fits(m *model.Model, o engine.Options) error {
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
	return cli.Usagef("model %s takes %s in %s, and %s are free: %s", f.Model, sysmem.Amount(need), o.Format, sysmem.Amount(left), hint)
}

func (b *Loaded) Close() error {
	b.Engine.Close()
	return b.Model.Close()
}

// checkIDs reports ids that the model cannot read.
func (b *Loaded) checkIDs(ids []int) error {
	c := b.Engine.Config()
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
