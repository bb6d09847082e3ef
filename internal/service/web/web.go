// Package web posts JSON to a server of the user's. What may pass is tried again after a growing pause: no connection, the
// deadline, a reply that cannot be read, and the statuses 429 and 5xx.
package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// A Server is where requests go. Its methods are safe for concurrent use.
type Server struct {
	URL      string
	Key      string        // sent as a bearer token; empty: none
	Deadline time.Duration // of one try
	Retries  int           // of one request
	Client   *http.Client  // nil: the default one
	Pause    time.Duration // before the first retry, doubled for each further one; 0: a quarter of a second
}

// together is how many requests are on their way at once.
const together = 8

// Each calls f with 0, ..., n-1, several at a time, and waits for all.
func Each(n int, f func(i int)) {
	actors := make(chan struct{}, together)
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

// Post sends a body as JSON until read takes the reply or there is nothing more to try.
func (s *Server) Post(ctx context.Context, body any, read func(reply []byte) error) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	pause := s.Pause
	if pause == 0 {
		pause = time.Second / 4
	}
	for attempt := 0; ; attempt++ {
		err := s.try(ctx, data, read)
		var final *finalError
		if err == nil || errors.As(err, &final) {
			return err
		}
		if attempt == s.Retries || ctx.Err() != nil {
			return fmt.Errorf("%s: %w", s.URL, err)
		}
		select {
		case <-time.After(pause << attempt):
		case <-ctx.Done():
		}
	}
}

func (s *Server) try(ctx context.Context, data []byte, read func([]byte) error) error {
	limited, stop := context.WithTimeout(ctx, s.Deadline)
	defer stop()
	reply, err := s.send(limited, data)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil { // else it is the caller's time that is up
		return fmt.Errorf("no answer within %v", s.Deadline)
	}
	if err != nil {
		return err
	}
	return read(reply)
}

// longestReply is the most bytes of a reply.
const longestReply = 1 << 20

func (s *Server) send(ctx context.Context, data []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(data))
	if err != nil {
		return nil, &finalError{err}
	}
	req.Header.Set("Content-Type", "application/json")
	if s.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.Key)
	}
	client := s.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, longestReply+1))
	switch status := resp.StatusCode; {
	case err != nil:
		return nil, err
	case status == http.StatusTooManyRequests || status >= 500:
		return nil, fmt.Errorf("%s: %.2000s", resp.Status, reply)
	case status != http.StatusOK:
		return nil, &finalError{fmt.Errorf("%s: %s: %.2000s", s.URL, resp.Status, reply)}
	case len(reply) > longestReply:
		return nil, fmt.Errorf("a reply of more than %d bytes", longestReply)
	}
	return reply, nil
}
