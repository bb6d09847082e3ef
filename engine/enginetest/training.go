package enginetest

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"parley/engine"
)

func (s *suite) policies() {
	s.policy("p")
	if err := s.NewPolicy(s.Context(), "p", spec); err == nil {
		s.Error("a second policy of one name was made")
	}
	if err := s.NewPolicy(s.Context(), engine.Base, spec); err == nil {
		s.Error("a policy with the base's name was made")
	}
	bad := spec
	bad.Targets = []string{"no_such_proj"}
	if err := s.NewPolicy(s.Context(), "bad", bad); err == nil {
		s.Error("a policy over an unknown projection was made")
	}
	base := engine.Datum{Tokens: s.text(0, 8), ScoreFrom: 1}
	fresh := base
	fresh.Policy = "p"
	o := s.forward(base, fresh)
	s.same("fresh policy", o[1].Logprobs, o[0].Logprobs)
}

func (s *suite) badRequests() {
	for _, d := range []engine.Datum{
		{Policy: "none", Tokens: s.text(0, 4), ScoreFrom: 1},
		{Tokens: s.text(0, 4), ScoreFrom: 0},
		{Tokens: s.text(0, 4), ScoreFrom: 5},
		{ScoreFrom: 1},
		{Tokens: []int{0, -1}, ScoreFrom: 1},
		{Tokens: []int{0, s.tokens}, ScoreFrom: 1},
		{Tokens: s.text(0, 4), ScoreFrom: 2, Given: [][2]int{{1, 3}}},
		{Tokens: s.text(0, 4), ScoreFrom: 1, Given: [][2]int{{2, 5}}},
		{Tokens: s.text(0, 4), ScoreFrom: 1, Given: [][2]int{{2, 2}}},
		{Tokens: s.text(0, 4), ScoreFrom: 1, Given: [][2]int{{2, 3}, {1, 2}}},
		{Tokens: s.text(0, 4), ScoreFrom: 1, Sampling: engine.Sampling{Temperature: -1}},
		{Tokens: s.text(0, 4), ScoreFrom: 1, Sampling: engine.Sampling{Temperature: 1, TopP: 2}},
	} {
		if _, err := s.Forward(s.Context(), []engine.Datum{d}); err == nil {
			s.Errorf("datum %+v was scored", d)
		}
	}
	for _, r := range []engine.SampleRequest{
		{Policy: "none", Prompt: s.text(0, 4), MaxTokens: 1}, {MaxTokens: 1}, {Prompt: []int{s.tokens}, MaxTokens: 1},
	} {
		if _, err := s.Sample(s.Context(), []engine.SampleRequest{r}); err == nil {
			s.Errorf("request %+v was sampled", r)
		}
	}
	if err := s.ForwardBackward(s.Context(), []engine.Datum{{Tokens: s.text(0, 4), ScoreFrom: 1}}, likelihood); err == nil {
		s.Error("the base was trained")
	}
	if _, err := s.Step(s.Context(), "none", adam); err == nil {
		s.Error("an unknown policy made a step")
	}
}

// lossOrder checks that a loss sees each datum once, in order.
func (s *suite) lossOrder() {
	s.policy("p", "q")
	var data []engine.Datum
	for i := range 9 {
		data = append(data, engine.Datum{Policy: []engine.Policy{"p", "q"}[i%2], Tokens: s.text(i%3, 5+i), ScoreFrom: 1 + i%4})
	}
	want := s.forward(data...)
	next := 0
	err := s.ForwardBackward(s.Context(), data, func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		if first != next {
			s.Errorf("the loss gets data from %d, want %d", first, next)
		}
		for i, o := range outputs {
			s.same("output in a loss", o.Logprobs, want[first+i].Logprobs)
		}
		next = first + len(outputs)
		return likelihood(first, outputs)
	})
	if err != nil || next != len(data) {
		s.Errorf("the loss saw %d of %d data, error %v", next, len(data), err)
	}
}

// lossError checks that after an error of the loss nothing is accumulated.
func (s *suite) lossError() {
	s.policy("p")
	d := engine.Datum{Policy: "p", Tokens: s.text(0, 8), ScoreFrom: 1}
	before := s.forward(d)[0]
	mine := errors.New("mine")
	err := s.ForwardBackward(s.Context(), []engine.Datum{d}, func(int, []engine.Output) ([]engine.Gradient, error) { return nil, mine })
	if !errors.Is(err, mine) {
		s.Errorf("error %v does not wrap that of the loss", err)
	}
	if err := s.ForwardBackward(s.Context(), []engine.Datum{d}, func(int, []engine.Output) ([]engine.Gradient, error) { return nil, nil }); err == nil {
		s.Error("a loss without gradients was accepted")
	}
	if info, err := s.Step(s.Context(), "p", adam); err != nil || info.GradNorm != 0 || info.UpdateNorm != 0 {
		s.Errorf("step after a failed loss: norm %v, moved by %v, error %v", info.GradNorm, info.UpdateNorm, err)
	}
	s.same("after a failed loss", s.forward(d)[0].Logprobs, before.Logprobs)
}

func (s *suite) notFinite() {
	s.policy("p")
	d := engine.Datum{Policy: "p", Tokens: s.text(0, 8), ScoreFrom: 1}
	before := s.forward(d)[0]
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		err := s.ForwardBackward(s.Context(), []engine.Datum{d}, func(_ int, o []engine.Output) ([]engine.Gradient, error) {
			g, _ := likelihood(0, o)
			g[0].Logprobs[3] = float32(bad)
			return g, nil
		})
		if err == nil {
			_, err = s.Step(s.Context(), "p", adam)
		}
		if !errors.Is(err, engine.ErrNotFinite) {
			s.Errorf("gradient %v: error %v is not ErrNotFinite", bad, err)
		}
		s.same("after a gradient that is not finite", s.forward(d)[0].Logprobs, before.Logprobs)
	}
	if info, err := s.Step(s.Context(), "p", adam); err != nil || info.GradNorm != 0 {
		s.Errorf("gradients were not cleared: norm %v, error %v", info.GradNorm, err)
	}
}

func (s *suite) learns() {
	s.policy("p")
	d := engine.Datum{Policy: "p", Tokens: s.text(0, 10), ScoreFrom: 2}
	before := sum(s.forward(d)[0].Logprobs)
	s.train("p", 8, d)
	if after := sum(s.forward(d)[0].Logprobs); !(after > before+0.1) {
		s.Errorf("eight steps took the log-likelihood from %v to %v", before, after)
	}
}

func (s *suite) independent() {
	s.policy("p", "q")
	data := []engine.Datum{{Tokens: s.text(0, 10), ScoreFrom: 1}, {Policy: "q", Tokens: s.text(0, 10), ScoreFrom: 1}}
	before := s.forward(data...)
	s.train("p", 2, engine.Datum{Policy: "p", Tokens: s.text(0, 10), ScoreFrom: 1})
	for i, o := range s.forward(data...) {
		s.same("policy that was not trained", o.Logprobs, before[i].Logprobs)
	}
}

// gradientsAddUp checks that one call with two data and two calls with one give the same step.
func (s *suite) gradientsAddUp() {
	s.policy("p")
	if err := s.NewPolicy(s.Context(), "twin", spec); err != nil {
		s.Fatal(err)
	}
	data := []engine.Datum{{Policy: "p", Tokens: s.text(0, 10), ScoreFrom: 1}, {Policy: "p", Tokens: s.text(1, 7), ScoreFrom: 3}}
	s.train("p", 1, data...)
	for i := range data {
		data[i].Policy = "twin"
		if err := s.ForwardBackward(s.Context(), data[i:i+1], likelihood); err != nil {
			s.Fatal(err)
		}
	}
	if _, err := s.Step(s.Context(), "twin", adam); err != nil {
		s.Fatal(err)
	}
	o := s.forward(engine.Datum{Policy: "p", Tokens: s.text(0, 10), ScoreFrom: 1}, data[0])
	s.same("twin", o[1].Logprobs, o[0].Logprobs)
}

func (s *suite) saveLoad() {
	s.policy("p")
	d := engine.Datum{Policy: "p", Tokens: s.text(0, 10), ScoreFrom: 1}
	s.train("p", 2, d)
	dir := s.folder()
	if err := s.Save(s.Context(), "p", dir); err != nil {
		s.Fatal(err)
	}
	if err := s.Load(s.Context(), "q", dir); err != nil {
		s.Fatal(err)
	}
	q := d
	q.Policy = "q"
	s.train("p", 2, d)
	s.train("q", 2, q)
	o := s.forward(d, q)
	s.same("loaded policy after two more steps", o[1].Logprobs, o[0].Logprobs)
	if err := s.Save(s.Context(), "none", s.folder()); err == nil {
		s.Error("an unknown policy was saved")
	}
	if err := s.Load(s.Context(), "r", s.folder()); err == nil {
		s.Error("a policy was loaded from a folder that is not there")
	}
}

// valueHead checks the shapes of values, and that they learn. An engine without value heads says errors.ErrUnsupported.
func (s *suite) valueHead() {
	with := spec
	with.ValueHead = true
	err := s.NewPolicy(s.Context(), "critic", with)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	if err != nil {
		s.Fatal(err)
	}
	d := engine.Datum{Policy: "critic", Tokens: s.text(0, 10), ScoreFrom: 4}
	squares := func(_ int, o []engine.Output) ([]engine.Gradient, error) {
		g := make([]float32, len(o[0].Values))
		for i, v := range o[0].Values {
			g[i] = 2 * (v - 1)
		}
		return []engine.Gradient{{Values: g}}, nil
	}
	for range 20 {
		if err := s.ForwardBackward(s.Context(), []engine.Datum{d}, squares); err != nil {
			s.Fatal(err)
		}
		if _, err := s.Step(s.Context(), "critic", adam); err != nil {
			s.Fatal(err)
		}
	}
	values := s.forward(d)[0].Values
	if len(values) != 7 || !(sum(values)/7 > 0.3) {
		s.Errorf("values %v after 20 steps towards 1; want 7 of them, well above 0", values)
	}
	d.ValuesOnly = true
	alone := s.forward(d)[0]
	s.same("values alone", alone.Values, values)
	if alone.Logprobs != nil {
		s.Errorf("values alone come with log-probabilities %v", alone.Logprobs)
	}
	plain := engine.Datum{Tokens: s.text(0, 10), ScoreFrom: 4}
	if got := s.forward(plain)[0].Values; got != nil {
		s.Errorf("the base has values %v", got)
	}
	plain.ValuesOnly = true
	if _, err := s.Forward(s.Context(), []engine.Datum{plain}); err == nil {
		s.Error("the base was asked for values and did not refuse")
	}
}

func (s *suite) cancelled() {
	s.policy("p")
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	d := []engine.Datum{{Policy: "p", Tokens: s.text(0, 10), ScoreFrom: 1}}
	_, err1 := s.Sample(ctx, []engine.SampleRequest{{Prompt: s.text(0, 4), MaxTokens: 4}})
	_, err2 := s.Forward(ctx, d)
	err3 := s.ForwardBackward(ctx, d, likelihood)
	for i, err := range []error{err1, err2, err3} {
		if !errors.Is(err, context.Canceled) {
			s.Errorf("call %d with a cancelled context: error %v", i, err)
		}
	}
}

func (s *suite) concurrent() {
	s.policy("p", "q")
	reqs := []engine.SampleRequest{{Policy: "p", Prompt: s.text(0, 4), MaxTokens: 6, Seed: 3, Sampling: engine.Sampling{Temperature: 1}}}
	d := engine.Datum{Policy: "q", Tokens: s.text(1, 8), ScoreFrom: 1}
	tokens, scores := s.sample(reqs...)[0].Tokens, s.forward(d)[0].Logprobs
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := s.Sample(s.Context(), reqs)
			if err != nil || !slices.Equal(got[0].Tokens, tokens) {
				s.Errorf("concurrent sample: %v, error %v, want %v", got, err, tokens)
			}
		})
		wg.Go(func() {
			o, err := s.Forward(s.Context(), []engine.Datum{d})
			if err != nil {
				s.Error(err)
				return
			}
			s.same("concurrent forward", o[0].Logprobs, scores)
		})
	}
	wg.Wait()
}
