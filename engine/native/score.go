package native

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
)

func (e *Engine) checkDatum(d *engine.Datum) (*policy, error) {
	p, err := e.policy(d.Policy)
	if err != nil {
		return nil, err
	}
	if _, err := e.formText(d.Mask, d.ScoreFrom); err != nil {
		return nil, err
	}
	if d.ValuesOnly && p.value == nil {
		return nil, fmt.Errorf("values are asked of policy %q, which has no value head", d.Policy)
	}
	return p, d.Check(e.shape.Context, e.shape.Vocab)
}

// heads computes the batch forward, one head for each net, and fills in outputs.
func (e *Engine) heads(b *batch, keep bool) ([]*head, error) {
	e.arena.reset()
	b.outputs = make([]engine.Output, len(b.data))
	for i := range b.data {
		d := &b.data[i]
		n := d.Asked()
		if !d.ValuesOnly {
			b.outputs[i].Logprobs = make([]float32, n)
		}
		if b.policies[i].value != nil {
			b.outputs[i].Values = make([]float32, n+1)
		}
	}
	var heads []*head
	for i, n := range b.forest.nets() {
		w := e.workspace(i)
		h := &head{computation: e.computation(n, b.forest.pack(&w.pass, n), keep), maxSavedLogits: e.maxSavedLogits, targets: w.targets[:0], values: w.values[:0]}
		if err := b.addTargets(h, e); err != nil {
			return nil, err
		}
		w.targets, w.values = h.targets, h.values
		if keep {
			h.cached = e.cachedRows(h.pass)
		}
		h.computation.forward()
		h.forward()
		e.count(h.pass.rows(), keep)
		heads = append(heads, h)
	}
	return heads, b.check()
}

// count counts the rows of a pass over data.
func (e *Engine) count(rows int, train bool) {
	if train {
		e.computed.Trained += rows
		return
	}
	e.computed.Scored += rows
}

// A workspace is memory that the passes of one net of a batch use again and again: the heads of a batch are done with when those
// of the next one are made.
type workspace struct {
	pass            pass
	targets, values []target
}

// workspace returns that of the i-th net of a batch.
func (e *Engine) workspace(i int) *workspace {
	for len(e.workspaces) <= i {
		e.workspaces = append(e.workspaces, &workspace{})
	}
	return e.workspaces[i]
}

// addTargets collects what the data ask of a head's net, in the order of the data.
func (b *batch) addTargets(h *head, e *Engine) error {
	n := 0
	for _, out := range b.outputs {
		n += len(out.Logprobs)
	}
	h.targets = slices.Grow(h.targets, n)
	for i := range b.data {
		d, p, out := &b.data[i], b.policies[i], b.outputs[i]
		if p.net != h.net {
			continue
		}
		s := normalized(d.Sampling)
		text, err := e.formText(d.Mask, d.ScoreFrom)
		if err != nil {
			return err
		}
		for j := range out.Logprobs {
			index := d.Index(j)
			at := b.row(i, index)
			a := target{row: at, token: d.Tokens[index], sampling: s, mask: maskAt(d.Mask, j), to: &out.Logprobs[j], datum: i, index: j}
			if a.mask.form, err = text.next(d, j); err != nil {
				return fmt.Errorf("datum %d: %w", b.first+i, err)
			}
			if b.soft != nil && b.soft[i] != nil {
				a.soften(b.soft[i][j])
			}
			h.targets = append(h.targets, a)
		}
		for j := range out.Values {
			at := b.row(i, d.Index(j))
			h.values = append(h.values, target{row: at, to: &out.Values[j], datum: i, index: j, policy: p})
		}
	}
	return nil
}

// check reports a NaN or infinite output.
func (b *batch) check() error {
	for i, out := range b.outputs {
		if err := finiteDatum(b.first+i, b.data[i].Policy, "log-probability", out.Logprobs); err != nil {
			return err
		}
		if err := finiteDatum(b.first+i, b.data[i].Policy, "value", out.Values); err != nil {
			return err
		}
	}
	return nil
}

// finiteDatum names the policy too: several may be trained in one call.
func finiteDatum(i int, name engine.Policy, what string, x []float32) error {
	if err := finite(what, x); err != nil {
		return fmt.Errorf("datum %d of policy %q: %w: %w", i, name, err, engine.ErrNotFinite)
	}
	return nil
}

// Forward scores data; see [engine.Engine].
func (e *Engine) Forward(ctx context.Context, data []engine.Datum) ([]engine.Output, error) {
	return e.ForwardSoft(ctx, data, nil)
}

// ForwardSoft implements [engine.Distiller].
func (e *Engine) ForwardSoft(ctx context.Context, data []engine.Datum, targets [][][]engine.Target) ([]engine.Output, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	batches, err := e.softBatches(data, targets, false)
	if err != nil {
		return nil, fmt.Errorf("forward: %w", err)
	}
	var outputs []engine.Output
	for _, b := range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := e.heads(b, false); err != nil {
			return nil, fmt.Errorf("forward: %w", err)
		}
		outputs = append(outputs, b.outputs...)
	}
	return outputs, nil
}

// ForwardBackward accumulates gradients; see [engine.Engine]. The loss must not call the engine.
func (e *Engine) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	return e.ForwardBackwardSoft(ctx, data, nil, loss)
}

// ForwardBackwardSoft implements [engine.Distiller].
func (e *Engine) ForwardBackwardSoft(ctx context.Context, data []engine.Datum, targets [][][]engine.Target, loss engine.Loss) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	batches, err := e.softBatches(data, targets, true)
	if err != nil {
		return fmt.Errorf("forward-backward: %w", err)
	}
	trained, err := trainedPolicies(batches)
	if err != nil {
		return fmt.Errorf("forward-backward: %w", err)
	}
	rollback := gradientSnapshot(trained, len(batches) > 1)
	for _, b := range batches {
		if err := e.accumulate(ctx, b, loss); err != nil {
			rollback(err)
			return fmt.Errorf("forward-backward: %w", err)
		}
	}
	return nil
}

// accumulate takes one batch forward and backward.
func (e *Engine) accumulate(ctx context.Context, b *batch, loss engine.Loss) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	heads, err := e.heads(b, true)
	if err != nil {
		return err
	}
	gradients, err := loss(b.first, b.outputs)
	if err != nil {
		return fmt.Errorf("loss: %w", err)
	}
	if err := b.checkGradients(gradients); err != nil {
		return err
	}
	for _, p := range b.policies {
		p.dirty = true
	}
	for _, h := range heads {
		logprobs, values := h.flatten(gradients)
		h.computation.backward(h.backward(logprobs, values))
	}
	return nil
}

// flatten brings the gradients of the data into the order of the head's targets.
func (h *head) flatten(gradients []engine.Gradient) (logprobs, values []float32) {
	logprobs, values = make([]float32, len(h.targets)), make([]float32, len(h.values))
	for i, a := range h.targets {
		if g := gradients[a.datum].Logprobs; g != nil {
			logprobs[i] = g[a.index]
		}
	}
	for i, a := range h.values {
		if g := gradients[a.datum].Values; g != nil {
			values[i] = g[a.index]
		}
	}
	return logprobs, values
}

// checkGradients compares what a loss returned with the outputs that it got.
func (b *batch) checkGradients(gradients []engine.Gradient) error {
	if len(gradients) != len(b.outputs) {
		return fmt.Errorf("the loss returned %d gradients for %d outputs", len(gradients), len(b.outputs))
	}
	for i, g := range gradients {
		out := &b.outputs[i]
		if g.Logprobs != nil && len(g.Logprobs) != len(out.Logprobs) || g.Values != nil && len(g.Values) != len(out.Values) {
			return fmt.Errorf("datum %d of policy %q: the loss returned gradients of %d log-probabilities and %d values; there are %d and %d",
				b.first+i, b.data[i].Policy, len(g.Logprobs), len(g.Values), len(out.Logprobs), len(out.Values))
		}
		if err := finiteDatum(b.first+i, b.data[i].Policy, "gradient of a log-probability", g.Logprobs); err != nil {
			return err
		}
		if err := finiteDatum(b.first+i, b.data[i].Policy, "gradient of a value", g.Values); err != nil {
			return err
		}
	}
	return nil
}
