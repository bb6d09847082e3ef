package export

import (
	"context"
	"errors"
	"fmt"
	"io"

	"parley/engine"
	"parley/internal/sysmem"
	"parley/model"
	"parley/model/config"
	"parley/runs/verify"
)

// A Backend opens engines.
type Backend interface {
	// Open puts a model on an engine of its own.
	Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error)
	// Estimator says what an engine over a model of a shape would take, without opening one.
	Estimator(c config.Config, o engine.Options) engine.Estimator
}

// scores are log-probabilities of the answers of policies: of each answer's tokens.
type scores map[string][][]float32

// withEngine opens a model on an engine whose base has a format, and closes both.
func (x *Export) withEngine(ctx context.Context, name string, f engine.Format, use func(engine.Engine) error) error {
	m, err := model.OpenIncomplete(name)
	if err != nil {
		return err
	}
	o := x.Engine
	o.Format = f
	if err := x.fits(m, o); err != nil {
		return errors.Join(err, m.Close())
	}
	e, err := x.Backend.Open(ctx, m, o)
	if err != nil {
		return errors.Join(err, m.Close())
	}
	err = use(e)
	if c, ok := e.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return errors.Join(err, m.Close())
}

// fits refuses a model for which there is no memory.
func (x *Export) fits(m *model.Model, o engine.Options) error {
	c, err := config.Parse(m.Source.Config())
	if err != nil || o.Available == nil {
		return err
	}
	need := x.Backend.Estimator(c, o).Footprint(engine.Load{Length: 1, Tokens: 1, Frozen: true}, nil).Base
	if left := o.Available(); need > left {
		return fmt.Errorf("the model %s takes %s in %s, and %s are free", m.Name, sysmem.Amount(need), o.Format, sysmem.Amount(left))
	}
	return nil
}

// compared is the policy that an adapter is loaded as.
const compared engine.Policy = "compared"

// scoreAdapter scores answers under an adapter. A later one takes its place.
func scoreAdapter(ctx context.Context, e engine.Engine, dir string, answers []verify.Answer) ([][]float32, error) {
	if err := e.Load(ctx, compared, dir); err != nil {
		return nil, err
	}
	return score(ctx, e, compared, answers)
}

// score returns the log-probabilities of the tokens of answers.
func score(ctx context.Context, e engine.Engine, p engine.Policy, answers []verify.Answer) ([][]float32, error) {
	data := make([]engine.Datum, len(answers))
	for i, a := range answers {
		tokens := append(a.Prompt[:len(a.Prompt):len(a.Prompt)], a.Tokens...)
		data[i] = engine.Datum{Policy: p, Tokens: tokens, ScoreFrom: len(a.Prompt)}
	}
	outputs, err := e.Forward(ctx, data)
	if err != nil {
		return nil, err
	}
	logprobs := make([][]float32, len(outputs))
	for i, o := range outputs {
		logprobs[i] = o.Logprobs
	}
	return logprobs, nil
}
