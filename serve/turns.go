package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Work lets a request work when it is its turn. A client that left is told nothing. user is who asks, in the words of the client; empty: clients
// are told apart by their address.
func (g *Gate) Work(r *http.Request, user string, f func(ctx context.Context) error) *Failure {
	begun := time.Now()
	leave, err := g.queue.Enter(r.Context(), client(r, user))
	if err == nil {
		defer leave()
		err = g.timed(r.Context(), f)
	}
	switch {
	case g.Left(r):
		g.counts.cancelled.Add(1)
		panic(http.ErrAbortHandler) // there is nobody to tell
	case err != nil:
		return FailureOf(err)
	}
	g.counts.latency.Observe(time.Since(begun).Seconds())
	return nil
}

// Stream answers a request piece by piece when it is its turn. What is wrong before it begins is a status, as clients know it of whole answers, and what goes
// wrong behind the head is an event. An answer that is silent for as long as still says that it is coming.
func (g *Gate) Stream(w http.ResponseWriter, r *http.Request, user string, still time.Duration, ready func() error, answer func(context.Context, *Events) error) *Failure {
	return g.Work(r, user, func(ctx context.Context) error {
		if err := ready(); err != nil {
			return err
		}
		e := NewEvents(w, still)
		defer e.Close()
		err := answer(ctx, e)
		if err != nil {
			g.Broken(r, err, e.Fail)
		}
		return err
	})
}

// timed calls f, for as long as a request may take.
func (g *Gate) timed(ctx context.Context, f func(ctx context.Context) error) error {
	if g.options.Longest > 0 {
		limited, cancel := context.WithTimeout(ctx, g.options.Longest)
		defer cancel()
		ctx = limited
	}
	return f(ctx)
}

// Left reports whether the client of a request is gone. While the server stops, it may be the server that ended the request.
func (g *Gate) Left(r *http.Request) bool {
	return errors.Is(r.Context().Err(), context.Canceled) && !g.draining.Load()
}

// Broken ends an answer that has begun and fails: tell says why, and the connection is cut, so that no client takes the answer for a whole one.
// It does not return, but for a client that left.
func (g *Gate) Broken(r *http.Request, err error, tell func(*Failure) error) {
	if g.Left(r) {
		return
	}
	_ = tell(FailureOf(err)) // the client may be gone as well
	panic(http.ErrAbortHandler)
}

// Counts are how many requests work and wait.
func (g *Gate) Counts() (working, waiting int) { return g.queue.Counts() }

// client is a word for who asks.
func client(r *http.Request, user string) string {
	if user != "" {
		return user
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil { // of a writer that is no network, as in tests
		return r.RemoteAddr
	}
	return host
}
