package tinker

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"parley/engine"
	"parley/serve/tinker/checkpoint"
	"parley/serve/tinker/promise"
)

// A plain result is JSON alone.
type plain map[string]any

func (p plain) JSON() ([]byte, error) { return json.Marshal(p) }
func (plain) Proto() []byte           { return nil }

// A work is what a promise is about: it gives the result and about how many bytes that takes.
type work func(ctx context.Context) (promise.Result, int, error)

// small is work whose result is a few fields.
func small(f func(ctx context.Context) (plain, error)) work {
	return func(ctx context.Context) (promise.Result, int, error) {
		p, err := f(ctx)
		return p, 0, err
	}
}

// alone does work that needs the engine for itself, when it is the client's turn.
func (s *Server) alone(ctx context.Context, client string, f func() error) error {
	leave, err := s.training.Enter(ctx, client)
	if err != nil {
		return err
	}
	defer leave()
	return s.batcher.Alone(func(engine.Continuous) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return f()
	})
}

// tooMany tells a client to come back. Its number is not used up.
func tooMany(err error) *checkpoint.Fault {
	return &checkpoint.Fault{Status: http.StatusTooManyRequests, Words: err.Error() + "; try again later", Later: 1}
}

// settle ends a promise with what its work came to.
func settle(ctx context.Context, p *promise.Promise, r promise.Result, weight int, err error) {
	switch {
	case err == nil:
		p.Keep(r, weight)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		p.Break(gone)
	default:
		p.Break(failureOf(err))
	}
}

// gone is what became of requests whose model, or whose session, ended before they were done.
var gone = promise.Failure{Category: "user", Words: "the request was cancelled, or its model or session ended"}

// numbered promises the work of a request that has a number among those of its model, once: the same request again gets the same promise.
func (s *Server) numbered(m *trained, seq int, hash [32]byte, size int, do work) any {
	if seq < 1 || seq > mostNumber {
		return m.promise(s.promises.Broken(promise.Failure{Category: "user", Words: "seq_id is missing, or far too large: a model's requests are numbered from 1"}))
	}
	s.mu.Lock()
	was, again := m.seen[seq]
	if again {
		s.mu.Unlock()
		if was.hash == hash {
			return plain{"request_id": was.request, "model_id": m.id}
		}
		return m.promise(s.promises.Broken(promise.Failure{Category: "user", Words: "another request had this seq_id"}))
	}
	ctx, stop := context.WithCancel(m.life)
	p, err := s.promises.Make(size, stop)
	if err != nil {
		s.mu.Unlock()
		stop()
		return tooMany(err)
	}
	m.seen[seq] = posted{hash, p.ID}
	m.forgetSeen(seq)
	s.mu.Unlock()
	s.enqueue(ctx, m, seq, p, do)
	return m.promise(p)
}

// enqueue puts work into the order of its model.
func (s *Server) enqueue(ctx context.Context, m *trained, seq int, p *promise.Promise, do work) {
	op := promise.Op{
		Do: func() {
			defer p.Cancel()
			var r promise.Result
			var weight int
			err := s.alone(ctx, m.session.id, func() (err error) {
				r, weight, err = do(ctx)
				return err
			})
			settle(ctx, p, r, weight, err)
		},
		Drop: func() { p.Break(gone); p.Cancel() },
	}
	if !m.lane.Put(seq, op) {
		s.mu.Lock()
		delete(m.seen, seq) // it was never taken, and need not be known again
		s.mu.Unlock()
		p.Break(promise.Failure{Category: "user", Words: "the model is past this seq_id, or has ended"})
		p.Cancel()
	}
}

// refuse promises that a request of a model has failed already, in its place among the others.
func (s *Server) refuse(m *trained, seq int, hash [32]byte, err error) any {
	return s.numbered(m, seq, hash, 0, func(context.Context) (promise.Result, int, error) { return nil, 0, userError{err} })
}

const (
	mostSeen   = 1 << 12 // numbers that a model remembers
	mostNumber = 1 << 53 // of a request: more than a model is asked for, and others follow it
)

// forgetSeen forgets numbers far behind the last one.
func (m *trained) forgetSeen(last int) {
	if len(m.seen) <= 2*mostSeen {
		return
	}
	for seq := range m.seen {
		if seq < last-mostSeen {
			delete(m.seen, seq)
		}
	}
}

// promise is the answer to a request of the model.
func (m *trained) promise(p *promise.Promise) any {
	return plain{"request_id": p.ID, "model_id": m.id}
}
