package timeline

import (
	"context"
	"errors"

	"parley/engine"
	"parley/learn/ppo"
)

// An Engine records the calls in which an engine computes.
type Engine struct {
	engine.Engine
	timeline *Timeline // nil: nobody watches
	speaks   bool      // it samples what agents say, which moves the timeline to sampling
}

// Asked returns an engine as scorers ask it, about answers of agents. [Timeline.Watch] records its calls; until then nobody watches.
func Asked(e engine.Engine) *Engine { return &Engine{Engine: e} }

// Watch records the calls of an engine from now on.
func (t *Timeline) Watch(e *Engine) { e.timeline = t }

// Sample implements [engine.Engine].
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) (out []engine.Sample, err error) {
	e.sampling()
	e.measure("sample", func() { out, err = e.Engine.Sample(ctx, reqs) })
	return out, err
}

// Stream implements [engine.Streamer]; nobody hears of the tokens of an engine that is none.
func (e *Engine) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) (out []engine.Sample, err error) {
	s, ok := e.Engine.(engine.Streamer)
	if !ok {
		return e.Sample(ctx, reqs)
	}
	e.sampling()
	e.measure("sample", func() { out, err = s.Stream(ctx, reqs, each) })
	return out, err
}

// Slots implements [engine.Server] where the engine does.
func (e *Engine) Slots() int { return engine.SlotsOf(e.Engine) }

// Forward implements [engine.Engine].
func (e *Engine) Forward(ctx context.Context, data []engine.Datum) (out []engine.Output, err error) {
	e.measure("forward", func() { out, err = e.Engine.Forward(ctx, data) })
	return out, err
}

// ForwardBackward implements [engine.Engine].
func (e *Engine) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	return e.train(data, loss, func(counted engine.Loss) error { return e.Engine.ForwardBackward(ctx, data, counted) })
}

// ForwardSoft implements [engine.Distiller] where the engine does.
func (e *Engine) ForwardSoft(ctx context.Context, data []engine.Datum, targets [][][]engine.Target) (out []engine.Output, err error) {
	d, can := e.Engine.(engine.Distiller)
	if !can {
		return nil, errHardOnly
	}
	e.measure("forward", func() { out, err = d.ForwardSoft(ctx, data, targets) })
	return out, err
}

// ForwardBackwardSoft implements [engine.Distiller] where the engine does.
func (e *Engine) ForwardBackwardSoft(ctx context.Context, data []engine.Datum, targets [][][]engine.Target, loss engine.Loss) error {
	d, can := e.Engine.(engine.Distiller)
	if !can {
		return errHardOnly
	}
	return e.train(data, loss, func(counted engine.Loss) error { return d.ForwardBackwardSoft(ctx, data, targets, counted) })
}

var errHardOnly = errors.New("the engine trains towards single tokens alone: soft targets need one that implements engine.Distiller, such as the embedded one")

// train records a call of training.
func (e *Engine) train(data []engine.Datum, loss engine.Loss, do func(engine.Loss) error) (err error) {
	split := false // an engine asks for the loss of each pass; that of another policy is one of its own in any case
	counted := func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		split = split || first > 0 && data[first].Policy == data[first-1].Policy
		if e.timeline != nil && e.timeline.Learned != nil {
			e.timeline.Learned(first+len(outputs), len(data))
		}
		return loss(first, outputs)
	}
	e.measure("forward-backward", func() { err = do(counted) })
	if split && e.timeline != nil {
		e.timeline.split()
	}
	return err
}

// GradientOf implements [engine.Differentiator] where the engine does.
func (e *Engine) GradientOf(ctx context.Context, data []engine.Datum, loss engine.Loss) (out []float64, err error) {
	if whole, ok := e.Engine.(engine.Differentiator); ok {
		e.measure("gradient of a role", func() { out, err = whole.GradientOf(ctx, data, loss) })
	}
	return out, err
}

// Agreement implements [engine.Remote] where the engine does; another one agrees with itself bit for bit.
func (e *Engine) Agreement() float64 {
	if elsewhere, ok := e.Engine.(engine.Remote); ok {
		return elsewhere.Agreement()
	}
	return 0
}

// Step implements [engine.Engine].
func (e *Engine) Step(ctx context.Context, p engine.Policy, opt engine.Adam) (info engine.StepInfo, err error) {
	e.measure("step", func() { info, err = e.Engine.Step(ctx, p, opt) })
	return info, err
}

// Steps implements [engine.Stepper] where the engine does; of another one they are taken one after the other.
func (e *Engine) Steps(ctx context.Context, steps []engine.PolicyStep) (out []engine.StepInfo, err error) {
	s, can := e.Engine.(engine.Stepper)
	if !can {
		return engine.Steps(ctx, struct{ engine.Engine }{e}, steps)
	}
	e.measure("step", func() { out, err = s.Steps(ctx, steps) })
	return out, err
}

// Divergence implements [engine.Diverger] where the engine does.
func (e *Engine) Divergence(ctx context.Context, data []engine.Datum) (out [][]float32, err error) {
	whole, ok := e.Engine.(engine.Diverger)
	if !ok {
		return nil, ppo.ErrSampledOnly
	}
	e.measure("divergence", func() { out, err = whole.Divergence(ctx, data) })
	return out, err
}

func (e *Engine) sampling() {
	if e.speaks {
		e.timeline.Enter(Sample)
	}
}

func (e *Engine) measure(call string, f func()) {
	if e.timeline == nil {
		f()
		return
	}
	e.timeline.Measure(call, "engine", Loop, f)
}
