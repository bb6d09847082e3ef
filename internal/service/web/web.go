// Package web talks to servers of others: those of rewards, verifiers and experts, the model hub and trackers. None of them is trusted
// with more than it needs. The policy is one for all:
//
//   - Only GET and HEAD follow redirects, at most ten. A token stays with its scheme, host and port, and encryption is not given up.
//     A redirect that is not followed is an error that names where it leads ([Redirect]).
//   - Every phase has a deadline: the connection, its encryption, the head of an answer ([NewClient]), and the whole of a request.
//   - Heads and bodies have bounds, a packed body also when it is unpacked ([Read]).
//   - What may pass is tried again after a growing pause with chance in it, or after the time that the server asks for, up to a
//     bound ([Pause], [Asked]): no connection, the deadline, a reply that cannot be read, and the statuses 408, 429 and 5xx.
//   - What errors quote of a server is short and printable ([Words]).
//
// A [Server] is asked by POST, in JSON, under this policy. [Locate] knows the addresses of the program that started parley.
//
// [Listen] is how every server of parley takes requests. A slow client cannot keep a connection, whether it has the server's token or not. No page of
// another origin reaches a server of this machine by a name of its own ([KnowsHost]). An answer has no time limit: a client is let go only if it does
// not read what was sent. When the server ends, clients that have not sent the whole of a request are let go as well, so that none of them holds it up.
// What a server counts and measures it writes in the text format of Prometheus ([Registry]).
package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	"parley/internal/service"
)

// A Server is where requests go. Its methods are safe for concurrent use.
type Server struct {
	URL      string
	Shown    string        // in messages; empty: the URL without what may be secret in it
	Key      string        // sent as a bearer token; empty: none
	Header   http.Header   // sent besides; it may hold a key, and stays at home as one
	Deadline time.Duration // of one try
	Retries  int           // of one request
	Pause    time.Duration // before the first retry, doubled for each further one
	Longest  int           // bytes of a reply; 0: 1 MiB
	Later    bool          // 202 is a reply as well: an empty one
	// Gate is asked before every try, and told when its reply has been read: it may let it wait, or refuse it, which ends the request. nil: all
	// may pass.
	Gate func(ctx context.Context) (done func(), err error)

	client *http.Client
}

// At is another address of the same server.
func (s *Server) At(address string) *Server {
	other := *s
	other.URL = address
	return &other
}

// New returns a server that is asked under the policy.
func New(address, key string, deadline time.Duration, retries int) *Server {
	client := NewClient(2 * deadline) // each try has the deadline as a whole
	return &Server{URL: address, Key: key, Deadline: deadline, Retries: retries, Pause: time.Second / 4, client: client}
}

// Together is how many requests are on their way at once.
const Together = 8

// Each calls f with 0, ..., n-1, at most so many at a time, and waits for all.
func Each(n, most int, f func(i int)) {
	actors := make(chan struct{}, most)
	var wait sync.WaitGroup
	for i := range n {
		actors <- struct{}{}
		wait.Go(func() {
			defer func() { <-actors }()
			f(i)
		})
	}
	wait.Wait()
}

// A finalError is one that another try would not change.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

// A laterError is one after which the server asks to be left alone for a while.
type laterError struct {
	error
	after time.Duration
}

func (e *laterError) Unwrap() error { return e.error }

const (
	longestRequest = 16 << 20 // bytes
	longestReply   = 1 << 20
)

// Post sends a body as JSON until read takes the reply or there is nothing more to try.
func (s *Server) Post(ctx context.Context, body any, read func(reply []byte) error) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if len(data) > longestRequest {
		return fmt.Errorf("%s: a request of %d bytes, expected at most %d", s.Name(), len(data), longestRequest)
	}
	for failures := 1; ; failures++ {
		err := s.try(ctx, data, read)
		if err == nil {
			return nil
		}
		if left := service.Left(ctx, s.Name()); left != nil {
			return left
		}
		if failures > s.Retries || errors.As(err, new(*finalError)) {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
		pause := Pause(s.Pause, failures)
		if later, ok := errors.AsType[*laterError](err); ok {
			pause = max(pause, later.after)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// Name is the server's address without what may be secret in it.
func (s *Server) Name() string {
	if s.Shown != "" {
		return s.Shown
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return "the server"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func (s *Server) try(ctx context.Context, data []byte, read func([]byte) error) error {
	if s.Gate != nil {
		done, err := s.Gate(ctx)
		if err != nil {
			return &finalError{err}
		}
		defer done()
	}
	limited, stop := context.WithTimeout(ctx, s.Deadline)
	defer stop()
	reply, err := s.send(limited, data)
	if limited.Err() != nil && err != nil && ctx.Err() == nil { // else it is the caller's time that is up
		return fmt.Errorf("no answer within %v", s.Deadline)
	}
	if err != nil {
		return err
	}
	if err := service.Text(reply); err != nil {
		return fmt.Errorf("the reply %.80q: %w", reply, err)
	}
	return read(reply)
}

func (s *Server) send(ctx context.Context, data []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(data))
	if err != nil {
		return nil, &finalError{Cause(err)}
	}
	maps.Copy(req.Header, s.Header)
	req.Header.Set("Content-Type", "application/json")
	if s.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.Key)
	}
	answer, err := s.client.Do(req)
	if err != nil {
		return nil, Cause(err)
	}
	defer answer.Body.Close()
	if s.Later && answer.StatusCode == http.StatusAccepted {
		return nil, nil
	}
	if answer.StatusCode == http.StatusOK {
		return Read(answer, cmp.Or(s.Longest, longestReply))
	}
	failure := Failure(answer)
	if !failure.Passing() {
		return nil, &finalError{failure}
	}
	return nil, &laterError{failure, Asked(answer)}
}
