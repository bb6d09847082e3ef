package torch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"parley/engine"
	"parley/engine/torch/pipe"
)

// ForwardBackward implements [engine.Engine].
func (e *Engine) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	return e.ForwardBackwardSoft(ctx, data, nil, loss)
}

// ForwardBackwardSoft implements [engine.Distiller]. The loss sees all data at once. Workers keep the gradients of a call apart until all of them have
// theirs: only then are they added to what the policies have.
func (e *Engine) ForwardBackwardSoft(ctx context.Context, data []engine.Datum, targets [][][]engine.Target, loss engine.Loss) error {
	unlock, err := e.lock(ctx)
	if err != nil {
		return fmt.Errorf("forward-backward: %w", err)
	}
	defer unlock()
	compared := func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		if targets == nil {
			e.compare(data, outputs)
		}
		return loss(first, outputs)
	}
	err = e.backward(ctx, data, targets, compared)
	if err == nil && len(data) > 0 {
		_, err = e.all(context.WithoutCancel(ctx), pipe.Request{Op: "keep"})
	}
	if errors.Is(err, engine.ErrNotFinite) {
		err = errors.Join(err, e.clear(ctx, data))
	}
	if err != nil {
		return fmt.Errorf("forward-backward: %w", err)
	}
	e.count(func(c *engine.Computed) *int { return &c.Trained }, data)
	return nil
}

// clear forgets the gradients of all policies of data.
func (e *Engine) clear(ctx context.Context, data []engine.Datum) error {
	seen := map[engine.Policy]bool{}
	for i := range data {
		seen[data[i].Policy] = true
	}
	names := make([]engine.Policy, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	_, err := e.all(context.WithoutCancel(ctx), pipe.Request{Op: "clear", Fields: map[string]any{"policies": names}})
	return err
}

// backward computes the gradients of data, which then wait at the workers.
func (e *Engine) backward(ctx context.Context, data []engine.Datum, targets [][][]engine.Target, loss engine.Loss) error {
	shares, err := e.prepare(data, targets, true)
	if err != nil || len(data) == 0 {
		return err
	}
	outputs := make([]engine.Output, len(data))
	arrived, ready, end := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var gradients []engine.Gradient
	var failed error
	go func() {
		end <- engine.Together(ctx, len(shares), len(shares), func(ctx context.Context, w int) error {
			return e.backwardShare(ctx, e.workers[w], &shares[w], outputs, arrived, func(ctx context.Context) ([]engine.Gradient, error) {
				select {
				case <-ready:
					return gradients, failed
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
		})
	}()
	for range shares {
		select {
		case <-arrived:
		case err := <-end:
			return err
		}
	}
	if gradients, failed = loss(0, outputs); failed != nil {
		failed = fmt.Errorf("loss: %w", failed)
	} else {
		failed = checkGradients(data, outputs, gradients)
	}
	close(ready)
	return <-end
}

// backwardShare lets a worker compute its share: outputs first, then the gradients of parameters once there are those of all outputs.
func (e *Engine) backwardShare(ctx context.Context, w *pipe.Process, s *share, outputs []engine.Output, arrived chan<- struct{}, wait func(context.Context) ([]engine.Gradient, error)) error {
	asked := false
	q := s.request("forward_backward")
	q.During = func(a pipe.Answer, f *pipe.Frame, send func(map[string]any, ...pipe.Tensor) error) error {
		if !a.More || asked {
			return pipe.Lie("it says %.80q where it was asked for outputs and gradients", f.Head)
		}
		asked = true
		if err := s.read(f, outputs); err != nil {
			return err
		}
		select {
		case arrived <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		gradients, err := wait(ctx)
		if err != nil {
			return err
		}
		return send(map[string]any{"slopes": true}, s.slopes(gradients)...)
	}
	_, err := w.Call(ctx, q)
	if err == nil && !asked {
		err = w.Fail(q.Op, errors.New("it has gradients of parameters before it has those of outputs"))
	}
	return err
}

// checkGradients compares what a loss returned with the outputs that it got.
func checkGradients(data []engine.Datum, outputs []engine.Output, gradients []engine.Gradient) error {
	if len(gradients) != len(outputs) {
		return fmt.Errorf("the loss returned %d gradients for %d outputs", len(gradients), len(outputs))
	}
	for i, g := range gradients {
		out := &outputs[i]
		if g.Logprobs != nil && len(g.Logprobs) != len(out.Logprobs) || g.Values != nil && len(g.Values) != len(out.Values) {
			return fmt.Errorf("datum %d of policy %q: the loss returned gradients of %d log-probabilities and %d values; there are %d and %d",
				i, data[i].Policy, len(g.Logprobs), len(g.Values), len(out.Logprobs), len(out.Values))
		}
		what := fmt.Sprintf("datum %d of policy %q: the gradient of its output", i, data[i].Policy)
		if err := errors.Join(finite(what, g.Logprobs), finite(what, g.Values)); err != nil {
			return err
		}
	}
	return nil
}

// GradientOf implements [engine.Differentiator].
func (e *Engine) GradientOf(ctx context.Context, data []engine.Datum, loss engine.Loss) ([]float64, error) {
	unlock, err := e.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("gradient: %w", err)
	}
	defer unlock()
	out, err := e.gradientOf(ctx, data, loss)
	if err != nil {
		return nil, fmt.Errorf("gradient: %w", err)
	}
	return out, nil
}

func (e *Engine) gradientOf(ctx context.Context, data []engine.Datum, loss engine.Loss) ([]float64, error) {
	for i := range data {
		if data[i].Policy != data[0].Policy {
			return nil, fmt.Errorf("the data are of policies %q and %q, expected one", data[0].Policy, data[i].Policy)
		}
	}
	if len(data) == 0 {
		return nil, errors.New("there are no data")
	}
	p, err := e.trained(data[0].Policy)
	if err != nil {
		return nil, err
	}
	if err := e.backward(ctx, data, nil, loss); err != nil {
		return nil, err
	}
	n := 0
	for _, q := range p.params[:len(p.params)-p.values] {
		n += q.size()
	}
	sum, err := e.sum(ctx, pipe.Request{Op: "take"}, n)
	out := make([]float64, len(sum))
	for i, g := range sum {
		out[i] = float64(g)
	}
	return out, err
}

// sum adds up the gradients that workers have, in their order. A worker without data has none.
func (e *Engine) sum(ctx context.Context, q pipe.Request, n int) ([]float32, error) {
	frames, err := e.all(context.WithoutCancel(ctx), q)
	if err != nil {
		return nil, err
	}
	total := make([]float32, n)
	for w, f := range frames {
		if f.Len("gradients") == 0 && w > 0 {
			continue
		}
		part, err := f.Floats("gradients", n)
		if err != nil {
			return nil, e.workers[w].Believe(q.Op, err)
		}
		for i, g := range part {
			total[i] += g
		}
	}
	return total, nil
}

// Step implements [engine.Engine]. Several workers take the step with the sum of their gradients, each for itself, to the same end.
func (e *Engine) Step(ctx context.Context, name engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	unlock, err := e.lock(ctx)
	if err != nil {
		return engine.StepInfo{}, fmt.Errorf("step of policy %q: %w", name, err)
	}
	defer unlock()
	info, err := e.step(context.WithoutCancel(ctx), name, opt)
	if err != nil {
		return engine.StepInfo{}, fmt.Errorf("step of policy %q: %w", name, err)
	}
	return info, nil
}

func (e *Engine) step(ctx context.Context, name engine.Policy, opt engine.Adam) (info engine.StepInfo, err error) {
	p, err := e.trained(name)
	if err != nil {
		return info, err
	}
	if err := opt.Check(); err != nil {
		return info, err
	}
	q := pipe.Request{Op: "step", Fields: map[string]any{
		"policy": name, "lr": opt.LR, "beta1": opt.Beta1, "beta2": opt.Beta2, "eps": opt.Eps, "weight_decay": opt.WeightDecay, "clip_norm": opt.ClipNorm,
	}}
	if len(e.workers) > 1 {
		n := 0
		for _, q := range p.params {
			n += q.size()
		}
		sum, err := e.sum(ctx, pipe.Request{Op: "gradients", Fields: map[string]any{"policy": name}}, n)
		if err != nil {
			return info, err
		}
		q.Tensors = []pipe.Tensor{pipe.Floats("gradients", sum)}
	}
	frames, err := e.all(ctx, q)
	if err != nil {
		return info, err
	}
	var a struct {
		GradNorm   float64 `json:"grad_norm"`
		UpdateNorm float64 `json:"update_norm"`
		ParamNorm  float64 `json:"param_norm"`
	}
	if err := json.Unmarshal(frames[0].Head, &a); err != nil {
		return info, e.workers[0].Fail("step", err)
	}
	if x := a.GradNorm + a.UpdateNorm + a.ParamNorm; math.IsNaN(x) || math.IsInf(x, 0) {
		return info, e.workers[0].Fail("step", fmt.Errorf("norms of %g, %g and %g", a.GradNorm, a.UpdateNorm, a.ParamNorm))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap.Version[name]++
	return engine.StepInfo(a), nil
}

// checkAdam reports settings under which a step could leave parameters that are no numbers.
