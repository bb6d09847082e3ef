package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
	"parley/internal/service/web"
)

// negative looks whether cross_entropy takes weights of both signs, which another way to send slopes would need.
func (b *bench) negative(ctx context.Context, p *Profile) error {
	t := b.text(0, length)
	up, err := b.try(ctx, trial{passes: [][]slope{{{text: t, weight: 1}}}, loss: "cross_entropy"})
	if err != nil {
		return err
	}
	down, err := b.try(ctx, trial{passes: [][]slope{{{text: t, weight: -1}}}, loss: "cross_entropy"})
	if err != nil && !refusal(err) {
		p.note("P5", "cross_entropy with weights below 0", "%v", err) // log-probabilities that are no numbers, for instance
		return nil
	}
	if err != nil {
		p.note("P5", "cross_entropy with weights below 0", "refused")
		return nil
	}
	way := down.direction(&up)
	p.Negative = math.Abs(down.size(&up)-1) < near && math.Abs(way+1) < near
	p.note("P5", "cross_entropy with weights below 0, beside above", "%.3g times as large, cosine %.3f", down.size(&up), way)
	return nil
}

// clipped looks at ppo: beside importance_sampling at a ratio of 1, and whether it takes the bounds of its ratio.
func (b *bench) clipped(ctx context.Context, p *Profile) error {
	plain, err := b.of(ctx, b.text(0, length))
	if err != nil {
		return err
	}
	far := plain
	far.scores = slices.Clone(plain.scores)
	for i := range far.scores {
		far.scores[i] -= math.Ln2
	}
	base, err := b.try(ctx, trial{passes: [][]slope{{plain}}, loss: "importance_sampling"})
	if err != nil {
		return err
	}
	var effects [3]effect
	for i, t := range []trial{
		{passes: [][]slope{{plain}}, loss: "ppo"},
		{passes: [][]slope{{far}}, loss: "ppo", config: map[string]float64{"clip_low_threshold": 0.8, "clip_high_threshold": 1.2}},
		{passes: [][]slope{{far}}, loss: "ppo", config: map[string]float64{"clip_low_threshold": 0.8, "clip_high_threshold": 4}},
	} {
		if effects[i], err = b.try(ctx, t); refusal(err) {
			p.note("P10", "ppo", "refused: %v", err)
			return nil
		} else if err != nil {
			return err
		}
	}
	p.note("P10", "ppo at a ratio of 1, beside importance_sampling", "%.3f times as large", effects[0].size(&base))
	p.note("P11", "ppo at a ratio of 2, clipped at 1.2 and at 4", "moves log-probabilities by %.2g and %.2g", effects[1].moved(), effects[2].moved())
	return nil
}

// unknown asks for a loss and for a setting that there are not.
func (b *bench) unknown(ctx context.Context, p *Profile) error {
	s, err := b.of(ctx, b.text(0, length))
	if err != nil {
		return err
	}
	for _, c := range []struct {
		what string
		pass wire.Pass
	}{
		{"a loss that there is not", wire.Pass{Loss: "no_such_loss"}},
		{"a setting that a loss does not have", wire.Pass{Loss: "ppo", Config: map[string]float64{"no_such_setting": 1}}},
	} {
		m, err := b.create(ctx)
		if err != nil {
			return err
		}
		c.pass.Data = []wire.Datum{s.datum()}
		_, err = m.pass(ctx, c.pass)
		m.unload()
		found := "taken"
		if refusal(err) {
			found = "refused"
		} else if err != nil {
			return err
		}
		p.note("P12", c.what, "%s", found)
	}
	return nil
}

// several asks for two targets a place.
func (b *bench) several(ctx context.Context, p *Profile) error {
	t, other := b.text(0, length), b.text(3, length)
	var targets []int64
	for i := range t.targets {
		targets = append(targets, t.targets[i], other.targets[i])
	}
	shape := []int64{length, 2}
	d := wire.Datum{Tokens: t.tokens, Inputs: map[string]wire.Tensor{
		"target_tokens": {DType: wire.Int64, Ints: targets, Shape: shape},
		"weights":       {DType: wire.Float32, Floats: slices.Repeat([]float32{1}, 2*length), Shape: shape},
	}}
	o, err := b.idle.pass(ctx, wire.Pass{Loss: "cross_entropy", ForwardOnly: true, Data: []wire.Datum{d}})
	if err != nil {
		if !refusal(err) {
			return err
		}
		p.note("P15", "two targets a place", "refused")
		return nil
	}
	first, err := b.untrained(ctx, t, text{t.tokens, other.targets})
	if err != nil {
		return err
	}
	var got []float32
	if len(o.Data) == 1 {
		got = o.Data[0]["logprobs"].Floats
	}
	p.Targets2D = len(got) == 2*length
	for i := range got {
		p.Targets2D = p.Targets2D && math.Abs(float64(got[i]-first[i%2][i/2])) < 1e-3
	}
	found := map[bool]string{true: "scored", false: fmt.Sprintf("%d numbers for %d targets, or wrong ones, without an error", len(got), 2*length)}
	p.note("P15", "two targets a place", "%s", found[p.Targets2D])
	return nil
}

// critic asks for a model that has values.
func (b *bench) critic(ctx context.Context, p *Profile) error {
	m, err := b.createWith(ctx, func(m wire.CreateModel) any {
		return struct {
			wire.CreateModel
			Role string `json:"model_role"`
		}{m, "critic"}
	})
	found := "refused"
	if err == nil {
		defer m.unload()
		var o wire.Output
		o, err = m.pass(ctx, wire.Pass{Loss: "ppo", ForwardOnly: true, Data: []wire.Datum{b.text(0, length).weighted(1)}})
		if found = "is a policy like others"; len(o.Data) == 1 && len(o.Data[0]["values"].Floats) == length {
			p.Critic, found = true, "has values; parley reads them from two tokens all the same"
		}
	}
	if err != nil && !refusal(err) {
		return err
	}
	p.note("P16", "a model of role critic", "%s", found)
	return nil
}

// forgotten is how long is waited for the result of a request for a model that there is not.
const forgotten = 3 * time.Second

// stale asks for a pass of a model that the server does not have, as after it was started again.
func (b *bench) stale(ctx context.Context, p *Profile) error {
	gone := &model{b: b, id: b.s.ID + ":train:999999"}
	one := wire.Pass{Loss: "cross_entropy", ForwardOnly: true, Data: []wire.Datum{b.text(0, length).weighted(1)}}
	found := "taken, and answered"
	id, err := gone.post(ctx, func(seq int) (link.Request, error) { return gone.request(one, seq), nil })
	if err == nil {
		limited, stop := context.WithTimeout(ctx, forgotten)
		defer stop()
		_, err = gone.output(limited, id)
	}
	var status *web.StatusError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		found = "taken, and never answered: results have a deadline"
	case errors.As(err, &status):
		found = fmt.Sprintf("refused with status %d", status.Code)
	case err != nil:
		found = "taken, and failed"
	}
	p.note("P24", "a pass of a model that is not there", "%s", found)
	return nil
}
