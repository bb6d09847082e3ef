package losses

import (
	"context"
	"errors"
	"fmt"
	"math"

	"parley/engine"
	"parley/engine/tinker/wire"
)

// An Engine is what passes are computed with.
type Engine interface {
	engine.Engine
	engine.Distiller
}

// ErrNoNumber is wrapped by errors about losses that are no numbers.
var ErrNoNumber = errors.New("no numbers to train on")

// A batch is data of a pass as the engine reads them: one for each column of targets. Columns of one datum share all computation but the last.
type batch struct {
	data    []engine.Datum
	targets [][][]engine.Target
	of      []*Datum // whose column it is
	column  []int
}

func batchOf(policy engine.Policy, all []*Datum) *batch {
	b := &batch{}
	for _, d := range all {
		tokens := append(d.Tokens[:len(d.Tokens):len(d.Tokens)], 0) // nobody is asked what comes there
		for k := range d.K {
			targets := make([][]engine.Target, len(d.Tokens))
			for i := range targets {
				targets[i] = []engine.Target{{Token: d.Targets[i*d.K+k], Mass: 1}}
			}
			b.data = append(b.data, engine.Datum{Policy: policy, Tokens: tokens, ScoreFrom: 1})
			b.targets, b.of, b.column = append(b.targets, targets), append(b.of, d), append(b.column, k)
		}
	}
	return b
}

// Pass takes data of a policy forward, and backward too where they are trained on. An error leaves the gradients as they were.
func Pass(ctx context.Context, e Engine, policy engine.Policy, l *Loss, all []*Datum, train bool) (o wire.Output, err error) {
	b := batchOf(policy, all)
	scores, total := map[*Datum][]float32{}, 0.0
	for _, d := range all {
		scores[d] = make([]float32, len(d.Targets))
	}
	loss := func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		gradients := make([]engine.Gradient, len(outputs))
		for i := range outputs {
			d, k := b.of[first+i], b.column[first+i]
			g, sum, err := slopes(l, d, k, outputs[i].Logprobs, scores[d])
			if err != nil {
				return nil, err
			}
			gradients[i].Logprobs, total = g, total+sum
		}
		return gradients, nil
	}
	if train {
		err = e.ForwardBackwardSoft(ctx, b.data, b.targets, loss)
	} else {
		var outputs []engine.Output
		if outputs, err = e.ForwardSoft(ctx, b.data, b.targets); err == nil {
			_, err = loss(0, outputs)
		}
	}
	if err != nil {
		return o, err
	}
	o = wire.Output{Type: "TensorDict", Metrics: map[string]float64{"loss:sum": total}}
	for _, d := range all {
		o.Data = append(o.Data, map[string]wire.Tensor{"logprobs": {DType: wire.Float32, Floats: scores[d], Shape: d.Shape}})
	}
	return o, nil
}

// slopes are those of a column of targets, whose log-probabilities go into scores, and the sum of its losses.
func slopes(l *Loss, d *Datum, column int, logprobs, scores []float32) (g []float32, sum float64, err error) {
	g = make([]float32, len(logprobs))
	for i, p := range logprobs {
		at := i*d.K + column
		loss, slope := l.At(d, at, float64(p))
		if g[i] = float32(slope); math.IsNaN(loss) || math.IsInf(loss, 0) || math.IsInf(float64(g[i]), 0) || math.IsNaN(slope) {
			return nil, 0, fmt.Errorf("the loss at %d, where the log-probability is %g, is %g with the slope %g: %w", i, p, loss, slope, ErrNoNumber)
		}
		scores[at] = p
		sum += loss
	}
	return g, sum, nil
}

// A Result is the output of a pass as it waits for its client: the message ForwardBackwardOutput. Its maps are many times larger where data are short.
type Result []byte

// ResultOf keeps an output.
func ResultOf(o *wire.Output) Result { return o.Encode() }

// Proto is the message.
func (r Result) Proto() []byte { return r }

// JSON is what clients get who do not read messages.
func (r Result) JSON() ([]byte, error) {
	o, err := wire.DecodeOutput(r)
	if err != nil {
		return nil, err
	}
	return o.JSON()
}
