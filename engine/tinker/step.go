package tinker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
)

// A slope is a row with the gradient of a loss with respect to its log-probabilities. It waits for the step.
type slope struct {
	row
	scores    []float32 // of every place, from the forward pass
	gradients []float32 // of the places that are asked for
}

// ForwardBackward implements [engine.Engine]. The passes back go out with the step.
func (e *Engine) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	policies := map[engine.Policy]*policy{}
	for i := range data {
		if data[i].Policy == engine.Base {
			return fmt.Errorf("datum %d: the frozen base is not trained", i)
		}
		p, err := e.policy(data[i].Policy)
		if err != nil {
			return fmt.Errorf("datum %d: %w", i, err)
		}
		policies[p.name] = p
	}
	all, err := e.score(ctx, data)
	if err != nil {
		return err
	}
	outputs := make([]engine.Output, len(all))
	for i := range all {
		outputs[i] = all[i].output
	}
	if len(data) == 0 {
		return nil
	}
	gradients, err := loss(0, outputs)
	if err != nil {
		return fmt.Errorf("loss: %w", err)
	}
	if len(gradients) != len(data) {
		return fmt.Errorf("the loss returned %d gradients for %d outputs", len(gradients), len(data))
	}
	found := map[engine.Policy][]slope{}
	for i := range all {
		slopes, err := all[i].slopes(&gradients[i])
		if errors.Is(err, engine.ErrNotFinite) {
			for _, p := range policies {
				p.keep(nil)
			}
		}
		if err != nil {
			return fmt.Errorf("datum %d: %w", i, err)
		}
		found[data[i].Policy] = append(found[data[i].Policy], slopes...)
	}
	for name, slopes := range found {
		p := policies[name]
		p.order.Lock()
		p.waiting = append(p.waiting, slopes...)
		p.order.Unlock()
	}
	return nil
}

// keep replaces what waits for the step.
func (p *policy) keep(slopes []slope) {
	p.order.Lock()
	p.waiting = slopes
	p.order.Unlock()
}

// slopes are those of a datum's rows: dv = d(log p(a)) − d(log p(b)) for values.
func (s *scored) slopes(g *engine.Gradient) (out []slope, err error) {
	add := func(i int, gradients []float32, sign float32) {
		if slices.ContainsFunc(gradients, func(x float32) bool { return x != 0 }) {
			signed := make([]float32, len(gradients))
			for j, x := range gradients {
				signed[j] = sign * x
			}
			out = append(out, slope{s.rows[i], s.scores[i], signed})
		}
	}
	if g.Logprobs != nil && len(g.Logprobs) != len(s.output.Logprobs) || g.Values != nil && len(g.Values) != len(s.output.Values) {
		return nil, fmt.Errorf("a gradient of %d log-probabilities and %d values for %d and %d", len(g.Logprobs), len(g.Values), len(s.output.Logprobs), len(s.output.Values))
	}
	if err := errors.Join(finite(g.Logprobs), finite(g.Values)); err != nil {
		return nil, fmt.Errorf("the gradient of the loss: %w", err)
	}
	if g.Logprobs != nil {
		add(0, g.Logprobs, 1)
	}
	if g.Values != nil {
		add(len(s.rows)-2, g.Values, 1)
		add(len(s.rows)-1, g.Values, -1)
	}
	return out, nil
}

// datum is a slope as the server trains on it, one of so many since the last step.
func (e *Engine) datum(s *slope, data int) (wire.Datum, error) {
	scale := 1.0
	if e.profile.Mean {
		scale = float64(len(s.tokens) * data)
	}
	advantages := make([]float32, len(s.tokens))
	for i, at := range s.at {
		advantages[at] = float32(-float64(s.gradients[i]) * scale)
	}
	return wire.Datum{Tokens: s.tokens, Inputs: map[string]wire.Tensor{
		"target_tokens": wire.IntsOf(s.targets), "logprobs": wire.FloatsOf(s.scores), "advantages": wire.FloatsOf(advantages),
	}}, finite(advantages)
}

// Step implements [engine.Engine]: the passes of all that waits, and the step of the server's optimizer behind them.
func (e *Engine) Step(ctx context.Context, name engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	all, err := e.Steps(ctx, []engine.PolicyStep{{Policy: name, Adam: opt}})
	if err != nil {
		return engine.StepInfo{}, err
	}
	return all[0], nil
}

// A posted step is on its way.
type posted struct {
	to     *policy
	parts  [][]row
	passes []string // what the results go by
	last   string
	err    error // it was not posted
}

// Steps implements [engine.Stepper]: those of all policies are posted before any is awaited, so that a server computes them together.
func (e *Engine) Steps(ctx context.Context, steps []engine.PolicyStep) ([]engine.StepInfo, error) {
	all := make([]posted, len(steps))
	for i, s := range steps {
		p, err := e.policy(s.Policy)
		if err == nil && s.Adam.ClipNorm > 0 && !e.profile.Clips {
			err = unsupported("clipping gradients: the server does not")
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("step of policy %q: %w", s.Policy, err)
		}
		all[i].to = p
	}
	for i := range all {
		if all[i].err = e.postStep(context.WithoutCancel(ctx), &all[i], steps[i].Adam); all[i].err != nil {
			all = all[:i+1] // those behind are not begun
			break
		}
	}
	infos, errs := make([]engine.StepInfo, len(steps)), make([]error, len(steps))
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() {
			if infos[i], errs[i] = e.awaitStep(ctx, &all[i]); errs[i] != nil {
				errs[i] = fmt.Errorf("step of policy %q: %w", steps[i].Policy, errs[i])
			}
		})
	}
	wait.Wait()
	return infos, errors.Join(errs...)
}

// postStep sends all that waits for a step, and the step.
func (e *Engine) postStep(ctx context.Context, s *posted, opt engine.Adam) (err error) {
	s.to.order.Lock()
	defer s.to.order.Unlock()
	s.parts = partsOf(s.to.waiting)
	s.passes, s.last, err = e.submitStep(ctx, s.to, opt)
	return err
}

// awaitStep waits until a step is taken.
func (e *Engine) awaitStep(ctx context.Context, s *posted) (info engine.StepInfo, err error) {
	if s.err != nil {
		return info, s.err
	}
	s.to.now.drop()
	for i, part := range s.parts {
		if _, err := e.scores(ctx, s.passes[i], part); err != nil {
			return info, e.lost(s.to, err)
		}
	}
	a, err := e.c.Await(ctx, s.last, false, e.tryTraining)
	if err != nil {
		return info, e.lost(s.to, err)
	}
	reply, err := link.Result(a)
	if err != nil {
		return info, e.lost(s.to, err)
	}
	info.GradNorm, info.UpdateNorm = link.Metric(reply.Metrics, "grad_norm"), link.Metric(reply.Metrics, "update_norm")
	if math.IsNaN(info.GradNorm) || math.IsInf(info.GradNorm, 0) {
		return info, e.lost(s.to, fmt.Errorf("the norm of the gradient is %g: %w", info.GradNorm, engine.ErrNotFinite))
	}
	return info, nil
}

// lost marks a policy whose step failed on the server: it may have been taken or not.
func (e *Engine) lost(p *policy, err error) error {
	p.order.Lock()
	p.lose(err)
	p.order.Unlock()
	return err
}

// partsOf are the rows of slopes, cut as they are sent.
func partsOf(slopes []slope) [][]row {
	rows := make([]row, len(slopes))
	for i, s := range slopes {
		rows[i] = s.row
	}
	return parts(rows)
}

// submitStep sends the passes of all that waits, and the step, one behind the other. The caller holds p.order.
func (e *Engine) submitStep(ctx context.Context, p *policy, opt engine.Adam) (passes []string, last string, err error) {
	left := p.waiting
	for _, part := range partsOf(p.waiting) {
		id, err := e.submit(ctx, p, func(seq int) (link.Request, error) {
			return e.backwardOf(p.id, seq, left[:len(part)], len(p.waiting))
		})
		if err != nil {
			return nil, "", err
		}
		passes, left = append(passes, id), left[len(part):]
	}
	last, err = e.submit(ctx, p, func(seq int) (link.Request, error) {
		return link.Post("optim_step", wire.Step{
			Adam:  wire.Adam{LR: opt.LR, Beta1: opt.Beta1, Beta2: opt.Beta2, Eps: opt.Eps, WeightDecay: opt.WeightDecay, ClipNorm: opt.ClipNorm},
			Model: p.id, Seq: seq, Type: "optim_step",
		})
	})
	if err == nil {
		p.waiting = nil
	} else if len(passes) > 0 {
		p.lose(err)
	}
	return passes, last, err
}

// backwardOf asks for a pass forward and backward, of some of so many slopes.
func (e *Engine) backwardOf(model string, seq int, slopes []slope, data int) (link.Request, error) {
	p := wire.Pass{Model: model, Seq: seq}
	p.Loss, p.Config = e.profile.Loss()
	for i := range slopes {
		d, err := e.datum(&slopes[i], data)
		if err != nil {
			return link.Request{}, err
		}
		p.Data = append(p.Data, d)
	}
	return pass(&p), nil
}
