package probe

import (
	"context"

	"parley/engine/tinker/wire"
)

// These probes may harm other users of a server. They run only if the user says that there are none ([link.Server]).

// decay looks whether a step of one model moves another one, and whether its weight decay does.
func (b *bench) decay(ctx context.Context, p *Profile) error {
	const what = "weight decay of one policy moves another"
	if !b.c.Server.Alone {
		p.Leaks = p.Mean
		p.note("P19", what, "%v: not tried, since it would move those of others; servers that average do", p.Leaks)
		return nil
	}
	s, err := b.of(ctx, b.text(0, length))
	if err != nil {
		return err
	}
	// The other model remembers a step; what it says of a text is looked at before and after steps of this one.
	var models [2]*model
	for i := range models {
		if models[i], err = b.create(ctx); err != nil {
			return err
		}
		defer models[i].unload()
	}
	step := func(m *model, decay float64) error {
		if err := m.teach(ctx, p, s); err != nil {
			return err
		}
		_, err := m.adam(ctx, wire.Adam{LR: far, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, WeightDecay: decay})
		return err
	}
	other, this := models[0], models[1]
	if err := step(other, 0); err != nil {
		return err
	}
	var scores [3][]float32
	for i, decay := range []float64{0, 0, 0.5} {
		if i > 0 {
			if err := step(this, decay); err != nil {
				return err
			}
		}
		now, err := other.forward(ctx, s.text)
		if err != nil {
			return err
		}
		scores[i] = now[0]
	}
	plain, decayed := gap(scores[0], scores[1]), gap(scores[1], scores[2])
	if plain > same {
		return unsupported("a step of one policy moves the log-probabilities of another by %.2g", plain)
	}
	p.Leaks = decayed > same
	p.note("P19", what, "%v: log-probabilities by %.2g, without weight decay by %.2g", p.Leaks, decayed, plain)
	return nil
}

// same is how far log-probabilities may be apart that are meant to be the same.
const same = 1e-3

// seeds asks for a sample with a seed above 31 bits, which fails whatever is drawn beside it on some servers. Those that are sent have 31 bits.
func (b *bench) seeds(ctx context.Context, p *Profile) error {
	const what = "seeds above 31 bits"
	if !b.c.Server.Alone {
		p.note("P21", what, "not tried, since they may fail requests of others: seeds that are sent have 31 bits")
		return nil
	}
	session, err := b.samplingSession(ctx, wire.CreateSampling{Base: b.c.Server.Model})
	if err != nil {
		return err
	}
	_, err = b.drawWith(ctx, session, 1, 1<<31)
	if err != nil && !refusal(err) {
		return err
	}
	p.note("P21", what, "%s: those that are sent have 31 bits", map[bool]string{true: "taken", false: "refused"}[err == nil])
	return nil
}
