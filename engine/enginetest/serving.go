package enginetest

import (
	"errors"
	"slices"
	"sync"

	"parley/engine"
)

// slots checks that an engine which serves many calls at once draws the same whether it is asked in one call or in more calls than it has
// places.
func (s *suite) slots() {
	n := s.Engine.(engine.Server).Slots()
	if n < 1 {
		return // a wrapper of an engine that has none
	}
	var reqs []engine.SampleRequest
	for i := range min(n, 8) + 2 {
		reqs = append(reqs, engine.SampleRequest{Prompt: s.text(i, 4), MaxTokens: 3, Seed: uint64(i), Sampling: engine.Sampling{Temperature: 1}})
	}
	want, got := s.sample(reqs...), make([]engine.Sample, len(reqs))
	var wait sync.WaitGroup
	for i, r := range reqs {
		wait.Go(func() {
			if all, err := s.Sample(s.Context(), []engine.SampleRequest{r}); err != nil || len(all) != 1 {
				s.Errorf("request %d by itself: %d samples, error %v", i, len(all), err)
			} else {
				got[i] = all[0]
			}
		})
	}
	wait.Wait()
	for i := range reqs {
		if !slices.Equal(got[i].Tokens, want[i].Tokens) {
			s.Errorf("request %d by itself draws %v, in a call of all %v", i, got[i].Tokens, want[i].Tokens)
		}
	}
}

// pinned checks that samples are those of earlier policies until they are released, while log-probabilities are those of now.
func (s *suite) pinned() {
	s.policy("p")
	r := engine.SampleRequest{Policy: "p", Prompt: s.text(0, 4), MaxTokens: 6, Seed: 3, Sampling: engine.Sampling{Temperature: 1}}
	d := engine.Datum{Policy: "p", Tokens: s.text(1, 10), ScoreFrom: 1}
	before, scored := s.sample(r)[0], s.forward(d)[0].Logprobs
	release, err := s.Engine.(engine.Pinner).Pin(s.Context())
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	if err != nil {
		s.Fatal(err)
	}
	s.train("p", 5, d)
	if got := s.sample(r)[0]; !slices.Equal(got.Tokens, before.Tokens) {
		s.Errorf("a policy that is kept as it was draws %v, and drew %v", got.Tokens, before.Tokens)
	} else {
		s.same("samples of a policy that is kept", got.Logprobs, before.Logprobs)
	}
	if after := s.forward(d)[0].Logprobs; sum(after) < sum(scored)+0.1 {
		s.Errorf("training while the policy is kept moved log-probabilities from %v to %v", sum(scored), sum(after))
	}
	release()
	after := s.sample(r)[0]
	now := s.forward(engine.Datum{Policy: "p", Tokens: append(slices.Clone(r.Prompt), after.Tokens...), ScoreFrom: len(r.Prompt), Sampling: r.Sampling})
	s.same("samples after the release", after.Logprobs, now[0].Logprobs)
}

// stepped checks that steps of several policies at once are those of each by itself.
func (s *suite) stepped() {
	for _, name := range []engine.Policy{"p", "q", "p2", "q2"} { // p2 and q2 are what p and q are
		sp := spec
		sp.Seed = uint64(name[0])
		if err := s.NewPolicy(s.Context(), name, sp); err != nil {
			s.Fatal(err)
		}
	}
	data := func(name engine.Policy) engine.Datum {
		return engine.Datum{Policy: name, Tokens: s.text(int(name[0]), 8), ScoreFrom: 2}
	}
	s.train("p2", 1, data("p2"))
	s.train("q2", 1, data("q2"))
	if err := s.ForwardBackward(s.Context(), []engine.Datum{data("p"), data("q")}, likelihood); err != nil {
		s.Fatal(err)
	}
	infos, err := s.Engine.(engine.Stepper).Steps(s.Context(), []engine.PolicyStep{{Policy: "p", Adam: adam}, {Policy: "q", Adam: adam}})
	if err != nil || len(infos) != 2 || !(infos[0].GradNorm > 0) || !(infos[1].GradNorm > 0) {
		s.Fatalf("steps %+v, error %v", infos, err)
	}
	for _, name := range []engine.Policy{"p", "q"} {
		s.same("a policy that was stepped beside another", s.forward(data(name))[0].Logprobs, s.forward(data(name + "2"))[0].Logprobs)
	}
	if _, err := s.Engine.(engine.Stepper).Steps(s.Context(), []engine.PolicyStep{{Policy: "nobody", Adam: adam}}); err == nil {
		s.Error("a policy that is not there took a step")
	}
}
