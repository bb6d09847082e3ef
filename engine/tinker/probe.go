package tinker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
	"parley/internal/service/web"
)

// A Profile is what was measured of a server: servers of one protocol differ in their mathematics.
type Profile struct {
	Mean    bool `json:"mean"`    // a step averages over the tokens of each datum, and over the data since the last; else it sums
	Cispo   bool `json:"cispo"`   // cispo with both clips at 1 has the slope −A whatever the ratio is; else the ratio must be 1, which it is before the step
	Targets bool `json:"targets"` // tokens are scored that do not come next, which values need
	Clips   bool `json:"clips"`   // gradients are clipped
	Leaks   bool `json:"leaks"`   // the weight decay of one policy's step is taken to shrink the others
	// Alpha is that of adapters of the rank in [Shape], whose output is scaled by it over the rank; 0: the server does not say.
	Alpha float64 `json:"alpha"`
	// Findings are what all probes found, in words.
	Findings []Finding `json:"findings"`
}

// A Finding is what one probe found.
type Finding struct {
	Probe string `json:"probe"` // its number in the protocol's list
	What  string `json:"what"`
	Found string `json:"found"`
}

func (p *Profile) note(probe, what, format string, args ...any) {
	p.Findings = append(p.Findings, Finding{probe, what, fmt.Sprintf(format, args...)})
}

// A trial is a step on a model of its own, so small that what it does is in proportion to the gradient.
type trial struct {
	data   []slope // whose gradients are −advantages
	loss   string
	config map[string]float64
	adam   wire.Adam // beside the rate
}

const (
	trialEps  = 1e5 // far above any gradient: AdamW then goes along the gradient itself
	trialRate = 1e-5
	near      = 0.05 // how far two effects may be apart that are meant to be the same
)

// An effect is what a trial did.
type effect struct {
	changes []float64 // of the log-probabilities of the first datum
	norm    float64   // of the gradient, as the server tells it; 0: it does not
}

// size is how large an effect is, compared with one of the same kind.
func (f *effect) size(other *effect) float64 {
	if f.norm != 0 && other.norm != 0 {
		return f.norm / other.norm
	}
	a, b := 0.0, 0.0
	for i := range f.changes {
		a, b = a+f.changes[i]*f.changes[i], b+other.changes[i]*other.changes[i]
	}
	return math.Sqrt(a / b)
}

// direction is the cosine between two effects: 1, the same; −1, opposite.
func (f *effect) direction(other *effect) float64 {
	a, b, both := 0.0, 0.0, 0.0
	for i, x := range f.changes {
		a, b, both = a+x*x, b+other.changes[i]*other.changes[i], both+x*other.changes[i]
	}
	return both / math.Sqrt(a*b)
}

// try carries a trial out.
func (e *Engine) try(ctx context.Context, t trial) (f effect, err error) {
	p, err := e.create(ctx, "probe", engine.PolicySpec{Rank: e.shape.Rank, Seed: 1})
	if err != nil {
		return f, err
	}
	defer e.unload(p)
	before, err := e.forward(ctx, p, []row{t.data[0].row})
	if err != nil {
		return f, err
	}
	t.adam.LR, t.adam.Eps = trialRate*trialEps, trialEps
	metrics, err := e.tryStep(ctx, p, t)
	if err != nil {
		return f, err
	}
	f.norm = metric(metrics, "grad_norm")
	after, err := e.forward(ctx, p, []row{t.data[0].row})
	if err != nil {
		return f, err
	}
	for i := range after[0] {
		f.changes = append(f.changes, float64(after[0][i]-before[0][i]))
	}
	return f, nil
}

// tryStep sends the passes of a trial and its step.
func (e *Engine) tryStep(ctx context.Context, p *policy, t trial) (map[string]float64, error) {
	_, err := e.result(ctx, p, func(seq int) (link.Request, error) {
		w := wire.Pass{Model: p.id, Seq: seq, Loss: t.loss, Config: t.config}
		for i := range t.data {
			w.Data = append(w.Data, t.data[i].plain())
		}
		return pass(&w), nil
	})
	if err != nil {
		return nil, err
	}
	reply, err := e.operate(ctx, p, func(seq int) (link.Request, error) {
		return link.Post("optim_step", wire.Step{Adam: t.adam, Model: p.id, Seq: seq, Type: "optim_step"})
	})
	return reply.Metrics, err
}

// result sends a request in turn and waits for its result, of any kind.
func (e *Engine) result(ctx context.Context, p *policy, make func(seq int) (link.Request, error)) (link.Answer, error) {
	p.order.Lock()
	id, err := e.submit(ctx, p, make)
	p.order.Unlock()
	if err != nil {
		return link.Answer{}, err
	}
	return e.c.Await(ctx, id, true, nil)
}

// plain is a slope as it is sent where nothing is known of the server.
func (s *slope) plain() wire.Datum {
	advantages := make([]float32, len(s.tokens))
	for i, at := range s.at {
		advantages[at] = -s.gradients[i]
	}
	return wire.Datum{Tokens: s.tokens, Inputs: map[string]wire.Tensor{
		"target_tokens": wire.IntsOf(s.targets), "logprobs": wire.FloatsOf(s.scores), "advantages": wire.FloatsOf(advantages),
	}}
}

// probe measures what training cannot do without.
func (e *Engine) probe(ctx context.Context) (p Profile, err error) {
	p.Cispo = true
	for _, probe := range []func(context.Context, *Profile) error{e.probeTargets, e.probeRoute, e.probeReduction, e.probeClipping, e.probeAdapter, e.probeSampler} {
		if err := errors.Join(ctx.Err(), probe(ctx, &p)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// text is a sequence for probes, n tokens long.
func (e *Engine) text(start, n int) row {
	d := engine.Datum{ScoreFrom: 1}
	for i := range n + 1 {
		d.Tokens = append(d.Tokens, (start*7+i*5+1)%e.shape.Vocab)
	}
	return textRow(&d)
}

const probeLength = 5 // tokens: one length, since some servers compile a program for each

// of is a slope of −a at every place, from the log-probabilities of an untrained model, less so much.
func (e *Engine) of(ctx context.Context, r row, a float32, less float32) (slope, error) {
	p, err := e.scored(ctx, engine.Base)
	if err != nil {
		return slope{}, err
	}
	scores, err := e.forward(ctx, p, []row{r})
	if err != nil {
		return slope{}, err
	}
	for i := range scores[0] {
		scores[0][i] -= less
	}
	return slope{r, scores[0], slices.Repeat([]float32{-a}, len(r.at))}, nil
}

func (e *Engine) probeTargets(ctx context.Context, p *Profile) error {
	scorer, err := e.scored(ctx, engine.Base)
	if err != nil {
		return err
	}
	next, other := e.text(0, probeLength), e.text(0, probeLength)
	other.targets = e.text(3, probeLength).targets
	scores, err := e.forward(ctx, scorer, []row{next, other, next})
	if err != nil {
		return err
	}
	p.Targets = !slices.Equal(scores[0], scores[1])
	gap := 0.0
	for i, x := range scores[0] {
		gap = max(gap, math.Abs(float64(x-scores[2][i])))
	}
	p.note("P4", "targets that do not come next are scored", "%v", p.Targets)
	p.note("P23", "one datum twice in one pass", "log-probabilities %.2g apart", gap)
	return nil
}

// refusal reports a status with which a server refuses what it was asked for.
func refusal(err error) bool {
	var status *web.StatusError
	return errors.As(err, &status) && (status.Code == http.StatusBadRequest || status.Code == http.StatusUnprocessableEntity)
}

// clips are those at which cispo does not know the ratio.
func clips() map[string]float64 {
	return map[string]float64{"clip_low_threshold": 1, "clip_high_threshold": 1}
}

// probeRoute looks whether cispo without a ratio is there, and has the slope that it should.
func (e *Engine) probeRoute(ctx context.Context, p *Profile) error {
	plain, err := e.of(ctx, e.text(0, probeLength), 1, 0)
	if err != nil {
		return err
	}
	far, err := e.of(ctx, e.text(0, probeLength), 1, math.Ln2)
	if err != nil {
		return err
	}
	against, err := e.of(ctx, e.text(0, probeLength), -1, 0)
	if err != nil {
		return err
	}
	base, err := e.try(ctx, trial{data: []slope{plain}, loss: "importance_sampling"})
	if err != nil {
		return fmt.Errorf("a step on importance_sampling: %w", err)
	}
	for i, other := range []struct {
		what string
		data slope
		way  float64
	}{{"at a ratio of 1", plain, 1}, {"at a ratio of 2", far, 1}, {"with A = −1", against, -1}} {
		f, err := e.try(ctx, trial{data: []slope{other.data}, loss: "cispo", config: clips()})
		var refused *link.Failure
		if err != nil && i == 0 && (errors.As(err, &refused) || refusal(err)) {
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

// loss is what slopes are sent with.
func (p *Profile) loss() (string, map[string]float64) {
	if p.Cispo {
		return "cispo", clips()
	}
	return "importance_sampling", nil
}

// probeReduction looks whether a step sums over the data and their tokens, or averages over both; anything else would train another loss.
func (e *Engine) probeReduction(ctx context.Context, p *Profile) error {
	name, config := p.loss()
	long, err := e.of(ctx, e.text(0, probeLength), 1, 0)
	if err != nil {
		return err
	}
	silent := long
	silent.gradients = make([]float32, len(long.at))
	one, err := e.try(ctx, trial{data: []slope{long}, loss: name, config: config})
	if err != nil {
		return err
	}
	var sizes [3]float64
	for i, data := range [][]slope{{long, long}, {long, silent}} {
		f, err := e.try(ctx, trial{data: data, loss: name, config: config})
		if err != nil {
			return err
		}
		sizes[i] = f.size(&one)
	}
	if sizes[2], err = e.perToken(ctx, name, config, &one); err != nil {
		return err
	}
	p.note("P2", "a datum twice, beside once", "%.3f times as large", sizes[0])
	p.note("P3", "a datum with one of slope 0, beside alone", "%.3f times as large", sizes[1])
	p.note("P3", "a datum of twice the length that is silent there, beside without", "%.3f times as large", sizes[2])
	is := func(x, y, z float64) bool {
		return math.Abs(sizes[0]-x) < near && math.Abs(sizes[1]-y) < near && math.Abs(sizes[2]-z) < near
	}
	switch {
	case is(2, 1, 1):
	case is(1, 0.5, 0.5):
		p.Mean = true
	default:
		return unsupported("its steps neither sum over tokens and data nor average over both: a datum twice has %.2f times the effect, with a silent one %.2f, with as many silent tokens %.2f", sizes[0], sizes[1], sizes[2])
	}
	return nil
}

// perToken is the effect of a datum with as many silent tokens behind it, beside that without them.
func (e *Engine) perToken(ctx context.Context, name string, config map[string]float64, one *effect) (float64, error) {
	double, err := e.of(ctx, e.text(0, 2*probeLength), 1, 0)
	if err != nil {
		return 0, err
	}
	for i := probeLength; i < len(double.gradients); i++ {
		double.gradients[i] = 0
	}
	f, err := e.try(ctx, trial{data: []slope{double}, loss: name, config: config})
	f.changes = f.changes[:min(len(f.changes), len(one.changes))]
	return f.size(one), err
}

func (e *Engine) probeClipping(ctx context.Context, p *Profile) error {
	name, config := p.loss()
	s, err := e.of(ctx, e.text(0, probeLength), 1, 0)
	if err != nil {
		return err
	}
	var sizes [2]float64
	for i, bound := range []float64{0, 1e-6} {
		f, err := e.try(ctx, trial{data: []slope{s}, loss: name, config: config, adam: wire.Adam{ClipNorm: bound}})
		if err != nil {
			return err
		}
		for _, x := range f.changes {
			sizes[i] += x * x
		}
	}
	p.Clips = sizes[1] < sizes[0]/100
	p.note("P17", "gradients are clipped to grad_clip_norm", "%v", p.Clips)
	return nil
}

// probeDecay looks whether a step of one model with weight decay changes another.
// probeAdapter asks for the form of adapters. Whether weight decay leaks is not tried: it would shrink the models of everybody on the server.
func (e *Engine) probeAdapter(ctx context.Context, p *Profile) error {
	made, err := e.create(ctx, "probe", engine.PolicySpec{Rank: e.shape.Rank, Seed: 1})
	if err != nil {
		return err
	}
	defer e.unload(made)
	if p.Alpha = made.alpha; p.Alpha > 0 {
		p.note("P22", fmt.Sprintf("alpha of adapters of rank %d", e.shape.Rank), "%g", p.Alpha)
	}
	p.Leaks = p.Mean
	p.note("P19", "weight decay of one policy moves another", "%v: not tried, since it would move those of others; servers that average do", p.Leaks)
	return nil
}

// probeSampler compares the log-probabilities of the server's sampler with those of its passes.
func (e *Engine) probeSampler(ctx context.Context, p *Profile) error {
	session, err := e.samplerOf(ctx, engine.Base)
	if err != nil {
		return err
	}
	prompt := []int{1 % e.shape.Vocab, 6 % e.shape.Vocab}
	for _, temperature := range []float64{1, 0.5} {
		r := engine.SampleRequest{Prompt: prompt, MaxTokens: 4, Seed: 1, Sampling: engine.Sampling{Temperature: temperature}}
		s, err := e.draw(ctx, session, &r)
		if err != nil {
			return err
		}
		out, err := e.Forward(ctx, []engine.Datum{{Tokens: slices.Concat(prompt, s.Tokens), ScoreFrom: len(prompt)}})
		if err != nil {
			return err
		}
		gap := 0.0
		for i, x := range out[0].Logprobs {
			gap = max(gap, math.Abs(float64(x-s.Logprobs[i])))
		}
		probe := map[float64]string{1: "P13", 0.5: "P20"}[temperature]
		p.note(probe, fmt.Sprintf("samples drawn at temperature %g, scored at temperature 1", temperature), "log-probabilities %.2g apart", gap)
		if temperature == 1 && gap > mostGap {
			return unsupported("what it samples with and what it trains with are %.2g apart", gap)
		}
	}
	return nil
}

// mostGap is how far sampler and trainer of a server may be apart in a log-probability, in nats.
const mostGap = 0.05
