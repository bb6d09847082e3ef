package native

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"parley/engine"
)

// An arrived request is one in flight, with who waits for it.
type arrived struct {
	*request
	arrival engine.Arrival
	err     error // of who is told its tokens
}

// An attendance takes requests in while it samples others. There is one net at a time: requests for another net wait
// until those in flight have ended. Meanwhile no further requests are let in, so that no request waits for ever.
type attendance struct {
	*Engine
	session *session
	flying  []*arrived
	held    []*arrived // of other nets, in the order in which they came
	orders  map[*policy]int
}

// SampleArriving implements [engine.Continuous].
func (e *Engine) SampleArriving(ctx context.Context, arrive func() []engine.Arrival) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	a := &attendance{Engine: e, orders: map[*policy]int{}}
	for {
		a.hold(arrive())
		a.leave()
		a.letIn()
		if len(a.flying) == 0 {
			return nil
		}
		err := ctx.Err()
		if err == nil {
			err = a.session.step(ctx)
		}
		if err != nil {
			a.abort(err)
			return fmt.Errorf("sample: %w", err)
		}
		a.finish()
	}
}

// hold checks what has arrived and lets it wait to be let in.
func (a *attendance) hold(arrivals []engine.Arrival) {
	for _, arrival := range arrivals {
		w := &arrived{arrival: arrival}
		made, err := a.requests([]engine.SampleRequest{arrival.SampleRequest}, make([]engine.Sample, 1), func(_ int, r *request) {
			w.request = r
			if arrival.Token != nil {
				r.onToken = func(token int) error {
					w.err = arrival.Token(token)
					return nil // the others go on
				}
			}
		})
		switch {
		case err != nil:
			arrival.Done(engine.Sample{}, fmt.Errorf("sample: %w", err))
		case len(made) == 0: // nothing is to be drawn
			arrival.Done(*w.sample, nil)
		default:
			a.held = append(a.held, w)
		}
	}
}

// letIn gives the session those who wait, in their order, up to the first of another net than those in flight.
func (a *attendance) letIn() {
	n := 0
	for ; n < len(a.held); n++ {
		w := a.held[n]
		if len(a.flying) == 0 {
			a.session = &session{Engine: a.Engine, net: w.policy.net, batch: promptBatch{pass: &a.pass}}
		} else if w.policy.net != a.session.net {
			break
		}
		if _, known := a.orders[w.policy]; !known {
			a.orders[w.policy] = len(a.orders)
		}
		w.policyOrder = a.orders[w.policy]
		a.flying = append(a.flying, w)
		a.session.waiting = append(a.session.waiting, w.request)
	}
	if n == 0 {
		return
	}
	a.held = slices.Delete(a.held, 0, n)
	var all []*request
	for _, w := range a.flying {
		all = append(all, w.request)
	}
	a.activations.stale = true // nothing of this is trained on
	a.prefixCache.limit = a.prefixCacheRoom(all)
}

// leave lets go of those whose callers have left, or did not take a token.
func (a *attendance) leave() {
	stay := func(w *arrived) bool {
		err := cmp.Or(w.err, w.failed)
		if err == nil && w.arrival.Context != nil {
			err = w.arrival.Context.Err()
		}
		if err == nil {
			return false
		}
		a.drop(w.request)
		w.arrival.Done(*w.sample, fmt.Errorf("sample: %w", err))
		return true
	}
	a.flying, a.held = slices.DeleteFunc(a.flying, stay), slices.DeleteFunc(a.held, stay)
}

// drop takes a request out of the session, wherever it is.
func (a *attendance) drop(r *request) {
	if a.session == nil {
		return
	}
	is := func(other *request) bool { return other == r }
	a.session.waiting = slices.DeleteFunc(slices.Clone(a.session.waiting), is) // the session holds parts of the same array
	if slices.ContainsFunc(a.session.live, is) {
		a.session.live = slices.DeleteFunc(a.session.live, is)
		r.maxNew = len(r.sample.Tokens) // it is done, so that what was reserved for it is given back
		a.session.detach(r)
	}
}

// finish tells those whose requests are done.
func (a *attendance) finish() {
	a.flying = slices.DeleteFunc(a.flying, func(w *arrived) bool {
		if !a.session.done(w.request) {
			return false
		}
		err := cmp.Or(w.err, w.failed)
		if err != nil {
			err = fmt.Errorf("sample: %w", err)
		}
		w.arrival.Done(*w.sample, err)
		return true
	})
}

// abort tells everybody that the engine failed, or that it is to stop.
func (a *attendance) abort(err error) {
	a.activations.stale = true
	a.prefixCache.clear() // it has segments whose keys were not computed
	for _, w := range slices.Concat(a.flying, a.held) {
		w.arrival.Done(*w.sample, fmt.Errorf("sample: %w", err))
	}
}
