package native

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"parley/engine"
)

// maxCompared is about how many targets are compared at a time: their hidden states under both policies are in memory.
const maxCompared = 4096

// Divergence implements [engine.Diverger]. Both policies go forward as they do when they are scored; then their heads go over the
// vocabulary side by side, in blocks of columns, so that whole distributions are never in memory.
func (e *Engine) Divergence(ctx context.Context, data []engine.Datum) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range data {
		if _, err := e.checkDatum(&data[i]); err != nil {
			return nil, fmt.Errorf("divergence: datum %d: %w", i, err)
		}
	}
	var all [][]float32
	for rest := data; len(rest) > 0; {
		n, targets := 0, 0
		for n < len(rest) && (n == 0 || targets < maxCompared) {
			targets += rest[n].Asked()
			n++
		}
		out, err := e.diverge(ctx, len(data)-len(rest), rest[:n])
		if err != nil {
			return nil, fmt.Errorf("divergence: %w", err)
		}
		all, rest = append(all, out...), rest[n:]
	}
	return all, nil
}

// diverge compares data that are part of a call's; first is the index of the first.
func (e *Engine) diverge(ctx context.Context, first int, data []engine.Datum) ([][]float32, error) {
	base := slices.Clone(data)
	for i := range base {
		if truncates(normalized(base[i].Sampling), e.shape.Vocab) {
			return nil, errors.New("top_k and top_p leave tokens without probability: it would be infinite")
		}
		base[i].Policy = engine.Base
	}
	p, err := e.predictions(ctx, first, data)
	if err != nil {
		return nil, err
	}
	b, err := e.predictions(ctx, first, base)
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(data))
	for i := range data {
		out[i] = make([]float32, len(p[i].norms))
		for lo := 0; lo < len(out[i]); lo += columnRows {
			hi := min(lo+columnRows, len(out[i]))
			e.compare(out[i][lo:hi], p[i].part(lo, hi, e.shape.Hidden), b[i].part(lo, hi, e.shape.Hidden))
		}
		if err := finiteDatum(first+i, data[i].Policy, "divergence", out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A prediction is what the head of a net reads for the targets of one datum, and how its logits are normalised.
type prediction struct {
	net     *net
	targets []target  // [n]
	hidden  []float32 // [n, hidden]
	norms   []float32 // [n]
}

func (p prediction) part(lo, hi, width int) prediction {
	p.targets, p.hidden, p.norms = p.targets[lo:hi], p.hidden[lo*width:hi*width], p.norms[lo:hi]
	return p
}

// predictions takes data forward.
func (e *Engine) predictions(ctx context.Context, first int, data []engine.Datum) ([]prediction, error) {
	batches, err := e.fitBatches(data, false)
	if err != nil {
		return nil, err
	}
	d, out := e.shape.Hidden, make([]prediction, len(data))
	for _, b := range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.first += first // as errors count
		heads, err := e.heads(b, false)
		if err != nil {
			return nil, err
		}
		for _, h := range heads {
			for i, a := range h.targets {
				p := &out[b.first-first+a.datum]
				p.net, p.targets = h.net, append(p.targets, a)
				p.norms, p.hidden = append(p.norms, h.norms[i]), append(p.hidden, row(h.hidden, a.row, d)...)
			}
		}
	}
	return out, nil
}

// compare fills in the divergences of the targets of one datum: Σ_v b(v)·((z_b(v) − norm_b) − (z_p(v) − norm_p)), the columns in order.
func (e *Engine) compare(out []float32, p, b prediction) {
	n, v, c := len(out), e.shape.Vocab, e.computation(p.net, &pass{}, false)
	size := min(v, columnsOf(n))
	zp, zb, sums := make([]float32, n*size), make([]float32, n*size), make([]float64, n)
	for from := 0; from < v; from += size {
		width := min(v, from+size) - from
		e.k.MulColumns(zp, p.hidden, n, p.net.head.matrix, from, from+width)
		e.k.MulColumns(zb, b.hidden, n, b.net.head.matrix, from, from+width)
		e.k.Run(n, func(i int) {
			zp, zb := row(zp, i, width), row(zb, i, width)
			c.finishLogits(zp)
			c.finishLogits(zb)
			p.targets[i].scale(e.k, zp, from)
			b.targets[i].scale(e.k, zb, from)
			for j, z := range zb {
				if z == negativeInfinity { // masked in both
					continue
				}
				logb := float64(z - b.norms[i])
				sums[i] += math.Exp(logb) * (logb - float64(zp[j]-p.norms[i]))
			}
		})
	}
	for i, s := range sums {
		out[i] = float32(max(0, s))
	}
}
