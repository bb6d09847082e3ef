package enginetest

import (
	"errors"

	"parley/engine"
)

// can reports whether an engine has the distribution of a request. An engine without it has to refuse the request in sampling, scoring and
// training, and nothing of the engine may change.
func (s *suite) can(r engine.SampleRequest) bool {
	s.Helper()
	_, err := s.Sample(s.Context(), []engine.SampleRequest{r})
	if err == nil {
		return true
	}
	d := engine.Datum{Policy: r.Policy, Tokens: append(r.Prompt[:len(r.Prompt):len(r.Prompt)], r.Prompt...), ScoreFrom: len(r.Prompt), Sampling: r.Sampling, Mask: r.Mask()}
	_, scored := s.Forward(s.Context(), []engine.Datum{d})
	if !errors.Is(err, errors.ErrUnsupported) || !errors.Is(scored, errors.ErrUnsupported) {
		s.Fatalf("request %+v: sampling says %v, scoring %v; want errors.ErrUnsupported of both", r, err, scored)
	}
	if d.Policy != engine.Base {
		if err := s.ForwardBackward(s.Context(), []engine.Datum{d}, likelihood); !errors.Is(err, errors.ErrUnsupported) {
			s.Fatalf("training on datum %+v: %v; want errors.ErrUnsupported", d, err)
		}
	}
	return false
}

// those are the requests whose distributions the engine has, one at least.
func (s *suite) those(reqs []engine.SampleRequest) []engine.SampleRequest {
	s.Helper()
	var out []engine.SampleRequest
	for _, r := range reqs {
		if s.can(r) {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		s.Fatal("the engine has none of the distributions that it is asked for")
	}
	return out
}

// unsupported checks that a policy that an engine does not train is refused as such, and that its name stays free; and that what was refused in
// sampling and scoring has left the policies as they were.
func (s *suite) unsupported() {
	for name, sp := range map[engine.Policy]engine.PolicySpec{
		"full":   {Full: true},
		"hidden": {Rank: 4, Alpha: 8, ValueHead: true, ValueHidden: 4, ValueInit: 0.1},
	} {
		err := s.NewPolicy(s.Context(), name, sp)
		if err == nil {
			continue
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			s.Errorf("policy %+v: %v, want errors.ErrUnsupported", sp, err)
		}
		if err := s.NewPolicy(s.Context(), name, spec); err != nil {
			s.Errorf("a policy under the name of one that was refused: %v", err)
		}
	}
	s.policy("p")
	d := engine.Datum{Policy: "p", Tokens: s.text(0, 8), ScoreFrom: 1}
	before := s.forward(d)[0].Logprobs
	s.can(engine.SampleRequest{Policy: "p", Prompt: s.text(0, 4), MaxTokens: 2, Sampling: engine.Sampling{Temperature: 0.5, TopK: 2}})
	s.can(engine.SampleRequest{Policy: "p", Prompt: s.text(0, 4), MaxTokens: 2, MinTokens: 2, Stop: s.text(0, 2)})
	if info, err := s.Step(s.Context(), "p", adam); err != nil || info.GradNorm != 0 {
		s.Errorf("a step after what was refused: norm %v, error %v", info.GradNorm, err)
	}
	s.same("after what was refused", s.forward(d)[0].Logprobs, before)
}
