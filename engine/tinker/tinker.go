// Package tinker is an engine that computes elsewhere: on a training cluster that speaks the Tinker protocol, such as SkyRL, TuFT, or a hosted
// service. [Open] gives an [engine.Engine] over one base of the server.
//
// # What stands where
//
//	link         requests, results, and a session of the server that is kept alive
//	policy.go    a policy is a model of the session: an adapter with its optimizer; save.go on the server, and home as PEFT files
//	sample.go    completions; pin.go of policies as they were, and how many at once
//	score.go     log-probabilities; value.go values, as the difference of two log-probabilities
//	step.go      gradients, and optimizer steps
//	probe        what is measured of a server before anything is trained: protocols agree, mathematics do not
//
// # Any loss over a protocol that has a few
//
// [engine.Engine.ForwardBackward] hands log-probabilities p to a loss and gets back slopes g = dL/dp. The protocol has no such call; its loss cispo
// with both clips at 1 is −Σ A·p exactly, so a pass with A = −g has the gradient of L. Servers that average over the N tokens of a datum and
// over the D data of a step get A = −g·N·D instead. D is known when the step comes: until then the slopes wait here, and the passes go out with
// the step. So the memory that gradients take is on the server for the time of a step alone.
//
// # What it cannot do
//
// Servers report log-probabilities at temperature 1 over the whole vocabulary, whatever tokens were drawn with. Other temperatures, cuts and masks are
// [errors.ErrUnsupported], and so are least lengths, full copies, whole distributions and distances between them.
//
// # What may go wrong
//
// Requests are sent again under the same sequence number where their answer was lost, and a server that knows the number does nothing twice.
// Where it cannot be known what a policy is after a failure, the policy takes no more calls: [link.ErrGone] says to go on from a checkpoint. Results are
// checked: as many as were asked for, each as long as its tokens, all finite.
package tinker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/probe"
)

// A Shape is what the client knows of the base: what it sends and reads is checked against it.
type Shape struct {
	Vocab   int
	Context int
	Unused  [][2]int // tokens that no text has
	Rank    int      // of the policies to come, which the server is measured with; 0: 4
}

// An Engine samples from and trains policies on a server.
type Engine struct {
	c       *link.Client
	shape   Shape
	profile probe.Profile
	session *link.Session

	mu       sync.Mutex
	policies map[engine.Policy]*policy
	bases    sampler // a session to sample from the base
	scorer   *policy // an adapter that is never trained: the base

	slots chan struct{} // a place for each completion that is drawn
	pins  atomic.Bool   // samples are drawn from policies as they were
}

var (
	_ engine.Engine    = (*Engine)(nil)
	_ engine.Contexter = (*Engine)(nil)
	_ engine.Remote    = (*Engine)(nil)
	_ engine.Server    = (*Engine)(nil)
	_ engine.Pinner    = (*Engine)(nil)
	_ engine.Stepper   = (*Engine)(nil)
	_ io.Closer        = (*Engine)(nil)
)

// Open begins a session with a server, and measures how it computes. Where it was measured before, less is measured again; nil: it was not.
func Open(ctx context.Context, s link.Server, shape Shape, known *probe.Profile) (*Engine, error) {
	c, err := link.New(s)
	if err != nil {
		return nil, err
	}
	return open(ctx, c, shape, known)
}

func open(ctx context.Context, c *link.Client, shape Shape, known *probe.Profile) (*Engine, error) {
	e := &Engine{c: c, shape: shape, policies: map[engine.Policy]*policy{}, slots: make(chan struct{}, cmp.Or(c.Server.Slots, usualSlots))}
	var err error
	if e.session, err = c.Open(ctx); err != nil {
		return nil, err
	}
	if e.shape.Rank == 0 {
		e.shape.Rank = 4
	}
	if n := e.session.Context; n > 0 && n < e.shape.Context {
		e.shape.Context = n
	}
	if e.profile, err = probe.Measure(ctx, c, e.session, probe.Base{Vocab: shape.Vocab, Rank: e.shape.Rank}, known); err != nil {
		return nil, errors.Join(fmt.Errorf("measure how the server computes: %w", err), e.Close())
	}
	return e, nil
}

// Context implements [engine.Contexter].
func (e *Engine) Context() int { return e.shape.Context }

// Agreement implements [engine.Remote].
func (e *Engine) Agreement() float64 { return probe.MostGap }

// Profile is what was measured of the server.
func (e *Engine) Profile() probe.Profile { return e.profile }

// Close ends the session. The server frees its models.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.policies == nil {
		return nil
	}
	for _, p := range e.policies {
		e.unload(p)
	}
	if e.scorer != nil {
		e.unload(e.scorer)
	}
	e.policies, e.scorer = nil, nil
	e.session.Close()
	return nil
}

// policy finds a policy by name.
func (e *Engine) policy(name engine.Policy) (*policy, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.policies[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no policy %q", name)
}

// unsupported wraps [errors.ErrUnsupported].
func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errors.ErrUnsupported}, args...)...)
}

// checkSampling refuses distributions that the server does not report.
func (e *Engine) checkSampling(s engine.Sampling) error {
	switch {
	case !(s.Temperature >= 0) || math.IsInf(s.Temperature, 0) || s.TopK < 0 || !(s.TopP >= 0) || s.TopP > 1:
		return fmt.Errorf("sampling %+v is no distribution", s)
	case s.Temperature != 0 && s.Temperature != 1:
		return unsupported("temperature %g: the server reports log-probabilities at temperature 1", s.Temperature)
	case s.TopK > 0 && s.TopK < e.shape.Vocab || s.TopP > 0 && s.TopP < 1:
		return unsupported("top_k %d and top_p %g: the server reports log-probabilities over the whole vocabulary", s.TopK, s.TopP)
	}
	return nil
}

// checkTokens refuses ids outside the vocabulary.
func (e *Engine) checkTokens(tokens []int) error {
	for i, t := range tokens {
		if t < 0 || t >= e.shape.Vocab {
			return fmt.Errorf("token %d at %d is not in the vocabulary of %d", t, i, e.shape.Vocab)
		}
	}
	if len(tokens) > e.shape.Context {
		return fmt.Errorf("%d tokens; the context is %d", len(tokens), e.shape.Context)
	}
	return nil
}

// finite refuses numbers that are none.
func finite(x []float32) error {
	if i := slices.IndexFunc(x, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }); i >= 0 {
		return fmt.Errorf("number %d is %g: %w", i, x[i], engine.ErrNotFinite)
	}
	return nil
}
