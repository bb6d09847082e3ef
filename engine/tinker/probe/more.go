package probe

import (
	"context"
	"math"
	"slices"

	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
)

// losses compares the loss that a server tells with its log-probabilities.
func (b *bench) losses(ctx context.Context, p *Profile) error {
	t := b.text(0, length)
	o, err := b.idle.pass(ctx, wire.Pass{Loss: "cross_entropy", ForwardOnly: true, Data: []wire.Datum{t.weighted(1)}})
	if err != nil {
		return err
	}
	scores, err := logprobs(o, []text{t})
	if err != nil {
		return err
	}
	sum := 0.0
	for _, x := range scores[0] {
		sum -= float64(x)
	}
	told, found := 0.0, "the server tells none"
	for _, name := range []string{"total_loss", "loss"} {
		if told = link.Metric(o.Metrics, name); told != 0 {
			break
		}
	}
	switch {
	case told == 0:
	case math.Abs(told-sum) < near*sum:
		found = "the sum over its tokens"
	case math.Abs(told*length-sum) < near*sum:
		found = "the mean over its tokens"
	default:
		found = "neither the sum over its tokens nor the mean"
	}
	p.note("P1", "the loss that is told of a datum", "%s", found)
	return nil
}

// fresh is a text with its slopes, and a new model.
func (b *bench) fresh(ctx context.Context) (s slope, m *model, err error) {
	if s, err = b.of(ctx, b.text(0, length)); err != nil {
		return s, nil, err
	}
	m, err = b.create(ctx)
	return s, m, err
}

// empty looks what steps without gradients do: behind a step, and behind a pass that goes forward alone.
func (b *bench) empty(ctx context.Context, p *Profile) error {
	s, m, err := b.fresh(ctx)
	if err != nil {
		return err
	}
	defer m.unload()
	forward, err := m.emptyStep(ctx, s.text)
	if err != nil {
		return err
	}
	p.note("P8", "a step behind a pass that only goes forward", "%s", forward.words())
	if err := m.teach(ctx, p, s); err != nil {
		return err
	}
	if _, err := m.step(ctx, 0); err != nil {
		return err
	}
	again, err := m.emptyStep(ctx, s.text)
	if err != nil {
		return err
	}
	p.Momentum = again.refused || again.moved > 0
	p.note("P7", "a step without gradients behind one with", "%s", again.words())
	if forward.moved > 0 {
		return unsupported("passes that only go forward leave gradients behind: a step moved log-probabilities by %.2g", forward.moved)
	}
	return nil
}

// nothing is what a step without gradients did.
type nothing struct {
	refused bool
	moved   float64
}

func (n nothing) words() string {
	switch {
	case n.refused:
		return "refused"
	case n.moved > 0:
		return "moves the weights"
	}
	return "changes nothing"
}

// emptyStep takes a step without gradients.
func (m *model) emptyStep(ctx context.Context, t text) (n nothing, err error) {
	before, err := m.forward(ctx, t)
	if err != nil {
		return n, err
	}
	if _, err := m.step(ctx, 0); err != nil {
		if refusal(err) {
			return nothing{refused: true}, nil
		}
		return n, err
	}
	after, err := m.forward(ctx, t)
	if err != nil {
		return n, err
	}
	n.moved = gap(before[0], after[0])
	return n, nil
}

// twice sends one request twice.
func (b *bench) twice(ctx context.Context, p *Profile) error {
	name, config := p.Loss()
	s, err := b.of(ctx, b.text(0, length))
	if err != nil {
		return err
	}
	one, err := b.try(ctx, trial{passes: [][]slope{{s}, {s}}, loss: name, config: config})
	if err != nil {
		return err
	}
	m, err := b.create(ctx)
	if err != nil {
		return err
	}
	defer m.unload()
	request := m.request(wire.Pass{Loss: name, Config: config, Data: []wire.Datum{s.datum()}}, 1)
	first, err := m.send(ctx, request)
	if err != nil {
		return err
	}
	second, err := m.send(ctx, request)
	m.seq = 1
	if refusal(err) || link.Conflict(err) {
		p.Once = true
		p.note("P9", "a request that comes twice", "refused the second time")
		return nil
	}
	if err != nil {
		return err
	}
	for _, id := range []string{first, second} {
		if _, err := m.output(ctx, id); err != nil {
			return err
		}
	}
	f, err := m.stepped(ctx, s.text, 0)
	if err != nil {
		return err
	}
	// A server that averages has the same effect of one datum and of the same twice: there the name of the result decides.
	p.Once = first == second || !p.Mean && f.size(&one) < 0.75
	p.note("P9", "a request that comes twice", "done once: %v", p.Once)
	return nil
}

// saved looks whether a model that loads what another saved scores as that does, and what of it comes home.
func (b *bench) saved(ctx context.Context, p *Profile) error {
	s, from, err := b.fresh(ctx)
	if err != nil {
		return err
	}
	defer from.unload()
	if err := from.teach(ctx, p, s); err != nil {
		return err
	}
	if _, err := from.step(ctx, 0); err != nil {
		return err
	}
	want, err := from.forward(ctx, s.text)
	if err != nil {
		return err
	}
	if err := from.form(ctx, p); err != nil {
		return err
	}
	got, err := b.reloaded(ctx, from, s.text)
	if refusal(err) || link.Missing(err) {
		p.note("P14", "a model that loads what another saved", "refused: runs cannot go on there")
		return nil
	}
	if err != nil {
		return err
	}
	off := gap(want[0], got)
	p.Loads = off < same
	p.note("P14", "a model that loads what another saved", "log-probabilities %.2g apart", off)
	return nil
}

// reloaded are the log-probabilities of a new model that loads what another one saves.
func (b *bench) reloaded(ctx context.Context, from *model, t text) ([]float32, error) {
	path, err := from.save(ctx, "save_weights")
	if err != nil {
		return nil, err
	}
	to, err := b.create(ctx)
	if err != nil {
		return nil, err
	}
	defer to.unload()
	_, err = to.operate(ctx, func(seq int) (link.Request, error) {
		return link.Post("load_weights", wire.Load{Model: to.id, Seq: seq, Path: path, Optimizer: true, Type: "load_weights"})
	})
	if err != nil {
		return nil, err
	}
	scores, err := to.forward(ctx, t)
	if err != nil {
		return nil, err
	}
	return scores[0], nil
}

// keeps looks whether a session to sample from keeps its weights while its model is trained.
func (b *bench) keeps(ctx context.Context, p *Profile) error {
	s, m, err := b.fresh(ctx)
	if err != nil {
		return err
	}
	defer m.unload()
	session, err := m.samplingSession(ctx)
	if err != nil {
		return err
	}
	before, err := b.draw(ctx, session, 1)
	if err != nil {
		return err
	}
	if err := m.teach(ctx, p, s); err != nil {
		return err
	}
	if _, err := m.adam(ctx, wire.Adam{LR: far, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8}); err != nil {
		return err
	}
	after, err := b.draw(ctx, session, 1)
	if err != nil {
		return err
	}
	off := gap(before.Logprobs, after.Logprobs)
	p.Keeps = slices.Equal(before.Tokens, after.Tokens) && off < same
	p.note("P14", "samples of one session before and after a step of its model", "the same: %v", p.Keeps)
	return nil
}

// far is the rate of a step that is meant to be seen.
const far = 0.1

// samplingSession is one to sample from the model as it is.
func (m *model) samplingSession(ctx context.Context) (string, error) {
	saved, err := m.operate(ctx, func(seq int) (link.Request, error) {
		return link.Post("save_weights_for_sampler", wire.SaveToSample{
			Model: m.id, Sampling: int(m.b.s.Samplers.Add(1)) - 1, Seq: seq, Type: "save_weights_for_sampler",
		})
	})
	if err != nil || saved.Sampling != "" {
		return saved.Sampling, err
	}
	return m.b.samplingSession(ctx, wire.CreateSampling{Path: saved.Path})
}
