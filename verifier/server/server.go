// Package server asks a model behind an OpenAI-compatible server whether answers are right. The score of an answer is the
// probability of "yes" among "yes" and "no" as the model's first token, where the server tells log-probabilities; else it is 1
// for the word yes and 0 for no.
//
// Requests have a deadline. What may pass is tried again after a growing pause: no connection, the deadline, an answer that
// cannot be read, and the statuses 429 and 5xx. An answer that stays without a score has failed.
package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"parley/verifier"
)

// A Server is a model that scores answers. Its methods are safe for concurrent use.
type Server struct {
	URL      string // such as http://127.0.0.1:8000/v1
	Model    string
	Key      string        // sent as a bearer token; empty: none
	Deadline time.Duration // of one request
	Retries  int           // of one answer
	Client   *http.Client  // nil: the default one
	Pause    time.Duration // before the first retry, doubled for each further one; 0: a quarter of a second
}

// together is how many requests are on their way at once.
const together = 8

// Score asks about all answers, several at a time.
func (s *Server) Score(ctx context.Context, answers []verifier.Answer) ([]verifier.Score, error) {
	scores := make([]verifier.Score, len(answers))
	seats := make(chan struct{}, together)
	var wait sync.WaitGroup
	for i, a := range answers {
		seats <- struct{}{}
		wait.Go(func() {
			defer func() { <-seats }()
			scores[i] = s.score(ctx, a)
		})
	}
	wait.Wait()
	return scores, ctx.Err()
}

// score asks about one answer until there is a score or nothing more to try.
func (s *Server) score(ctx context.Context, a verifier.Answer) verifier.Score {
	pause := s.Pause
	if pause == 0 {
		pause = time.Second / 4
	}
	for attempt := 0; ; attempt++ {
		p, err := s.ask(ctx, a)
		if err == nil {
			return verifier.Checked(p)
		}
		var final *finalError
		if attempt == s.Retries || errors.As(err, &final) || ctx.Err() != nil {
			return verifier.Failed("%s: %w", s.URL, err)
		}
		select {
		case <-time.After(pause << attempt):
		case <-ctx.Done():
		}
	}
}

// A finalError is one that another try would not change.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

func (s *Server) ask(ctx context.Context, a verifier.Answer) (float64, error) {
	ctx, stop := context.WithTimeout(ctx, s.Deadline)
	defer stop()
	data, err := s.post(ctx, newRequest(s.Model, a))
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer within %v", s.Deadline)
		}
		return 0, err
	}
	return parse(data)
}
