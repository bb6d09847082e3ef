package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
	"parley/internal/service/web"
)

// targets looks whether tokens are scored that do not come next, and whether a datum is scored the same in other company.
func (b *bench) targets(ctx context.Context, p *Profile) error {
	next, other := b.text(0, length), b.text(0, length)
	other.targets = b.text(3, length).targets
	scores, err := b.untrained(ctx, next, other, next)
	if err != nil {
		return err
	}
	alone, err := b.untrained(ctx, next)
	if err != nil {
		return err
	}
	p.Targets = !slices.Equal(scores[0], scores[1])
	p.note("P4", "targets that do not come next are scored", "%v", p.Targets)
	p.note("P23", "one datum twice in one pass, and alone", "log-probabilities %.2g apart", max(gap(scores[0], scores[2]), gap(scores[0], alone[0])))
	return nil
}

// refusal reports that a server refuses what it was asked for, at once or as a result.
func refusal(err error) bool {
	var status *web.StatusError
	var failed *link.Failure
	return errors.As(err, &failed) || errors.As(err, &status) && (status.Code == http.StatusBadRequest || status.Code == http.StatusUnprocessableEntity)
}

// clips are those at which cispo does not know the ratio.
func clips() map[string]float64 {
	return map[string]float64{"clip_low_threshold": 1, "clip_high_threshold": 1}
}

// route looks whether cispo without a ratio is there, and has the slope that it should.
func (b *bench) route(ctx context.Context, p *Profile) error {
	t := b.text(0, length)
	plain, err := b.of(ctx, t)
	if err != nil {
		return err
	}
	far, against := plain, plain
	far.scores, against.advantages = slices.Clone(plain.scores), slices.Repeat([]float32{-1}, length)
	for i := range far.scores {
		far.scores[i] -= math.Ln2
	}
	base, err := b.try(ctx, trial{passes: [][]slope{{plain}}, loss: "importance_sampling"})
	if err != nil {
		return fmt.Errorf("a step on importance_sampling: %w", err)
	}
	for i, other := range []struct {
		what string
		data slope
		way  float64
	}{{"at a ratio of 1", plain, 1}, {"at a ratio of 2", far, 1}, {"with A = −1", against, -1}} {
		f, err := b.try(ctx, trial{passes: [][]slope{{other.data}}, loss: "cispo", config: clips()})
		if err != nil && i == 0 && refusal(err) {
			p.Cispo = false
			p.note("P18", "cispo with both clips at 1", "refused: importance_sampling is used at a ratio of 1")
			return nil
		}
		if err != nil {
			return fmt.Errorf("a step on cispo: %w", err)
		}
		size, way := f.size(&base), f.direction(&base)
		p.note("P18", "cispo with both clips at 1, "+other.what+", beside importance_sampling at a ratio of 1", "%.3f times as large, cosine %.3f", size, way)
		if math.Abs(size-1) > near || math.Abs(way-other.way) > near {
			p.Cispo = false
		}
	}
	if !p.Cispo {
		p.note("P18", "cispo with both clips at 1", "has another slope: importance_sampling is used at a ratio of 1")
	}
	return nil
}

// reduction looks whether a step sums over the data and their tokens, or averages over both, and whether passes add up; anything else would train
// another loss.
func (b *bench) reduction(ctx context.Context, p *Profile) error {
	name, config := p.Loss()
	long, err := b.of(ctx, b.text(0, length))
	if err != nil {
		return err
	}
	silent := long
	silent.advantages = make([]float32, length)
	try := func(passes ...[]slope) (effect, error) {
		return b.try(ctx, trial{passes: passes, loss: name, config: config})
	}
	one, err := try([]slope{long})
	if err != nil {
		return err
	}
	both, err := try([]slope{long, long})
	if err != nil {
		return err
	}
	beside, err := try([]slope{long, silent})
	if err != nil {
		return err
	}
	halves, err := try([]slope{long}, []slope{long})
	if err != nil {
		return err
	}
	token, err := b.perToken(ctx, name, config, &one)
	if err != nil {
		return err
	}
	p.AddsUp = halves.like(&both)
	p.note("P2", "a datum twice, beside once", "%.3f times as large", both.size(&one))
	p.note("P3", "a datum with one of slope 0, beside alone", "%.3f times as large", beside.size(&one))
	p.note("P3", "a datum of twice the length that is silent there, beside without", "%.3f times as large", token)
	p.note("P6", "two data in two passes, beside in one", "%.3f times as large", halves.size(&both))
	if !p.AddsUp {
		return unsupported("passes before a step do not add up: two have %.2f times the effect of one of both", halves.size(&both))
	}
	return p.reduces(both.size(&one), beside.size(&one), token)
}

// reduces tells from the effects of a doubled datum, of an added datum with zero advantages and of added tokens with
// zero advantages whether the server sums or averages.
func (p *Profile) reduces(twice, beside, token float64) error {
	is := func(x, y, z float64) bool {
		return math.Abs(twice-x) < near && math.Abs(beside-y) < near && math.Abs(token-z) < near
	}
	switch {
	case is(2, 1, 1):
	case is(1, 0.5, 0.5):
		p.Mean = true
	default:
		return unsupported("its steps neither sum over tokens and data nor average over both: a datum twice has %.2f times the effect, with a silent one %.2f, with as many silent tokens %.2f", twice, beside, token)
	}
	return nil
}

// perToken is the effect of a datum with as many tokens of advantage 0 behind it, relative to its effect without them.
func (b *bench) perToken(ctx context.Context, name string, config map[string]float64, one *effect) (float64, error) {
	double, err := b.of(ctx, b.text(0, 2*length))
	if err != nil {
		return 0, err
	}
	for i := length; i < len(double.advantages); i++ {
		double.advantages[i] = 0
	}
	f, err := b.try(ctx, trial{passes: [][]slope{{double}}, loss: name, config: config})
	f.changes = f.changes[:min(len(f.changes), len(one.changes))]
	return f.size(one), err
}

func (b *bench) clipping(ctx context.Context, p *Profile) error {
	name, config := p.Loss()
	s, err := b.of(ctx, b.text(0, length))
	if err != nil {
		return err
	}
	free, err := b.try(ctx, trial{passes: [][]slope{{s}}, loss: name, config: config})
	if err != nil {
		return err
	}
	bound, err := b.try(ctx, trial{passes: [][]slope{{s}}, loss: name, config: config, clip: 1e-6})
	if err != nil {
		return err
	}
	p.Clips = bound.moved() < free.moved()/10
	p.note("P17", "gradients are clipped to grad_clip_norm", "%v", p.Clips)
	return nil
}

// adapter asks for the scale of adapters.
func (b *bench) adapter(ctx context.Context, p *Profile) error {
	m, err := b.create(ctx)
	if err != nil {
		return err
	}
	defer m.unload()
	if p.Alpha = m.alpha; p.Alpha > 0 {
		p.note("P22", fmt.Sprintf("alpha of adapters of rank %d", b.base.Rank), "%g", p.Alpha)
	}
	return nil
}

// sampler compares the log-probabilities of the server's sampler with those of its passes.
func (b *bench) sampler(ctx context.Context, p *Profile) error {
	session, err := b.samplingSession(ctx, wire.CreateSampling{Base: b.c.Server.Model})
	if err != nil {
		return err
	}
	for _, temperature := range []float64{1, 0.5} {
		off, err := b.sampledGap(ctx, session, temperature)
		if err != nil {
			return err
		}
		probe := map[float64]string{1: "P13", 0.5: "P20"}[temperature]
		p.note(probe, fmt.Sprintf("samples drawn at temperature %g, scored at temperature 1", temperature), "log-probabilities %.2g apart", off)
		if temperature == 1 && off > MostGap {
			return unsupported("what it samples with and what it trains with are %.2g apart", off)
		}
	}
	return nil
}

// samplingSession is one to sample from the base, or from weights that were saved under a path.
func (b *bench) samplingSession(ctx context.Context, from wire.CreateSampling) (string, error) {
	from.Session, from.Seq, from.Type = b.s.ID, int(b.s.Samplers.Add(1))-1, "create_sampling_session"
	reply, err := link.Ask[wire.Reply](ctx, b.c, "create_sampling_session", from)
	if err == nil && reply.Sampling == "" {
		err = errors.New("the reply names no sampling session")
	}
	return reply.Sampling, err
}

// drawn are tokens that samples of probes have.
const drawn = 4

// draw draws a few tokens behind two.
func (b *bench) draw(ctx context.Context, session string, temperature float64) (wire.Sequence, error) {
	return b.drawWith(ctx, session, temperature, 1)
}

func (b *bench) drawWith(ctx context.Context, session string, temperature float64, seed int64) (q wire.Sequence, err error) {
	t := b.text(0, 2)
	reply, err := link.Ask[wire.Reply](ctx, b.c, "asample", wire.Draw{
		Count: 1, Prompt: wire.TextOf([]int{int(t.tokens[0]), int(t.tokens[1])}), Session: session, Seq: int(b.s.Draws.Add(1)) - 1, Type: "sample",
		Params: wire.SamplingParams{MaxTokens: drawn, Seed: seed, Stop: []int{}, Temperature: temperature, TopK: -1, TopP: 1},
	})
	if err != nil {
		return q, err
	}
	a, err := b.c.Await(ctx, reply.Request, true, nil)
	if err != nil {
		return q, err
	}
	read := wire.DecodeSampleJSON
	if strings.Contains(a.Kind, link.Proto) {
		read = wire.DecodeSample
	}
	s, err := read(a.Body)
	if err != nil || len(s.Sequences) != 1 || len(s.Sequences[0].Tokens) != drawn || len(s.Sequences[0].Logprobs) != drawn {
		return q, errors.Join(err, fmt.Errorf("the server's sample %+.3v is no completion of %d tokens", s.Sequences, drawn))
	}
	return s.Sequences[0], nil
}

// sampledGap draws a few tokens, and is how far their log-probabilities are from those of a pass.
func (b *bench) sampledGap(ctx context.Context, session string, temperature float64) (float64, error) {
	q, err := b.draw(ctx, session, temperature)
	if err != nil {
		return 0, err
	}
	t := b.text(0, 1+drawn)
	for i, token := range q.Tokens {
		if t.targets[i+1] = int64(token); i+2 < len(t.tokens) {
			t.tokens[i+2] = int32(token)
		}
	}
	scores, err := b.untrained(ctx, t)
	if err != nil {
		return 0, err
	}
	return gap(scores[0][1:], q.Logprobs), nil
}
