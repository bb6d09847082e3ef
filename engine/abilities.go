package engine

import (
	"context"
	"fmt"
	"sync"
)

// A Contexter is an engine that says how long sequences may be. Of one that does not, the config.json of its model says it.
type Contexter interface {
	// Context is the most tokens of a sequence, a prompt and its completion together. A prompt or datum that is longer is an error; a
	// sample that gets there ends with [StopLength].
	Context() int
}

// A Streamer is an engine that hands out tokens while it samples, for people who watch. It is optional: training needs whole
// samples only.
type Streamer interface {
	// Stream is [Engine.Sample], and calls each with every token of reqs[i] as soon as it is drawn, from the goroutine of the caller.
	// The samples are those of Sample. An error of each ends the call.
	Stream(ctx context.Context, reqs []SampleRequest, each func(i, token int) error) ([]Sample, error)
}

// A Remote is an engine that computes elsewhere: what samples there and what trains may be different programs, and it may have no masks.
type Remote interface {
	// Agreement is how far apart, in nats, the log-probability that a token was sampled with and the one that it is trained with may be: 0 is bit
	// for bit.
	Agreement() float64
}

// A Gap is how far apart sampler and trainer were in the log-probabilities of tokens, in nats.
type Gap struct {
	Tokens     int     `json:"tokens"`     // that were compared
	Mean       float64 `json:"mean"`       // size of the difference
	Most       float64 `json:"most"`       // greatest size
	Divergence float64 `json:"divergence"` // mean of sampler less trainer: estimates KL(sampler‖trainer)
}

// A Gapped is an engine whose sampler is another program than what trains.
type Gapped interface {
	// Gap is that of all tokens that were compared since it was asked last; false: none were.
	Gap() (Gap, bool)
}

// A Diverger is an engine that compares whole distributions of a policy with the base's. It is optional: only MAPoRL's exact KL
// (maporl.md §4) asks for more than the log-probabilities of sampled tokens.
type Diverger interface {
	// Divergence returns for each datum with n asked tokens the n divergences KL(base‖policy) = Σ_v b(v)·log(b(v)/p(v)), in nats, of
	// the distributions b of the base and p of the datum's policy over the whole vocabulary, each given the tokens before
	// the asked one, at the datum's temperature. Sampling that cuts the vocabulary is an error.
	Divergence(ctx context.Context, data []Datum) ([][]float32, error)
}

// A Differentiator is an engine that hands out gradients. It is optional: training needs none, but a part of a loss, such as the messages
// of one role, can then be told from the whole.
type Differentiator interface {
	// GradientOf returns what [Engine.ForwardBackward] would add to the gradients of the one policy of all data: those of its adapter, in a
	// fixed order, without those of a value head. Nothing is accumulated, and no number of the training changes.
	GradientOf(ctx context.Context, data []Datum, loss Loss) ([]float64, error)
}

// A Noter is an engine that has notes for its user.
type Noter interface {
	// Notes returns what the engine did in another way than its [Options] ask for, because memory was short for instance, since it was
	// asked last: a sentence each, to be shown as it is. A note is returned once.
	Notes() []string
}

// Computed counts tokens that went through the net of an engine: one for each token that no other sequence of the call, and nothing that the engine
// remembers, has computed already.
type Computed struct {
	Sampled int `json:"sampled"` // by Sample: what is new in prompts, and every drawn token but the last one of each answer
	Scored  int `json:"scored"`  // by Forward and Divergence
	Trained int `json:"trained"` // by ForwardBackward
}

// Less is what was computed since c was before.
func (c Computed) Less(before Computed) Computed {
	return Computed{c.Sampled - before.Sampled, c.Scored - before.Scored, c.Trained - before.Trained}
}

// Plus adds up the counts of two engines.
func (c Computed) Plus(other Computed) Computed {
	return Computed{c.Sampled + other.Sampled, c.Scored + other.Scored, c.Trained + other.Trained}
}

// A Counter is an engine that says what it has computed.
type Counter interface {
	// Computed counts the tokens since the engine was opened.
	Computed() Computed
}

// An Estimator knows how much memory an engine takes on this machine. It is the engine itself, or stands for one that is not open.
type Estimator interface {
	// Footprint estimates what the engine needs under a load with policies of some specs, without allocating any of it. More load
	// never needs less.
	Footprint(l Load, policies []PolicySpec) Footprint
}

// A Steerer is an engine whose samples can be chosen token by token by who asks. It is optional.
type Steerer interface {
	// SampleSteered is [Engine.Sample], but choose picks every token of reqs[i]: it is given the log-probabilities [vocab] of the next one, -Inf
	// for tokens that the request's mask or cuts remove, which are choose's until it returns. It is called by the goroutine of the caller
	// and may not call the engine. An error, or a token without probability, ends the call.
	SampleSteered(ctx context.Context, reqs []SampleRequest, choose func(i int, logprobs []float32) (int, error)) ([]Sample, error)
}

// A Server is an engine that computes many calls at the same time, such as a cluster behind a network. Rollouts then ask for what each problem
// needs as soon as it needs it, in calls of their own, instead of one batch a turn for all problems.
type Server interface {
	// Slots is how many completions it draws at once; further ones wait for a place. 0: calls are computed one after the other, and large
	// batches are best.
	Slots() int
}

// A Pinner is an engine that draws from policies as they were while it trains them, such as a cluster whose samplers have weights of their own. A run
// with training.async then samples the next update while it learns from this one.
type Pinner interface {
	// Pin lets all samples be drawn from the policies as they are now, whatever steps are taken meanwhile, until release is called. An engine that
	// cannot, of a server that does not keep weights for instance, says errors.ErrUnsupported.
	Pin(ctx context.Context) (release func(), err error)
}

// An Auditor is an engine elsewhere of whose samples some are scored again by one on this machine.
type Auditor interface {
	// Apart is the greatest difference, in nats, between the log-probabilities of the samples that were compared last and what this machine computes
	// for them; not known: none were.
	Apart() (nats float64, known bool)
}

// A Dropper is an engine that forgets policies, for servers that many come to and leave.
type Dropper interface {
	// Drop forgets a policy and gives its memory back. It is an error to drop a policy that is not there, or the base.
	Drop(p Policy) error
}

// SlotsOf are those of an engine; 0 where it is no [Server].
func SlotsOf(e Engine) int {
	if s, ok := As[Server](e); ok {
		return s.Slots()
	}
	return 0
}

// A PolicyStep is one step of a policy.
type PolicyStep struct {
	Policy Policy
	Adam   Adam
}

// A Stepper is an engine that takes steps of several policies at the same time, such as a cluster that computes what waits for it in one pass.
type Stepper interface {
	// Steps is [Engine.Step] of each of some policies, no two of which are the same. After an error some may have been taken.
	Steps(ctx context.Context, steps []PolicyStep) ([]StepInfo, error)
}

// Steps takes steps of several policies: at the same time where the engine is a [Stepper], else one after the other.
func Steps(ctx context.Context, e Engine, steps []PolicyStep) ([]StepInfo, error) {
	if s, ok := As[Stepper](e); ok {
		return s.Steps(ctx, steps)
	}
	out := make([]StepInfo, len(steps))
	for i, s := range steps {
		var err error
		if out[i], err = e.Step(ctx, s.Policy, s.Adam); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A Wrapper is an engine that does something beside each call of another one, such as taking its time. What it implements of the abilities it
// has only where the other one has them too: ask with [As].
type Wrapper interface {
	Engine
	Unwrap() Engine
}

// As finds an ability of an engine: the outermost wrapper that implements it, or else the engine within. There is none if the engine within has none,
// whatever its wrappers could pass on.
func As[T any](e Engine) (T, bool) {
	own, has := e.(T)
	w, wraps := e.(Wrapper)
	if !wraps {
		return own, has
	}
	inner, ok := As[T](w.Unwrap())
	if has && ok {
		return own, true
	}
	return inner, ok
}

// An Arrival is a request that comes while others are sampled.
type Arrival struct {
	SampleRequest
	// Context ends this request alone, within a step.
	Context context.Context
	// Token is told every token as soon as it is drawn. Its error ends this request alone. nil: nobody watches.
	Token func(token int) error
	// Done is told the end, once: the sample, or as much of it as there is and the reason why there is no more.
	Done func(Sample, error)
}

// A Continuous engine takes requests in while it samples others (continuous batching), for servers with many users. It is optional: training
// knows its requests beforehand.
type Continuous interface {
	// SampleArriving samples what arrive returns, which is asked before every step and may return none, until nothing is in flight and
	// nothing arrives. It is for the caller to wait for requests, and to call again. Samples are those of [Engine.Sample]: they depend
	// neither on what else is in flight nor on when they came.
	//
	// arrive, Token and Done are called by the goroutine of the caller, and may not call the engine. The end of ctx ends all requests. An
	// error of the engine ends all that are in flight, and is returned; an error of one request, such as an empty prompt, is told to its
	// Done alone.
	SampleArriving(ctx context.Context, arrive func() []Arrival) error
}

// A Part is data that are trained on together, and their loss.
type Part struct {
	Data []Datum
	Loss Loss
}

// Join makes one call of ForwardBackward of several, so that an engine may compute what they share once: products with the base, above all.
// Each loss is called with its own data alone, as if they had been passed by themselves.
func Join(parts []Part) ([]Datum, Loss) {
	var data []Datum
	ends := make([]int, len(parts)) // of each part's data
	for i, p := range parts {
		data = append(data, p.Data...)
		ends[i] = len(data)
	}
	return data, func(first int, outputs []Output) ([]Gradient, error) {
		var all []Gradient
		for i, p := range parts {
			if len(outputs) == 0 || first >= ends[i] {
				continue
			}
			n := min(len(outputs), ends[i]-first)
			g, err := p.Loss(first-(ends[i]-len(p.Data)), outputs[:n])
			if err != nil {
				return nil, err
			}
			if len(g) != n {
				return nil, fmt.Errorf("the loss of part %d of %d returned %d gradients for %d outputs", i+1, len(parts), len(g), n)
			}
			all = append(all, g...)
			first, outputs = first+n, outputs[n:]
		}
		return all, nil
	}
}

// A Mask says which tokens are not drawn, place by place. Their logits count as −∞ before the temperature and the cuts of [Sampling], so
// the other tokens share all probability.
type Mask struct {
	Never [][2]int `json:"never,omitempty"` // ids from, ..., to-1 of each [from, to], at no place: those that the tokenizer has no text for, say
	Early []int    `json:"early,omitempty"` // not among the first Least new tokens: end tokens
	Least int      `json:"least,omitempty"`
}

// Mask is that of the completion that a request asks for. A datum of the completion that carries it is scored under the
// distributions that its tokens were drawn from.
func (r *SampleRequest) Mask() Mask {
	if r.MinTokens <= 0 {
		return Mask{Never: r.Never}
	}
	return Mask{Never: r.Never, Early: r.Stop, Least: r.MinTokens}
}

// Together does many things at the same time, for clients of servers that bear so many requests: it calls f with 0, …, n−1, at most so many at a time. The first error ends the others and is returned.
func Together(ctx context.Context, n, most int, f func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	places := make(chan struct{}, most)
	var wait sync.WaitGroup
	for i := range n {
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			defer func() { <-places }()
			if err := f(ctx, i); err != nil {
				stop(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
