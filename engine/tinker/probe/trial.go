package probe

import (
	"context"
	"fmt"
	"math"
	"slices"

	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
)

const (
	trialEps  = 1e5 // far above any gradient: AdamW then goes along the gradient itself
	trialRate = 1e-5
	near      = 0.05 // how far two effects may be apart that are meant to be the same
)

// A slope is a text with the advantage of every place.
type slope struct {
	text
	scores     []float32 // log-probabilities that the ratio is taken to
	advantages []float32
	weight     float32 // of every place, instead of advantages; 0: none
}

// of is a text with advantages of 1, and log-probabilities of an untrained model.
func (b *bench) of(ctx context.Context, t text) (slope, error) {
	scores, err := b.untrained(ctx, t)
	if err != nil {
		return slope{}, err
	}
	return slope{text: t, scores: scores[0], advantages: slices.Repeat([]float32{1}, len(t.tokens))}, nil
}

// datum is a slope as it is sent.
func (s *slope) datum() wire.Datum {
	if s.weight != 0 {
		return s.weighted(s.weight)
	}
	return wire.Datum{Tokens: s.tokens, Inputs: map[string]wire.Tensor{
		"target_tokens": wire.IntsOf(s.targets), "logprobs": wire.FloatsOf(s.scores), "advantages": wire.FloatsOf(s.advantages),
	}}
}

// A trial is a step on a model of its own.
type trial struct {
	passes [][]slope // one pass each
	loss   string
	config map[string]float64
	clip   float64
}

// An effect is what a trial did.
type effect struct {
	changes []float64 // of the log-probabilities of the first text
	norm    float64   // of the gradient, as the server tells it; 0: it does not
}

// size is how large an effect is, compared with one of the same kind.
func (f *effect) size(other *effect) float64 {
	if f.norm != 0 && other.norm != 0 {
		return f.norm / other.norm
	}
	return f.moved() / other.moved()
}

// moved is how far log-probabilities went.
func (f *effect) moved() (sum float64) {
	for _, x := range f.changes {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// direction is the cosine between two effects: 1, the same; −1, opposite.
func (f *effect) direction(other *effect) float64 {
	both := 0.0
	for i, x := range f.changes {
		both += x * other.changes[i]
	}
	return both / (f.moved() * other.moved())
}

// like says that an effect is another one.
func (f *effect) like(other *effect) bool {
	return math.Abs(f.size(other)-1) < near && math.Abs(f.direction(other)-1) < near
}

// try carries a trial out, once.
func (b *bench) try(ctx context.Context, t trial) (f effect, err error) {
	key := fmt.Sprint(t)
	if f, known := b.known[key]; known {
		return f, nil
	}
	m, err := b.create(ctx)
	if err != nil {
		return f, err
	}
	defer m.unload()
	for _, slopes := range t.passes {
		p := wire.Pass{Loss: t.loss, Config: t.config}
		for i := range slopes {
			p.Data = append(p.Data, slopes[i].datum())
		}
		if _, err := m.pass(ctx, p); err != nil {
			return f, err
		}
	}
	f, err = m.stepped(ctx, t.passes[0][0].text, t.clip)
	if err == nil {
		b.known[key] = f
	}
	return f, err
}

// stepped takes a step, and looks what it did to a text since the model was untrained.
func (m *model) stepped(ctx context.Context, t text, clip float64) (f effect, err error) {
	metrics, err := m.step(ctx, clip)
	if err != nil {
		return f, err
	}
	f.norm = link.Metric(metrics, "grad_norm")
	before, err := m.b.untrained(ctx, t)
	if err != nil {
		return f, err
	}
	after, err := m.forward(ctx, t)
	if err != nil {
		return f, err
	}
	for i := range after[0] {
		f.changes = append(f.changes, float64(after[0][i]-before[0][i]))
	}
	return f, nil
}

// teach passes one datum backward by the loss that the profile has chosen.
func (m *model) teach(ctx context.Context, p *Profile, s slope) error {
	name, config := p.Loss()
	_, err := m.pass(ctx, wire.Pass{Loss: name, Config: config, Data: []wire.Datum{s.datum()}})
	return err
}

// step takes a step along the gradient.
func (m *model) step(ctx context.Context, clip float64) (map[string]float64, error) {
	return m.adam(ctx, wire.Adam{LR: trialRate * trialEps, Eps: trialEps, ClipNorm: clip})
}

func (m *model) adam(ctx context.Context, adam wire.Adam) (map[string]float64, error) {
	reply, err := m.operate(ctx, func(seq int) (link.Request, error) {
		return link.Post("optim_step", wire.Step{Adam: adam, Model: m.id, Seq: seq, Type: "optim_step"})
	})
	return reply.Metrics, err
}
