package tinker

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"net/http"
	"strings"

	"parley/engine"
	"parley/engine/tinker/wire"
	"parley/serve/tinker/losses"
	"parley/serve/tinker/promise"
)

const proto = "application/x-protobuf"

// Bounds of one pass. Clients cut what is longer.
const (
	mostData   = 1 << 16
	mostPlaces = 1 << 21 // targets of all data
)

// pass answers a request for one: in protobuf, or in JSON as older clients write it.
func (s *Server) pass(r *http.Request, forward bool) any {
	data, f := s.body(r)
	if f != nil {
		return f
	}
	decode := wire.DecodePassJSON
	if strings.Contains(r.Header.Get("Content-Type"), proto) {
		decode = wire.DecodePass
	}
	p, err := decode(data)
	p.ForwardOnly = p.ForwardOnly || forward
	if err != nil && (p.Model == "" || p.Seq < 1) {
		return bad("the body: %v", err)
	}
	m, f := s.model(p.Model)
	if f != nil {
		return f
	}
	// One encoding of one message, whatever the order in which the client wrote its fields.
	hash := sha256.Sum256(append([]byte("forward_backward\n"), p.Encode()...))
	if err != nil {
		return s.refuse(m, p.Seq, sha256.Sum256(data), err)
	}
	l, all, err := s.readPass(&p)
	if err != nil {
		return s.refuse(m, p.Seq, hash, err)
	}
	return s.numbered(m, p.Seq, hash, len(data), func(ctx context.Context) (promise.Result, int, error) {
		o, err := s.compute(ctx, m, l, all, !p.ForwardOnly)
		if err != nil {
			return nil, 0, err
		}
		weight := 0
		for _, d := range o.Data {
			t := d["logprobs"]
			weight += 4*t.Len() + 64
		}
		return passed{o}, weight, nil
	})
}

// A passed result is that of a pass.
type passed struct{ output wire.Output }

func (p passed) JSON() ([]byte, error) { return p.output.JSON() }
func (p passed) Proto() []byte         { return p.output.Encode() }

// readPass checks what a pass is asked for.
func (s *Server) readPass(p *wire.Pass) (*losses.Loss, []*losses.Datum, error) {
	l, err := losses.New(p.Loss, p.Config)
	if err != nil {
		return nil, nil, err
	}
	if len(p.Data) == 0 || len(p.Data) > mostData {
		return nil, nil, fmt.Errorf("there are %d data, expected 1 to %d", len(p.Data), mostData)
	}
	var all []*losses.Datum
	places := 0
	for i := range p.Data {
		d, err := l.Read(&p.Data[i], losses.Limits{Vocab: s.base.Vocab, Context: s.engine.Context()})
		if err != nil {
			return nil, nil, fmt.Errorf("datum %d: %w", i, err)
		}
		if places += len(d.Targets); places > mostPlaces {
			return nil, nil, fmt.Errorf("the data have more than %d targets: send them in several requests", mostPlaces)
		}
		all = append(all, d)
	}
	return l, all, nil
}

// A batch is data of a pass as the engine reads them: one for each column of targets. Columns of one datum share all computation but the last.
type batch struct {
	data    []engine.Datum
	targets [][][]engine.Target
	of      []*losses.Datum // whose column it is
	column  []int
}

func batchOf(m *trained, all []*losses.Datum) *batch {
	b := &batch{}
	for _, d := range all {
		tokens := append(d.Tokens[:len(d.Tokens):len(d.Tokens)], 0) // nobody is asked what comes there
		for k := range d.K {
			targets := make([][]engine.Target, len(d.Tokens))
			for i := range targets {
				targets[i] = []engine.Target{{Token: d.Targets[i*d.K+k], Mass: 1}}
			}
			b.data = append(b.data, engine.Datum{Policy: m.policy, Tokens: tokens, ScoreFrom: 1})
			b.targets, b.of, b.column = append(b.targets, targets), append(b.of, d), append(b.column, k)
		}
	}
	return b
}

// compute takes data forward, and backward too where they are trained on. An error leaves the gradients as they were.
func (s *Server) compute(ctx context.Context, m *trained, l *losses.Loss, all []*losses.Datum, train bool) (o wire.Output, err error) {
	b := batchOf(m, all)
	scores, total := map[*losses.Datum][]float32{}, 0.0
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
		err = s.engine.ForwardBackwardSoft(ctx, b.data, b.targets, loss)
	} else {
		var outputs []engine.Output
		if outputs, err = s.engine.ForwardSoft(ctx, b.data, b.targets); err == nil {
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
func slopes(l *losses.Loss, d *losses.Datum, column int, logprobs, scores []float32) (g []float32, sum float64, err error) {
	g = make([]float32, len(logprobs))
	for i, p := range logprobs {
		at := i*d.K + column
		loss, slope := l.At(d, at, float64(p))
		if g[i] = float32(slope); math.IsNaN(loss) || math.IsInf(loss, 0) || math.IsInf(float64(g[i]), 0) || math.IsNaN(slope) {
			return nil, 0, wrong("the loss at %d, where the log-probability is %g, is %g with the slope %g: no numbers to train on", i, p, loss, slope)
		}
		scores[at] = p
		sum += loss
	}
	return g, sum, nil
}
