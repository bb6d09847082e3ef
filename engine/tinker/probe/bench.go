package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
)

// length is that of all texts but one: some servers compile a program for each.
const length = 5

// A bench is a session in which a server is measured.
type bench struct {
	c     *link.Client
	s     *link.Session
	base  Base
	idle  *model            // never trained: it scores as the base does
	known map[string]effect // trials that were carried out
}

func (b *bench) close() {
	if b.idle != nil {
		b.idle.unload()
	}
}

// A model is one that is made, tried and thrown away.
type model struct {
	b     *bench
	id    string
	seq   int // of the last request that it took
	alpha float64
}

// create makes a model. All are alike.
func (b *bench) create(ctx context.Context) (*model, error) {
	return b.createWith(ctx, func(m wire.CreateModel) any { return m })
}

// createWith makes a model of a changed request.
func (b *bench) createWith(ctx context.Context, change func(wire.CreateModel) any) (*model, error) {
	if err := b.s.Check(); err != nil {
		return nil, err
	}
	reply, err := link.Ask[wire.Reply](ctx, b.c, "create_model", change(wire.CreateModel{
		Session: b.s.ID, Seq: int(b.s.Models.Add(1)) - 1, Base: b.c.Server.Model, Type: "create_model",
		Lora: wire.Lora{Rank: b.base.Rank, Seed: 1, MLP: true, Attn: true},
	}))
	if err != nil {
		return nil, err
	}
	a, err := b.c.Await(ctx, reply.Request, false, nil)
	if err != nil {
		return nil, fmt.Errorf("create a model: %w", err)
	}
	made, err := link.Result(a)
	if err == nil && made.Model == "" {
		err = errors.New("create a model: the result names none")
	}
	return &model{b: b, id: made.Model, alpha: made.Lora.Alpha}, err
}

// unload frees the model. Whether the server hears does not matter.
func (m *model) unload() {
	ctx, stop := m.b.s.Parting()
	defer stop()
	if r, err := link.Post("unload_model", wire.OfModel{Model: m.id, Type: "unload_model"}); err == nil {
		_, _, _ = m.b.c.Once(ctx, r, link.Farewell)
	}
}

// post sends a request under the model's next number and returns what its result goes by.
func (m *model) post(ctx context.Context, make func(seq int) (link.Request, error)) (string, error) {
	r, err := make(m.seq + 1)
	if err != nil {
		return "", err
	}
	id, err := m.send(ctx, r)
	if err == nil {
		m.seq++
	}
	return id, err
}

func (m *model) send(ctx context.Context, r link.Request) (string, error) {
	a, err := m.b.c.Call(ctx, r)
	if err != nil {
		return "", err
	}
	reply, err := link.Result(a)
	return reply.Request, err
}

// pass asks for a pass and reads what it answers.
func (m *model) pass(ctx context.Context, p wire.Pass) (o wire.Output, err error) {
	id, err := m.post(ctx, func(seq int) (link.Request, error) { return m.request(p, seq), nil })
	if err != nil {
		return o, err
	}
	return m.output(ctx, id)
}

// request is a pass as it is sent.
func (m *model) request(p wire.Pass, seq int) link.Request {
	p.Model, p.Seq = m.id, seq
	return link.Request{Method: "POST", Path: "forward_backward", Body: p.Encode(), Kind: link.Proto, Accept: link.JSON, Most: link.LongestReply}
}

// output waits for a pass.
func (m *model) output(ctx context.Context, id string) (o wire.Output, err error) {
	a, err := m.b.c.Await(ctx, id, true, nil)
	if err != nil {
		return o, err
	}
	if strings.Contains(a.Kind, link.Proto) {
		return wire.DecodeOutput(a.Body)
	}
	return wire.DecodeOutputJSON(a.Body)
}

// operate sends a request whose result is JSON, and waits for it.
func (m *model) operate(ctx context.Context, make func(seq int) (link.Request, error)) (reply wire.Reply, err error) {
	id, err := m.post(ctx, make)
	if err != nil {
		return reply, err
	}
	a, err := m.b.c.Await(ctx, id, false, nil)
	if err != nil {
		return reply, err
	}
	return link.Result(a)
}

// A text is a sequence with a target at each place.
type text struct {
	tokens  []int32
	targets []int64
}

// text is the i-th sequence of probes, n tokens long, whose targets come next.
func (b *bench) text(i, n int) (t text) {
	for at := range n + 1 {
		token := (i*7 + at*5 + 1) % b.base.Vocab
		if at < n {
			t.tokens = append(t.tokens, int32(token))
		}
		if at > 0 {
			t.targets = append(t.targets, int64(token))
		}
	}
	return t
}

// forward scores texts: a finite log-probability for every place of each.
func (m *model) forward(ctx context.Context, texts ...text) ([][]float32, error) {
	p := wire.Pass{Loss: "cross_entropy", ForwardOnly: true}
	for _, t := range texts {
		p.Data = append(p.Data, t.weighted(1))
	}
	o, err := m.pass(ctx, p)
	if err != nil {
		return nil, err
	}
	return logprobs(o, texts)
}

// logprobs are those of a pass over texts.
func logprobs(o wire.Output, texts []text) ([][]float32, error) {
	if len(o.Data) != len(texts) {
		return nil, fmt.Errorf("the server's log-probabilities: %d outputs for %d data", len(o.Data), len(texts))
	}
	var out [][]float32
	for i, d := range o.Data {
		got := d["logprobs"].Floats
		if len(got) != len(texts[i].tokens) || slices.ContainsFunc(got, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
			return nil, fmt.Errorf("the server's log-probabilities of %d tokens are %v", len(texts[i].tokens), got)
		}
		out = append(out, got)
	}
	return out, nil
}

// weighted is a text as cross_entropy takes it.
func (t text) weighted(weight float32) wire.Datum {
	return wire.Datum{Tokens: t.tokens, Inputs: map[string]wire.Tensor{
		"target_tokens": wire.IntsOf(t.targets), "weights": wire.FloatsOf(slices.Repeat([]float32{weight}, len(t.tokens))),
	}}
}

// untrained are the log-probabilities of a model that was never trained.
func (b *bench) untrained(ctx context.Context, texts ...text) (_ [][]float32, err error) {
	if b.idle == nil {
		if b.idle, err = b.create(ctx); err != nil {
			return nil, err
		}
	}
	return b.idle.forward(ctx, texts...)
}

// gap is how far two rows of log-probabilities are apart.
func gap(x, y []float32) (most float64) {
	for i := range min(len(x), len(y)) {
		most = max(most, math.Abs(float64(x[i]-y[i])))
	}
	return most
}
