package enginetest

import (
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"parley/engine"
)

// abilities are the tests of what some engines can do beside [engine.Engine]. An engine that cannot has none of them.
func abilities(e engine.Engine) map[string]func(*suite) {
	tests := map[string]func(*suite){}
	if _, ok := e.(engine.Contexter); ok {
		tests["Context"] = (*suite).context
	}
	if _, ok := e.(engine.Streamer); ok {
		tests["Stream"], tests["StreamError"] = (*suite).stream, (*suite).streamError
	}
	if _, ok := e.(engine.Continuous); ok {
		tests["Arriving"], tests["Leaving"], tests["Stopped"] = (*suite).arriving, (*suite).leaving, (*suite).stopped
	}
	if _, ok := e.(engine.Diverger); ok {
		tests["Divergence"], tests["DivergenceOfCuts"] = (*suite).divergence, (*suite).divergenceOfCuts
	}
	if _, ok := e.(engine.Distributor); ok {
		tests["Distributions"], tests["BadPrefixes"] = (*suite).distributions, (*suite).badPrefixes
	}
	if _, ok := e.(engine.Distiller); ok {
		tests["SoftTargets"], tests["BadTargets"] = (*suite).softTargets, (*suite).badTargets
	}
	if _, ok := e.(engine.Steerer); ok {
		tests["Steer"], tests["BadChoices"] = (*suite).steer, (*suite).badChoices
	}
	if _, ok := e.(engine.Differentiator); ok {
		tests["GradientOf"] = (*suite).gradientOf
	}
	if _, ok := e.(engine.Server); ok {
		tests["Slots"] = (*suite).slots
	}
	if _, ok := e.(engine.Pinner); ok {
		tests["Pinned"] = (*suite).pinned
	}
	if _, ok := e.(engine.Stepper); ok {
		tests["Steps"] = (*suite).stepped
	}
	if _, ok := e.(engine.Noter); ok {
		tests["Notes"] = (*suite).notes
	}
	if _, ok := e.(engine.Counter); ok {
		tests["Computed"] = (*suite).computed
	}
	if _, ok := e.(engine.Estimator); ok {
		tests["Footprint"] = func(s *suite) { Estimator(s.T, s.Engine.(engine.Estimator)) }
	}
	if _, ok := e.(io.Closer); ok {
		tests["Close"] = (*suite).closed
	}
	return tests
}

// computed checks that tokens are counted by what they were computed for, and that none of a prompt are that another one of the call has.
func (s *suite) computed() {
	c := s.Engine.(engine.Counter)
	before := c.Computed()
	req := engine.SampleRequest{Prompt: s.text(0, 6), MaxTokens: 1}
	s.sample(req, req)
	if got := c.Computed().Less(before); got.Scored != 0 || got.Trained != 0 || got.Sampled < 1 || got.Sampled > 6 {
		s.Errorf("two samples of a prompt of 6 tokens compute %+v", got)
	}
	before = c.Computed()
	if _, err := s.Forward(s.Context(), []engine.Datum{{Tokens: s.text(0, 6), ScoreFrom: 3}}); err != nil {
		s.Fatal(err)
	}
	if got := c.Computed().Less(before); got.Sampled != 0 || got.Trained != 0 || got.Scored < 5 || got.Scored > 6 {
		s.Errorf("a datum of 6 tokens takes %+v", got)
	}
}

// context checks that a sample ends where the context does, and that nothing longer goes in.
func (s *suite) context() {
	n := s.Engine.(engine.Contexter).Context()
	if n < 64 {
		s.Fatalf("the context is %d tokens; the suite asks for 64", n)
	}
	full := s.sample(engine.SampleRequest{Prompt: s.text(0, n-2), MaxTokens: 10})[0]
	if len(full.Tokens) != 2 || full.Stop != engine.StopLength {
		s.Errorf("a prompt of %d tokens in a context of %d has %d tokens after it, stop %q", n-2, n, len(full.Tokens), full.Stop)
	}
	if _, err := s.Sample(s.Context(), []engine.SampleRequest{{Prompt: s.text(0, n+1), MaxTokens: 1}}); err == nil {
		s.Errorf("a prompt of %d tokens was sampled in a context of %d", n+1, n)
	}
	if _, err := s.Forward(s.Context(), []engine.Datum{{Tokens: s.text(0, n+1), ScoreFrom: n}}); err == nil {
		s.Errorf("a datum of %d tokens was scored in a context of %d", n+1, n)
	}
}

// stream checks that every token is handed out once, in order, and that the samples are those of Sample.
func (s *suite) stream() {
	reqs := []engine.SampleRequest{
		{Prompt: s.text(0, 4), MaxTokens: 6, Seed: 1, Sampling: engine.Sampling{Temperature: 1}},
		{Prompt: s.text(2, 5), MaxTokens: 3, Seed: 2, Sampling: engine.Sampling{Temperature: 1}},
		{Prompt: s.text(0, 4), MaxTokens: 8},
	}
	want := s.sample(reqs...)
	heard := make([][]int, len(reqs))
	got, err := s.Engine.(engine.Streamer).Stream(s.Context(), reqs, func(i, token int) error {
		heard[i] = append(heard[i], token)
		return nil
	})
	if err != nil || len(got) != len(reqs) {
		s.Fatalf("%d samples for %d requests, error %v", len(got), len(reqs), err)
	}
	for i := range reqs {
		if !slices.Equal(heard[i], got[i].Tokens) || !slices.Equal(got[i].Tokens, want[i].Tokens) {
			s.Errorf("request %d: handed out %v, returned %v; Sample returns %v", i, heard[i], got[i].Tokens, want[i].Tokens)
		}
	}
}

// streamError checks that an error of who listens ends the call.
func (s *suite) streamError() {
	mine, calls := errors.New("mine"), 0
	_, err := s.Engine.(engine.Streamer).Stream(s.Context(), []engine.SampleRequest{{Prompt: s.text(0, 4), MaxTokens: 20}}, func(int, int) error {
		calls++
		return mine
	})
	if !errors.Is(err, mine) || calls != 1 {
		s.Errorf("error %v after %d calls; want the listener's after one", err, calls)
	}
}

// divergence compares it with the sum over the vocabulary, each of whose tokens is scored.
func (s *suite) divergence() {
	s.policy("p")
	s.train("p", 3, engine.Datum{Policy: "p", Tokens: s.text(0, 10), ScoreFrom: 1})
	how := engine.Sampling{Temperature: 1.5}
	var base, policy []engine.Datum
	for t := range s.tokens {
		d := engine.Datum{Tokens: append(s.text(0, 4), t), ScoreFrom: 4, Sampling: how}
		base = append(base, d)
		d.Policy = "p"
		policy = append(policy, d)
	}
	b, p := s.forward(base...), s.forward(policy...)
	want := 0.0
	for t := range s.tokens {
		logb := float64(b[t].Logprobs[0])
		want += math.Exp(logb) * (logb - float64(p[t].Logprobs[0]))
	}
	got := s.diverge(policy[0], base[0], engine.Datum{Policy: "p", Tokens: s.text(0, 10), ScoreFrom: 3})
	if len(got[0]) != 1 || math.Abs(float64(got[0][0])-want) > tolerance || want < 10*tolerance {
		s.Errorf("the divergence is %v, the sum over the vocabulary %v", got[0], want)
	}
	if len(got[1]) != 1 || math.Abs(float64(got[1][0])) > tolerance {
		s.Errorf("the base's divergence from itself is %v", got[1])
	}
	if len(got[2]) != 7 || slices.Min(got[2]) < 0 {
		s.Errorf("divergences %v; want 7, none below 0", got[2])
	}
}

func (s *suite) divergenceOfCuts() {
	for _, how := range []engine.Sampling{{Temperature: 1, TopK: 3}, {Temperature: 1, TopP: 0.5}} {
		d := engine.Datum{Tokens: s.text(0, 6), ScoreFrom: 2, Sampling: how}
		if _, err := s.Engine.(engine.Diverger).Divergence(s.Context(), []engine.Datum{d}); err == nil {
			s.Errorf("distributions under %+v were compared, though one of them has zeros", how)
		}
	}
}

func (s *suite) diverge(data ...engine.Datum) [][]float32 {
	s.Helper()
	out, err := s.Engine.(engine.Diverger).Divergence(s.Context(), data)
	if err != nil || len(out) != len(data) {
		s.Fatalf("%d divergences of %d data, error %v", len(out), len(data), err)
	}
	return out
}

// notes checks that nothing is told twice.
func (s *suite) notes() {
	n := s.Engine.(engine.Noter)
	s.policy("p")
	s.train("p", 1, engine.Datum{Policy: "p", Tokens: s.text(0, 10), ScoreFrom: 1})
	first := n.Notes()
	for _, note := range n.Notes() {
		if note == "" || slices.Contains(first, note) {
			s.Errorf("%q is told again", note)
		}
	}
}

// closed checks that an engine that was used can be closed, and once more.
func (s *suite) closed() {
	s.sample(engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 2})
	for range 2 {
		if err := s.Engine.(io.Closer).Close(); err != nil {
			s.Errorf("close: %v", err)
		}
	}
}

// Estimator tests estimates: no part is negative, and more load or more policies never need less.
func Estimator(t *testing.T, e engine.Estimator) {
	t.Helper()
	small := engine.Load{Samples: 2, Length: 32, Tokens: 64}
	loads := []engine.Load{
		{Length: 1, Tokens: 1, Frozen: true},
		small,
		{Samples: 4, Length: 32, Tokens: 64},
		{Samples: 4, Length: 64, Tokens: 64},
		{Samples: 4, Length: 64, Tokens: 64, CachedTokens: 200},
		{Samples: 4, Length: 64, Tokens: 256, CachedTokens: 200},
	}
	policies := [][]engine.PolicySpec{nil, {spec}, {spec, {Rank: 8, Alpha: 8}}, {spec, {Rank: 8, Alpha: 8}, {Full: true}}}
	last := engine.Footprint{}
	check := func(what string, f engine.Footprint) {
		t.Helper()
		if min(f.Base, f.Policies, f.Activations, f.Reused, f.Cache, f.Rest) < 0 || math.IsNaN(f.Total()) {
			t.Errorf("%s: %+v", what, f)
		}
		if f.Total() < last.Total() {
			t.Errorf("%s needs %.0f bytes, less than the %.0f of less", what, f.Total(), last.Total())
		}
		last = f
	}
	for _, l := range loads {
		check("more load", e.Footprint(l, nil))
	}
	last = engine.Footprint{}
	for _, p := range policies {
		check("more policies", e.Footprint(small, p))
	}
}

// gradientOf checks that gradients of parts add up to that of the whole, which is the step's, and that asking for them changes no bit of what
// is trained.
func (s *suite) gradientOf() {
	s.policy("p")
	if err := s.NewPolicy(s.Context(), "twin", spec); err != nil {
		s.Fatal(err)
	}
	e := s.Engine.(engine.Differentiator)
	data := func(p engine.Policy) []engine.Datum {
		return []engine.Datum{{Policy: p, Tokens: s.text(0, 10), ScoreFrom: 1}, {Policy: p, Tokens: s.text(1, 7), ScoreFrom: 3}, {Policy: p, Tokens: s.text(0, 8), ScoreFrom: 5}}
	}
	of := func(data []engine.Datum) []float64 {
		g, err := e.GradientOf(s.Context(), data, likelihood)
		if err != nil || len(g) == 0 {
			s.Fatalf("a gradient of %d numbers, %v", len(g), err)
		}
		return g
	}
	s.train("p", 1, data("p")...)
	s.train("twin", 1, data("twin")...)
	var steps [2]engine.StepInfo
	for i, p := range []engine.Policy{"p", "twin"} {
		if err := s.ForwardBackward(s.Context(), data(p), likelihood); err != nil {
			s.Fatal(err)
		}
		if p == "p" {
			whole, first, rest := of(data(p)), of(data(p)[:1]), of(data(p)[1:])
			norm, off := 0.0, 0.0
			for i, g := range whole {
				norm, off = norm+g*g, off+math.Pow(first[i]+rest[i]-g, 2)
			}
			if norm == 0 || math.Sqrt(off) > 1e-2*math.Sqrt(norm) {
				s.Errorf("the parts miss a gradient of norm %v by %v", math.Sqrt(norm), math.Sqrt(off))
			}
			defer func() {
				if got := steps[0].GradNorm; math.Abs(got-math.Sqrt(norm)) > 1e-5*got {
					s.Errorf("the gradient has norm %v, the step %v", math.Sqrt(norm), got)
				}
			}()
		}
		var err error
		if steps[i], err = s.Step(s.Context(), p, adam); err != nil {
			s.Fatal(err)
		}
	}
	if steps[0] != steps[1] {
		s.Errorf("a step was %+v, and %+v where gradients of parts were asked for", steps[1], steps[0])
	}
	s.same("policies with and without a look", s.forward(data("p")[0])[0].Logprobs, s.forward(data("twin")[0])[0].Logprobs)
	if _, err := e.GradientOf(s.Context(), append(data("p"), data("twin")...), likelihood); err == nil {
		s.Error("a gradient of two policies was handed out")
	}
	failed := errors.New("failed")
	if _, err := e.GradientOf(s.Context(), data("p"), func(int, []engine.Output) ([]engine.Gradient, error) { return nil, failed }); !errors.Is(err, failed) {
		s.Errorf("a loss that fails: %v", err)
	}
	if info, err := s.Step(s.Context(), "p", adam); err != nil || info.GradNorm != 0 {
		s.Errorf("after a look, a step has norm %v, %v", info.GradNorm, err)
	}
}
