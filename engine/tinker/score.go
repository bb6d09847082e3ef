package tinker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
)

const (
	mostRows  = 1024      // of a request
	mostBytes = 5_000_000 // of a request, about
)

// A row is a sequence as the server scores it: at each place the log-probability of the target, given the tokens up to and including that place.
type row struct {
	tokens  []int32
	targets []int64
	at      []int // the places that are asked for
}

// bytes is about how large a row is in a request with two arrays of numbers beside the targets.
func (r *row) bytes() int { return 20*len(r.tokens) + 200 }

// textRow scores the asked tokens of a datum.
func textRow(d *engine.Datum) row {
	r := row{}
	for i, t := range d.Tokens {
		if i+1 < len(d.Tokens) {
			r.tokens = append(r.tokens, int32(t))
		}
		if i > 0 {
			r.targets = append(r.targets, int64(t))
		}
	}
	for i := range d.Asked() {
		r.at = append(r.at, d.Index(i)-1)
	}
	return r
}

// checkDatum refuses what cannot be scored.
func (e *Engine) checkDatum(d *engine.Datum) error {
	if d.ScoreFrom < 1 || d.ScoreFrom > len(d.Tokens) {
		return fmt.Errorf("ScoreFrom %d of %d tokens", d.ScoreFrom, len(d.Tokens))
	}
	if d.Mask.Form != "" || len(d.Mask.Never) > 0 || len(d.Mask.Early) > 0 && d.Mask.Least > 0 {
		return unsupported("masks: the server reports log-probabilities over the whole vocabulary")
	}
	if err := errors.Join(d.CheckGiven(), e.checkSampling(d.Sampling), e.checkTokens(d.Tokens)); err != nil {
		return err
	}
	if d.Policy == engine.Base {
		if d.ValuesOnly {
			return errors.New("values are asked of the base, which has none")
		}
		return nil
	}
	p, err := e.policy(d.Policy)
	if err == nil && d.ValuesOnly && !p.spec.ValueHead {
		err = fmt.Errorf("values are asked of policy %q, which has no value head", d.Policy)
	}
	return err
}

// scored are the rows of a datum and what the server says of them.
type scored struct {
	rows   []row
	scores [][]float32 // of every place of every row
	text   bool        // the first row has the asked tokens
	output engine.Output
}

// Forward implements [engine.Engine].
func (e *Engine) Forward(ctx context.Context, data []engine.Datum) ([]engine.Output, error) {
	all, err := e.score(ctx, data)
	if err != nil {
		return nil, err
	}
	out := make([]engine.Output, len(all))
	for i := range all {
		out[i] = all[i].output
	}
	return out, nil
}

// score asks the server about data, all policies at once.
func (e *Engine) score(ctx context.Context, data []engine.Datum) ([]scored, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	byPolicy := map[engine.Policy][]int{}
	var names []engine.Policy
	for i := range data {
		if err := e.checkDatum(&data[i]); err != nil {
			return nil, fmt.Errorf("datum %d: %w", i, err)
		}
		name := data[i].Policy
		if byPolicy[name] == nil {
			names = append(names, name)
		}
		byPolicy[name] = append(byPolicy[name], i)
	}
	out := make([]scored, len(data))
	err := engine.Together(ctx, len(names), len(names)+1, func(ctx context.Context, i int) error {
		if err := e.scoreOf(ctx, names[i], data, byPolicy[names[i]], out); err != nil {
			return fmt.Errorf("score under policy %q: %w", names[i], err)
		}
		return nil
	})
	return out, err
}

// scoreOf asks about the data of one policy.
func (e *Engine) scoreOf(ctx context.Context, name engine.Policy, data []engine.Datum, which []int, out []scored) error {
	p, err := e.scored(ctx, name)
	if err != nil {
		return err
	}
	var rows []row
	for _, i := range which {
		out[i].rows, out[i].text = e.rowsOf(p, &data[i])
		rows = append(rows, out[i].rows...)
	}
	scores, err := e.forward(ctx, p, rows)
	if err != nil {
		return err
	}
	for _, i := range which {
		s := &out[i]
		s.scores, scores = scores[:len(s.rows)], scores[len(s.rows):]
		if s.text {
			s.output.Logprobs = s.rows[0].asked(s.scores[0])
		}
	}
	if !p.spec.ValueHead {
		return nil
	}
	return e.valuesOf(ctx, p, which, out)
}

// asked are the scores of the places that are asked for.
func (r *row) asked(scores []float32) []float32 {
	out := make([]float32, len(r.at))
	for i, at := range r.at {
		out[i] = scores[at]
	}
	return out
}

// rowsOf are the rows of a datum: that of its tokens unless only values are asked for, and those of its values.
func (e *Engine) rowsOf(p *policy, d *engine.Datum) (rows []row, text bool) {
	if !d.ValuesOnly {
		rows, text = append(rows, textRow(d)), true
	}
	if p.spec.ValueHead {
		rows = append(rows, e.valueRows(d)...)
	}
	return rows, text
}

// scored is the model that scores under a policy: of the base, an adapter that is never trained, and so changes nothing.
func (e *Engine) scored(ctx context.Context, name engine.Policy) (*policy, error) {
	if name != engine.Base {
		return e.policy(name)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.scorer != nil {
		return e.scorer, nil
	}
	p, err := e.create(ctx, engine.Base, engine.PolicySpec{Rank: max(1, e.shape.Rank)})
	if err == nil {
		e.scorer = p
	}
	return p, err
}

// parts cuts rows into requests, none of which is too large; a row that is, goes alone.
func parts(rows []row) [][]row {
	var out [][]row
	for len(rows) > 0 {
		n, size := 1, rows[0].bytes()
		for n < min(len(rows), mostRows) && size+rows[n].bytes() <= mostBytes {
			size += rows[n].bytes()
			n++
		}
		out, rows = append(out, rows[:n]), rows[n:]
	}
	return out
}

// forward scores rows; those without places are not sent.
func (e *Engine) forward(ctx context.Context, p *policy, rows []row) ([][]float32, error) {
	out := make([][]float32, len(rows))
	var sent []row
	var which []int
	for i, r := range rows {
		if len(r.at) > 0 {
			sent, which = append(sent, r), append(which, i)
		}
	}
	var ids []string
	all := parts(sent)
	p.order.Lock()
	for _, part := range all {
		id, err := e.submit(ctx, p, func(seq int) (link.Request, error) { return passOf(p.id, seq, part) })
		if err != nil {
			p.order.Unlock()
			return nil, err
		}
		ids = append(ids, id)
	}
	p.order.Unlock()
	for i, id := range ids {
		scores, err := e.scores(ctx, id, all[i])
		if err != nil {
			return nil, err
		}
		for _, s := range scores {
			out[which[0]], which = s, which[1:]
		}
	}
	return out, nil
}

// passOf asks for a forward pass. Weights have no say in log-probabilities; servers want some.
func passOf(model string, seq int, rows []row) (link.Request, error) {
	p := wire.Pass{Model: model, Seq: seq, Loss: "cross_entropy", ForwardOnly: true}
	for _, r := range rows {
		p.Data = append(p.Data, wire.Datum{Tokens: r.tokens, Inputs: map[string]wire.Tensor{
			"target_tokens": wire.IntsOf(r.targets), "weights": wire.FloatsOf(slices.Repeat([]float32{1}, len(r.tokens))),
		}})
	}
	return pass(&p), nil
}

// pass is a request for one.
func pass(p *wire.Pass) link.Request {
	return link.Request{Method: "POST", Path: "forward_backward", Body: p.Encode(), Kind: link.Proto, Accept: link.JSON, Most: link.LongestReply}
}

// scores waits for a pass, and checks that it has a finite log-probability for every place of every row.
func (e *Engine) scores(ctx context.Context, id string, rows []row) ([][]float32, error) {
	a, err := e.c.Await(ctx, id, true, e.tryTraining)
	if err != nil {
		return nil, err
	}
	read := wire.DecodeOutputJSON
	if strings.Contains(a.Kind, link.Proto) {
		read = wire.DecodeOutput
	}
	o, err := read(a.Body)
	if err == nil && len(o.Data) != len(rows) {
		err = fmt.Errorf("%d outputs for %d data", len(o.Data), len(rows))
	}
	if err != nil {
		return nil, fmt.Errorf("the server's log-probabilities: %w", err)
	}
	out := make([][]float32, len(rows))
	for i, d := range o.Data {
		out[i] = d["logprobs"].Floats
		err := errors.Join(finite(out[i]), probable(out[i]))
		if len(out[i]) != len(rows[i].tokens) {
			err = fmt.Errorf("%d for %d tokens", len(out[i]), len(rows[i].tokens))
		}
		if err != nil {
			return nil, fmt.Errorf("the server's log-probabilities of datum %d: %w", i, err)
		}
	}
	return out, nil
}
