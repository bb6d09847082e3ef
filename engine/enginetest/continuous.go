package enginetest

import (
	"context"
	"errors"
	"slices"

	"parley/engine"
)

// An ending is what a request was told at its end.
type ending struct {
	engine.Sample
	err   error
	heard []int // tokens, one by one
	times int
}

// arrivals lets reqs[i] arrive before step i/2, one with a step without any, and returns their ends. change may alter what arrives.
func (s *suite) arrivals(reqs []engine.SampleRequest, change func(i int, a *engine.Arrival)) []ending {
	s.Helper()
	ends := make([]ending, len(reqs))
	calls, next := 0, 0
	arrive := func() []engine.Arrival {
		calls++
		if next == len(reqs) || calls%2 == 0 {
			return nil
		}
		i := next
		next++
		a := engine.Arrival{
			SampleRequest: reqs[i], Context: s.Context(),
			Token: func(token int) error { ends[i].heard = append(ends[i].heard, token); return nil },
			Done:  func(got engine.Sample, err error) { ends[i].Sample, ends[i].err = got, err; ends[i].times++ },
		}
		change(i, &a)
		return []engine.Arrival{a}
	}
	for next < len(reqs) {
		if err := s.Engine.(engine.Continuous).SampleArriving(s.Context(), arrive); err != nil {
			s.Fatal(err)
		}
	}
	for i := range ends {
		if ends[i].times != 1 {
			s.Errorf("request %d ended %d times", i, ends[i].times)
		}
	}
	return ends
}

// staggered are requests of several policies that are in flight together.
func (s *suite) staggered() []engine.SampleRequest {
	s.policy("p", "q")
	s.train("p", 2, engine.Datum{Policy: "p", Tokens: s.text(1, 12), ScoreFrom: 1})
	var reqs []engine.SampleRequest
	for i, p := range []engine.Policy{engine.Base, "p", "q", "p", engine.Base, "q"} {
		how := engine.Sampling{Temperature: 1}
		reqs = append(reqs, engine.SampleRequest{Policy: p, Prompt: s.text(i%2, 5), MaxTokens: 14 - i, Seed: uint64(i), Sampling: how})
	}
	return reqs
}

// arriving checks that requests which come one after the other get what they get when they come together.
func (s *suite) arriving() {
	reqs := s.staggered()
	want := s.sample(reqs...)
	for i, got := range s.arrivals(reqs, func(int, *engine.Arrival) {}) {
		if got.err != nil || !slices.Equal(got.Tokens, want[i].Tokens) || !slices.Equal(got.Logprobs, want[i].Logprobs) || got.Stop != want[i].Stop {
			s.Errorf("request %d: %v, stop %s, error %v; together with the others %v, stop %s", i, got.Tokens, got.Stop, got.err, want[i].Tokens, want[i].Stop)
		}
		if !slices.Equal(got.heard, want[i].Tokens) {
			s.Errorf("request %d was told %v of %v", i, got.heard, want[i].Tokens)
		}
	}
}

// leaving checks that who leaves, does not listen, or asks for what there is not, ends alone.
func (s *suite) leaving() {
	reqs := s.staggered()
	want := s.sample(reqs...)
	mine := errors.New("mine")
	ctx, leave := context.WithCancel(s.Context())
	ends := s.arrivals(reqs, func(i int, a *engine.Arrival) {
		told := a.Token
		switch i {
		case 0:
			a.Context = ctx
			a.Token = func(token int) error { leave(); return told(token) }
		case 2:
			a.Token = func(int) error { return mine }
		case 4:
			a.Prompt = nil
		}
	})
	if !errors.Is(ends[0].err, context.Canceled) || len(ends[0].Tokens) != 1 {
		s.Errorf("who left after a token got %d, error %v", len(ends[0].Tokens), ends[0].err)
	}
	if !errors.Is(ends[2].err, mine) || len(ends[2].Tokens) != 1 {
		s.Errorf("who did not take a token got %d, error %v", len(ends[2].Tokens), ends[2].err)
	}
	if ends[4].err == nil {
		s.Error("an empty prompt has no error")
	}
	for _, i := range []int{1, 3, 5} {
		if ends[i].err != nil || !slices.Equal(ends[i].Tokens, want[i].Tokens) {
			s.Errorf("request %d: %v, error %v; want %v as without those who left", i, ends[i].Tokens, ends[i].err, want[i].Tokens)
		}
	}
	if got := s.sample(reqs...); !slices.Equal(got[0].Tokens, want[0].Tokens) {
		s.Errorf("afterwards the first request gets %v, want %v", got[0].Tokens, want[0].Tokens)
	}
}

// stopped checks that the end of the context ends all, and that the engine can be used afterwards.
func (s *suite) stopped() {
	reqs := s.staggered()
	want := s.sample(reqs...)
	ctx, stop := context.WithCancel(s.Context())
	ended, sent := 0, false
	err := s.Engine.(engine.Continuous).SampleArriving(ctx, func() []engine.Arrival {
		if sent {
			return nil
		}
		sent = true
		var all []engine.Arrival
		for _, r := range reqs {
			all = append(all, engine.Arrival{SampleRequest: r, Token: func(int) error { stop(); return nil }, Done: func(_ engine.Sample, err error) {
				if errors.Is(err, context.Canceled) {
					ended++
				}
			}})
		}
		return all
	})
	if !errors.Is(err, context.Canceled) || ended != len(reqs) {
		s.Errorf("%d of %d requests ended, error %v", ended, len(reqs), err)
	}
	if got := s.sample(reqs...); !slices.Equal(got[1].Tokens, want[1].Tokens) {
		s.Errorf("afterwards a request gets %v, want %v", got[1].Tokens, want[1].Tokens)
	}
}
