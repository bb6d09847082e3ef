package timeline

import (
	"context"
	"errors"

	"parley/engine"
)

// An Engine records the calls in which an engine computes. It has the abilities that the engine has ([engine.As]).
type Engine struct {
	engine.Engine
	timeline *Timeline // nil: nobody watches
	speaks   bool      // it samples what agents say, which moves the timeline to sampling
}

// Asked returns the engine that scorers ask about answers of agents. Its calls are recorded once [Timeline.Watch] was called with
// it.
func Asked(e engine.Engine) *Engine { return &Engine{Engine: e} }

// Unwrap implements [engine.Wrapper].
func (e *Engine) Unwrap() engine.Engine { return e.Engine }

// Watch records the calls of an engine from now on.
func (t *Timeline) Watch(e *Engine) { e.timeline = t }

// Sample implements [engine.Engine].
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) (out []engine.Sample, err error) {
	e.sampling()
	e.measure("sample", func() { out, err = e.Engine.Sample(ctx, reqs) })
	return out, err
}

// Stream implements [engine.Streamer].
func (e *Engine) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) (out []engine.Sample, err error) {
	e.sampling()
	err = within(e, "sample", func(s engine.Streamer) (err error) {
		out, err = s.Stream(ctx, reqs, each)
		return err
	})
	return out, err
}

// SampleArriving implements [engine.Continuous].
func (e *Engine) SampleArriving(ctx context.Context, arrive func() []engine.Arrival) error {
	e.sampling()
	return within(e, "sample", func(c engine.Continuous) error { return c.SampleArriving(ctx, arrive) })
}

// Forward implements [engine.Engine].
func (e *Engine) Forward(ctx context.Context, data []engine.Datum) (out []engine.Output, err error) {
	e.measure("forward", func() { out, err = e.Engine.Forward(ctx, data) })
	return out, err
}

// ForwardBackward implements [engine.Engine].
func (e *Engine) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	return e.train(data, loss, func(counted engine.Loss) error { return e.Engine.ForwardBackward(ctx, data, counted) })
}

// ForwardSoft implements [engine.Distiller].
func (e *Engine) ForwardSoft(ctx context.Context, data []engine.Datum, targets [][][]engine.Target) (out []engine.Output, err error) {
	err = within(e, "forward", func(d engine.Distiller) (err error) {
		out, err = d.ForwardSoft(ctx, data, targets)
		return err
	})
	return out, err
}

// ForwardBackwardSoft implements [engine.Distiller].
func (e *Engine) ForwardBackwardSoft(ctx context.Context, data []engine.Datum, targets [][][]engine.Target, loss engine.Loss) error {
	d, can := engine.As[engine.Distiller](e.Engine)
	if !can {
		return errors.ErrUnsupported
	}
	return e.train(data, loss, func(counted engine.Loss) error { return d.ForwardBackwardSoft(ctx, data, targets, counted) })
}

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

// GradientOf implements [engine.Differentiator].
func (e *Engine) GradientOf(ctx context.Context, data []engine.Datum, loss engine.Loss) (out []float64, err error) {
	err = within(e, "gradient of a role", func(whole engine.Differentiator) (err error) {
		out, err = whole.GradientOf(ctx, data, loss)
		return err
	})
	return out, err
}

// Step implements [engine.Engine].
func (e *Engine) Step(ctx context.Context, p engine.Policy, opt engine.Adam) (info engine.StepInfo, err error) {
	e.measure("step", func() { info, err = e.Engine.Step(ctx, p, opt) })
	return info, err
}

// Steps implements [engine.Stepper].
func (e *Engine) Steps(ctx context.Context, steps []engine.PolicyStep) (out []engine.StepInfo, err error) {
	err = within(e, "step", func(s engine.Stepper) (err error) {
		out, err = s.Steps(ctx, steps)
		return err
	})
	return out, err
}

// Divergence implements [engine.Diverger].
func (e *Engine) Divergence(ctx context.Context, data []engine.Datum) (out [][]float32, err error) {
	err = within(e, "divergence", func(whole engine.Diverger) (err error) {
		out, err = whole.Divergence(ctx, data)
		return err
	})
	return out, err
}

// within records a call of an ability. Callers came through [engine.As], so the engine has the ability.
func within[T any](e *Engine, call string, do func(T) error) (err error) {
	able, can := engine.As[T](e.Engine)
	if !can {
		return errors.ErrUnsupported
	}
	e.measure(call, func() { err = do(able) })
	return err
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
