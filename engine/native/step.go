package native

import (
	"context"
	"fmt"
	"math"

	"parley/engine"
	"parley/engine/native/kernel"
)

// adamPiece is how many parameters a thread takes at a time.
const adamPiece = 1 << 14

// Step updates a policy; see [engine.Engine]. The clipped gradient is g·min(1, ClipNorm/(norm+1e-6)).
func (e *Engine) Step(ctx context.Context, name engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	if err := ctx.Err(); err != nil {
		return engine.StepInfo{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	info, err := e.step(name, opt)
	if err != nil {
		return engine.StepInfo{}, fmt.Errorf("step of policy %q: %w", name, err)
	}
	return info, nil
}

func (e *Engine) step(name engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	p, err := e.policy(name)
	if err != nil {
		return engine.StepInfo{}, err
	}
	if len(p.params) == 0 {
		return engine.StepInfo{}, fmt.Errorf("the frozen base cannot be trained")
	}
	if err := checkAdam(opt); err != nil {
		return engine.StepInfo{}, err
	}
	defer p.clearGradients()
	norm, err := p.gradNorm(e.k)
	if err != nil {
		return engine.StepInfo{}, err
	}
	scale := 1.0
	if opt.ClipNorm > 0 {
		scale = min(1, opt.ClipNorm/(norm+1e-6))
	}
	p.step++
	t := float64(p.step)
	s := kernel.AdamStep{
		LR: float32(opt.LR), Beta1: float32(opt.Beta1), Beta2: float32(opt.Beta2), Eps: float32(opt.Eps),
		WeightDecay: float32(opt.WeightDecay), GradScale: float32(scale),
		Correction1: float32(1 - math.Pow(opt.Beta1, t)), Correction2: float32(1 - math.Pow(opt.Beta2, t)),
	}
	for _, q := range p.params {
		e.k.Run((len(q.w)+adamPiece-1)/adamPiece, func(i int) {
			lo, hi := i*adamPiece, min(len(q.w), (i+1)*adamPiece)
			e.k.AdamW(q.w[lo:hi], q.m[lo:hi], q.v[lo:hi], q.g[lo:hi], s)
		})
	}
	p.pack(e.k)
	e.text.forget(p) // its keys and values were those of the old parameters
	return engine.StepInfo{GradNorm: norm}, nil
}

// checkAdam reports settings under which a step could leave parameters that are no numbers.
func checkAdam(o engine.Adam) error {
	ok := func(x, below float64) bool { return x >= 0 && x < below }
	switch {
	case !ok(o.LR, 1e6):
		return fmt.Errorf("learning rate %g must be a number from 0 up", o.LR)
	case !ok(o.Beta1, 1) || !ok(o.Beta2, 1):
		return fmt.Errorf("beta1 %g and beta2 %g must be at least 0 and below 1", o.Beta1, o.Beta2)
	case !ok(o.Eps, 1e6) || o.Eps < 1e-30:
		return fmt.Errorf("eps %g must be at least 1e-30", o.Eps)
	case !ok(o.WeightDecay, 1e6):
		return fmt.Errorf("weight decay %g must be a number from 0 up", o.WeightDecay)
	case !ok(o.ClipNorm, math.Inf(1)):
		return fmt.Errorf("clip norm %g must be a number from 0 up", o.ClipNorm)
	}
	return nil
}

// gradNorm joins the two uses of a tied embedding and returns the norm of all gradients, summed in float64. Pieces are summed
// on all threads and added up in order, so the norm does not depend on threads.
func (p *policy) gradNorm(k *kernel.Kernels) (float64, error) {
	total := 0.0
	for _, t := range p.params {
		if t.second != nil {
			k.Add(t.g, t.second)
		}
		sums := make([]float64, (len(t.g)+adamPiece-1)/adamPiece)
		k.Run(len(sums), func(i int) {
			for _, g := range t.g[i*adamPiece : min(len(t.g), (i+1)*adamPiece)] {
				sums[i] += float64(float64(g) * float64(g))
			}
		})
		for _, s := range sums {
			total += s
		}
		if math.IsNaN(total) || math.IsInf(total, 0) {
			return 0, fmt.Errorf("%w: %w", finite("gradient of "+t.name, t.g), engine.ErrNotFinite)
		}
	}
	return math.Sqrt(total), nil
}
