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
	if err := opt.Check(); err != nil {
		return engine.StepInfo{}, err
	}
	p.prepareTraining()
	norm, err := p.gradNorm(e.k)
	if err != nil {
		p.clearGradients()
		return engine.StepInfo{}, err
	}
	scale := 1.0
	if opt.ClipNorm > 0 {
		scale = min(1, opt.ClipNorm/(norm+1e-6))
	}
	if norm*scale > math.Sqrt(math.MaxFloat32) {
		p.clearGradients()
		return engine.StepInfo{}, fmt.Errorf("gradients have a norm of %g, whose square is %w in the second moment", norm, engine.ErrNotFinite)
	}
	p.step++
	t := float64(p.step)
	s := kernel.AdamStep{
		LR: float32(opt.LR), Beta1: float32(opt.Beta1), Beta2: float32(opt.Beta2), Eps: float32(opt.Eps),
		WeightDecay: float32(opt.WeightDecay), GradScale: float32(scale),
		Correction1: float32(1 - math.Pow(opt.Beta1, t)), Correction2: float32(1 - math.Pow(opt.Beta2, t)),
	}
	e.k.Run(len(p.pieces), func(i int) {
		p.pieces[i].step(e, s)
	})
	p.dirty = false
	p.pack(e.k)
	e.forget(p) // its keys and values were those of the old parameters
	moved, size := p.movement()
	return engine.StepInfo{GradNorm: norm, UpdateNorm: moved, ParamNorm: size}, nil
}

// movement is the norm of what the last step added to the parameters, and theirs before it. Pieces are added up in order, as in gradNorm.
func (p *policy) movement() (moved, size float64) {
	for i := range p.pieces {
		moved += p.pieces[i].moved
		size += p.pieces[i].size2
	}
	return math.Sqrt(moved), math.Sqrt(size)
}

// A paramPiece is elements lo, ..., hi-1 of a parameter, which one thread takes at a time.
type paramPiece struct {
	*param
	lo, hi  int
	squares float64 // of its gradients, their sum
	moved   float64 // the same of what a step added to its values
	size2   float64 // and of these before
}

// cut lists the pieces of all parameters, in order.
func (p *policy) cut() {
	for _, t := range p.params {
		for n, lo := t.size(), 0; lo < n; lo += adamPiece {
			p.pieces = append(p.pieces, paramPiece{param: t, lo: lo, hi: min(n, lo+adamPiece)})
		}
	}
}

// step updates the piece.
func (q *paramPiece) step(e *Engine, s kernel.AdamStep) {
	w := q.w
	if w != nil {
		w = w[q.lo:q.hi]
	} else {
		values := e.scratch.get(q.hi - q.lo)
		defer e.scratch.put(values)
		w = values.floats
		q.packed.matrix.Values(w, q.packed.first, q.lo)
	}
	before := e.scratch.get(len(w))
	defer e.scratch.put(before)
	copy(before.floats, w)
	e.k.AdamW(w, q.m[q.lo:q.hi], q.v[q.lo:q.hi], q.g[q.lo:q.hi], s)
	q.compare(before.floats, w)
	if q.w == nil {
		q.packed.matrix.SetValues(w, q.packed.first, q.lo)
	}
	q.clear()
}

// compare sums the squares of values before a step and of what it added.
func (q *paramPiece) compare(before, after []float32) {
	q.moved, q.size2 = 0, 0
	for i, x := range before {
		d := float64(after[i]) - float64(x)
		q.moved += float64(d * d)
		q.size2 += float64(float64(x) * float64(x))
	}
}

// clear sets the gradients of the piece to zero.
func (q *paramPiece) clear() {
	clear(q.g[q.lo:q.hi])
	if q.lookupGrad != nil {
		clear(q.lookupGrad[q.lo:q.hi])
	}
}

// gradNorm joins the two uses of a tied embedding and returns the norm of all gradients, summed in float64. Pieces are summed
// on all threads and added up in order, so the norm does not depend on threads.
func (p *policy) gradNorm(k *kernel.Kernels) (float64, error) {
	if p.pieces == nil {
		p.cut()
	}
	k.Run(len(p.pieces), func(i int) { p.pieces[i].join(k) })
	total := 0.0
	for i := range p.pieces {
		q := &p.pieces[i]
		total += q.squares
		if math.IsNaN(total) || math.IsInf(total, 0) {
			return 0, fmt.Errorf("%w: %w", finite("gradient of "+q.name, q.g), engine.ErrNotFinite)
		}
	}
	return math.Sqrt(total), nil
}

// join adds up the two uses of a tied embedding, and sums squares.
func (q *paramPiece) join(k *kernel.Kernels) {
	if q.lookupGrad != nil {
		k.Add(q.g[q.lo:q.hi], q.lookupGrad[q.lo:q.hi])
	}
	q.squares = 0
	for _, g := range q.g[q.lo:q.hi] {
		q.squares += float64(float64(g) * float64(g))
	}
}
