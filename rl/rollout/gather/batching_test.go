package gather

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
)

func openBase(t *testing.T) (*native.Engine, *model.Model) {
	t.Helper()
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(); m.Close() })
	return e, m
}

func requestOf(m *model.Model, text string, n int, seed uint64) engine.SampleRequest {
	prompt, err := m.Tokenizer.Encode(text, true)
	if err != nil {
		panic(err) // of texts that stand in this file
	}
	return engine.SampleRequest{Prompt: prompt, MaxTokens: n, Seed: seed, Sampling: engine.Sampling{Temperature: 1}}
}

// TestManyCallers: callers who come at once and one after the other each get what they get alone.
func TestManyCallers(t *testing.T) {
	e, m := openBase(t)
	b := NewBatcher(e)
	texts := []string{"Question: What is 2 + 3?", "Question: Tom has", "The", "Question: What is 2 + 4?"}
	const callers = 12
	var wait sync.WaitGroup
	got := make([][]engine.Sample, callers)
	heard := make([][]int, callers)
	for c := range callers {
		wait.Go(func() {
			for round := range 3 {
				reqs := []engine.SampleRequest{requestOf(m, texts[c%4], 5+c, uint64(c)), requestOf(m, texts[(c+1)%4], 3, uint64(c+round))}
				all, err := b.Stream(t.Context(), reqs, func(i, token int) error {
					if round == 2 && i == 0 {
						heard[c] = append(heard[c], token)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				got[c] = all
			}
		})
	}
	wait.Wait()
	for c := range callers {
		want, err := e.Sample(t.Context(), []engine.SampleRequest{requestOf(m, texts[c%4], 5+c, uint64(c)), requestOf(m, texts[(c+1)%4], 3, uint64(c+2))})
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !slices.Equal(got[c][i].Tokens, want[i].Tokens) || !slices.Equal(got[c][i].Logprobs, want[i].Logprobs) {
				t.Errorf("caller %d, request %d: %v, alone %v", c, i, got[c][i].Tokens, want[i].Tokens)
			}
		}
		if !slices.Equal(heard[c], want[0].Tokens) {
			t.Errorf("caller %d was told %v of %v", c, heard[c], want[0].Tokens)
		}
	}
	if n := b.InFlight(); n != 0 {
		t.Errorf("%d requests are in flight at the end", n)
	}
}

// A paced engine draws no second token of a request before left is closed.
type paced struct {
	engine.Continuous
	left chan struct{}
}

// SampleArriving implements [engine.Continuous].
func (p paced) SampleArriving(ctx context.Context, take func() []engine.Arrival) error {
	return p.Continuous.SampleArriving(ctx, func() []engine.Arrival {
		all := take()
		for i, a := range all {
			all[i].Token = func(token int) error {
				err := a.Token(token)
				<-p.left
				return err
			}
		}
		return all
	})
}

// TestCallersLeave: a caller that leaves, or whose listener fails, gets that error, and its requests end though they have long to go.
func TestCallersLeave(t *testing.T) {
	e, m := openBase(t)
	left := make(chan struct{})
	b := NewBatcher(paced{e, left})
	long := func(seed uint64) engine.SampleRequest {
		r := requestOf(m, "Question:", 1<<20, seed)
		r.Sampling.Temperature, r.MinTokens = 3, 100
		return r
	}
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-ctx.Done(); close(left) }()
	if _, err := b.Stream(ctx, []engine.SampleRequest{long(1), long(2)}, func(int, int) error { leave(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a caller that left", err)
	}
	mine := errors.New("mine")
	if _, err := b.Stream(t.Context(), []engine.SampleRequest{long(3), long(4)}, func(int, int) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("error %v, want the listener's", err)
	}
	if _, err := b.Stream(t.Context(), []engine.SampleRequest{requestOf(m, "The", 3, 1), {MaxTokens: 3}}, nil); err == nil {
		t.Error("an empty prompt has no error")
	}
	if n := b.InFlight(); n != 0 {
		t.Errorf("%d requests are in flight at the end", n)
	}
	if all, err := b.Stream(t.Context(), nil, nil); err != nil || len(all) != 0 {
		t.Errorf("no requests give %v, %v", all, err)
	}
}
