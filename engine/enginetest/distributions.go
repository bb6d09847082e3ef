package enginetest

import (
	"errors"
	"math"
	"slices"

	"parley/engine"
)

// allOf are log-probabilities of every token after some, each scored by itself.
func (s *suite) allOf(p engine.Policy, before []int, how engine.Sampling) []float32 {
	s.Helper()
	var data []engine.Datum
	for t := range s.tokens {
		data = append(data, engine.Datum{Policy: p, Tokens: append(slices.Clone(before), t), ScoreFrom: len(before), Sampling: how})
	}
	all := make([]float32, s.tokens)
	for t, o := range s.forward(data...) {
		all[t] = o.Logprobs[0]
	}
	return all
}

// trained makes a policy that is not the base.
func (s *suite) trained(p engine.Policy) {
	s.Helper()
	s.policy(p)
	s.train(p, 3, engine.Datum{Policy: p, Tokens: s.text(0, 10), ScoreFrom: 1})
}

// distributions compares whole ones with the scores of every token, and the most probable tokens with those of the whole.
func (s *suite) distributions() {
	s.trained("p")
	d := s.Engine.(engine.Distributor)
	prefixes := []engine.Prefix{
		{Policy: "p", Tokens: s.text(0, 6), From: 4, Sampling: engine.Sampling{Temperature: 1.5}},
		{Tokens: s.text(1, 3), From: 3},
		{Policy: "p", Tokens: s.text(2, 5), From: 1},
	}
	type place struct{ i, length int }
	var places []place
	var whole [][]float32
	err := d.Distributions(s.Context(), prefixes, 0, func(i, length int, d engine.Distribution) error {
		if d.Tokens != nil || len(d.Logprobs) != s.tokens {
			s.Fatalf("prefix %d: %d tokens and %d log-probabilities; want none, and those of the vocabulary", i, len(d.Tokens), len(d.Logprobs))
		}
		places, whole = append(places, place{i, length}), append(whole, slices.Clone(d.Logprobs))
		return nil
	})
	if want := []place{{0, 4}, {0, 5}, {0, 6}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 5}}; err != nil || !slices.Equal(places, want) {
		s.Fatalf("places %v, error %v; want %v", places, err, want)
	}
	for j, at := range places {
		p := prefixes[at.i]
		s.same("whole distribution", whole[j], s.allOf(p.Policy, p.Tokens[:at.length], p.Sampling))
	}
	j := 0
	err = d.Distributions(s.Context(), prefixes, 5, func(_, _ int, d engine.Distribution) error {
		s.mostProbable(d, whole[j])
		j++
		return nil
	})
	if err != nil || j != len(places) {
		s.Errorf("%d distributions of most probable tokens, error %v", j, err)
	}
}

// mostProbable checks 5 tokens against the whole distribution: none outside is more probable, and they come in order.
func (s *suite) mostProbable(d engine.Distribution, whole []float32) {
	s.Helper()
	n := min(5, s.tokens)
	if len(d.Tokens) != n || len(d.Logprobs) != n {
		s.Fatalf("%d tokens and %d log-probabilities, want %d", len(d.Tokens), len(d.Logprobs), n)
	}
	for i, t := range d.Tokens {
		s.same("a probable token", d.Logprobs[i:i+1], whole[t:t+1])
		if i > 0 && d.Logprobs[i] > d.Logprobs[i-1] {
			s.Errorf("log-probabilities %v do not fall", d.Logprobs)
		}
		if slices.Contains(d.Tokens[:i], t) {
			s.Errorf("token %d comes twice in %v", t, d.Tokens)
		}
	}
	for t, l := range whole {
		if l > d.Logprobs[n-1]+tolerance && !slices.Contains(d.Tokens, t) {
			s.Errorf("token %d with %v is left out of %v with %v", t, l, d.Tokens, d.Logprobs)
		}
	}
}

// badPrefixes checks refusals, and that an error of who is told ends the call.
func (s *suite) badPrefixes() {
	d := s.Engine.(engine.Distributor)
	none := func(int, int, engine.Distribution) error { return nil }
	for _, p := range []engine.Prefix{
		{},
		{Tokens: s.text(0, 3)},
		{Tokens: s.text(0, 3), From: 4},
		{Tokens: []int{s.tokens}, From: 1},
		{Policy: "none", Tokens: s.text(0, 3), From: 1},
		{Tokens: s.text(0, 3), From: 1, Sampling: engine.Sampling{Temperature: 1, TopK: 2}},
	} {
		if err := d.Distributions(s.Context(), []engine.Prefix{p}, 2, none); err == nil {
			s.Errorf("prefix %+v has distributions", p)
		}
	}
	mine, calls := errors.New("mine"), 0
	err := d.Distributions(s.Context(), []engine.Prefix{{Tokens: s.text(0, 4), From: 1}}, 2, func(int, int, engine.Distribution) error {
		calls++
		return mine
	})
	if !errors.Is(err, mine) || calls != 1 {
		s.Errorf("error %v after %d calls; want the listener's after one", err, calls)
	}
}

// softTargets checks what training towards a distribution scores, and that its gradient is that of its tokens one by one.
func (s *suite) softTargets() {
	s.trained("p")
	e := s.Engine.(engine.Distiller)
	d := engine.Datum{Policy: "p", Tokens: s.text(0, 6), ScoreFrom: 3}
	q := [][]engine.Target{{{Token: 1, Mass: 0.5}, {Token: 2, Mass: 0.3}, {Token: 3, Mass: 0.2}}, nil, {{Token: 0, Mass: 0.25}}}
	soft, err := e.ForwardSoft(s.Context(), []engine.Datum{d, d}, [][][]engine.Target{q, nil})
	if err != nil || len(soft) != 2 {
		s.Fatalf("%d outputs, error %v", len(soft), err)
	}
	var want []float32
	for j := range q {
		want = append(want, s.expected(q[j], s.allOf("p", d.Tokens[:3+j], engine.Sampling{}), d.Tokens[3+j]))
	}
	s.same("soft targets", soft[0].Logprobs, want)
	s.same("no targets", soft[1].Logprobs, s.forward(d)[0].Logprobs)
	s.softGradient(d, q)
}

// expected is Σ q(v)·log p(v), or log p(token) where q is nil.
func (s *suite) expected(q []engine.Target, logprobs []float32, token int) float32 {
	if q == nil {
		return logprobs[token]
	}
	total := 0.0
	for _, t := range q {
		total += float64(t.Mass) * float64(logprobs[t.Token])
	}
	return float32(total)
}

// softGradient trains twins: one towards distributions, one on their tokens, each of which weighs its mass.
func (s *suite) softGradient(d engine.Datum, q [][]engine.Target) {
	s.Helper()
	s.policy("soft")
	if err := s.NewPolicy(s.Context(), "plain", spec); err != nil {
		s.Fatal(err)
	}
	d.Policy = "soft"
	if err := s.Engine.(engine.Distiller).ForwardBackwardSoft(s.Context(), []engine.Datum{d}, [][][]engine.Target{q}, likelihood); err != nil {
		s.Fatal(err)
	}
	var data []engine.Datum
	var masses []float32
	for j, targets := range q {
		before := d.Tokens[:d.ScoreFrom+j]
		if targets == nil {
			targets = []engine.Target{{Token: d.Tokens[d.ScoreFrom+j], Mass: 1}}
		}
		for _, t := range targets {
			data = append(data, engine.Datum{Policy: "plain", Tokens: append(slices.Clone(before), t.Token), ScoreFrom: len(before)})
			masses = append(masses, t.Mass)
		}
	}
	err := s.ForwardBackward(s.Context(), data, func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		g := make([]engine.Gradient, len(outputs))
		for i := range g {
			g[i].Logprobs = []float32{-masses[first+i]}
		}
		return g, nil
	})
	if err != nil {
		s.Fatal(err)
	}
	var norms [2]float64
	for i, p := range []engine.Policy{"soft", "plain"} {
		info, err := s.Step(s.Context(), p, adam)
		if err != nil {
			s.Fatal(err)
		}
		norms[i] = info.GradNorm
	}
	if math.Abs(norms[0]-norms[1]) > tolerance*norms[1] || norms[1] == 0 {
		s.Errorf("the gradient towards distributions has norm %v, that of their tokens %v", norms[0], norms[1])
	}
	s.same("after a step", s.allOf("soft", d.Tokens, engine.Sampling{}), s.allOf("plain", d.Tokens, engine.Sampling{}))
}

// badTargets checks refusals, after which nothing is accumulated.
func (s *suite) badTargets() {
	s.policy("p")
	e := s.Engine.(engine.Distiller)
	one := []engine.Target{{Token: 1, Mass: 1}}
	d := engine.Datum{Policy: "p", Tokens: s.text(0, 4), ScoreFrom: 3}
	masked, cut, values := d, d, d
	masked.Mask = engine.Mask{Never: [][2]int{{2, 3}}}
	cut.Sampling = engine.Sampling{Temperature: 1, TopK: 2}
	values.ValuesOnly = true
	for _, bad := range []struct {
		d engine.Datum
		q [][][]engine.Target
	}{
		{d, [][][]engine.Target{}},
		{d, [][][]engine.Target{{one, one}}},
		{d, [][][]engine.Target{{{}}}},
		{d, [][][]engine.Target{{{{Token: s.tokens, Mass: 1}}}}},
		{d, [][][]engine.Target{{{{Token: 1, Mass: -1}}}}},
		{d, [][][]engine.Target{{{{Token: 1, Mass: float32(math.NaN())}}}}},
		{masked, [][][]engine.Target{{one}}},
		{cut, [][][]engine.Target{{one}}},
		{values, [][][]engine.Target{{one}}},
	} {
		if err := e.ForwardBackwardSoft(s.Context(), []engine.Datum{bad.d}, bad.q, likelihood); err == nil {
			s.Errorf("datum %+v was trained towards %v", bad.d, bad.q)
		}
	}
	if info, err := s.Step(s.Context(), "p", adam); err != nil || info.GradNorm != 0 {
		s.Errorf("a step after refusals has a gradient of norm %v, error %v", info.GradNorm, err)
	}
}

// steer checks that who chooses sees the distribution that tokens are drawn from, and that what is chosen is what is sampled.
func (s *suite) steer() {
	s.trained("p")
	reqs := []engine.SampleRequest{
		{Policy: "p", Prompt: s.text(0, 4), MaxTokens: 5},
		{Prompt: s.text(1, 3), MaxTokens: 3, Sampling: engine.Sampling{Temperature: 0.7}, Never: [][2]int{{0, 2}}},
		{Policy: "p", Prompt: s.text(2, 3), MaxTokens: 4, Stop: s.text(5, 1)},
	}
	calls := make([]int, len(reqs))
	got, err := s.Engine.(engine.Steerer).SampleSteered(s.Context(), reqs, func(i int, logprobs []float32) (int, error) {
		calls[i]++
		total := 0.0
		for t, l := range logprobs {
			if i == 1 && t < 2 && !math.IsInf(float64(l), -1) {
				s.Errorf("token %d is never drawn, and has log-probability %v", t, l)
			}
			total += math.Exp(float64(l))
		}
		if len(logprobs) != s.tokens || math.Abs(total-1) > tolerance {
			s.Errorf("request %d: %d probabilities sum to %v", i, len(logprobs), total)
		}
		if i == 2 {
			return reqs[2].Stop[0], nil
		}
		return slices.Index(logprobs, slices.Max(logprobs)), nil
	})
	if err != nil || len(got) != len(reqs) {
		s.Fatalf("%d samples, error %v", len(got), err)
	}
	if !slices.Equal(calls, []int{5, 3, 1}) || got[2].Stop != engine.StopEOS {
		s.Errorf("%v choices, want 5, 3 and 1; the stop token ended with %q", calls, got[2].Stop)
	}
	if want := s.sample(reqs[0])[0]; !slices.Equal(got[0].Tokens, want.Tokens) {
		s.Errorf("the most probable tokens are %v; sampled greedily %v", got[0].Tokens, want.Tokens)
	}
	for i, r := range reqs {
		d := engine.Datum{Policy: r.Policy, Tokens: slices.Concat(r.Prompt, got[i].Tokens), ScoreFrom: len(r.Prompt), Sampling: r.Sampling, Mask: r.Mask()}
		s.same("a steered sample", got[i].Logprobs, s.forward(d)[0].Logprobs)
	}
}

// badChoices checks that errors, and tokens that cannot be, end the call.
func (s *suite) badChoices() {
	e := s.Engine.(engine.Steerer)
	mine := errors.New("mine")
	req := engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 4, Never: [][2]int{{0, 1}}}
	for _, bad := range []struct {
		token int
		err   error
	}{{1, mine}, {-1, nil}, {s.tokens, nil}, {0, nil}} {
		calls := 0
		_, err := e.SampleSteered(s.Context(), []engine.SampleRequest{req}, func(int, []float32) (int, error) {
			calls++
			return bad.token, bad.err
		})
		if err == nil || bad.err != nil && !errors.Is(err, mine) || calls != 1 {
			s.Errorf("token %d with error %v: error %v after %d calls", bad.token, bad.err, err, calls)
		}
	}
}
