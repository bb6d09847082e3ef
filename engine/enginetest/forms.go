package enginetest

import (
	"math"
	"slices"

	"parley/engine"
	"parley/model/form"
	"parley/model/form/lexicon"
)

// Lexicon says what the tokens of the suite's vocabulary are as texts, for engines that take forms (engine.Options): those from 6 on are the pieces below, in their
// order; the others have no text.
func Lexicon(tokens int) func() (*lexicon.Lexicon, error) {
	return func() (*lexicon.Lexicon, error) { return lexicon.New(tokens, textOf), nil }
}

var pieces = []string{"{", "}", "[", "]", `"`, ":", ",", " ", "a", "b", "0", "1", "-", `{"`, `":`, "ab", `a"`, "10", "]}", "aab", ", 1"}

func textOf(id int) ([]byte, bool) {
	if id -= 6; id < 0 || id >= len(pieces) {
		return nil, false
	}
	return []byte(pieces[id]), true
}

// Forms are some that the suite's tokens have texts of.
var Forms = []string{
	form.OfRegex("(a|b)*[01]{2}"),
	`{"schema":{"type":"array","items":{"type":"integer","minimum":-1,"maximum":11}}}`,
	`{"schema":{"properties":{"a":{"type":"integer","minimum":0},"b":{"type":"string","maxLength":4}},"required":["a"]}}`,
}

// formRequests ask for texts of each form under each of some policies.
func (s *suite) formRequests(policies ...engine.Policy) []engine.SampleRequest {
	var reqs []engine.SampleRequest
	for i, text := range Forms {
		for j, p := range policies {
			r := engine.SampleRequest{Policy: p, Prompt: s.text(i, 3+j), Form: text, MaxTokens: 9 + 7*j, Stop: []int{1, 3}, Seed: uint64(i), Sampling: engine.Sampling{Temperature: 2}}
			if j%2 == 1 {
				r.Sampling = engine.Sampling{Temperature: 1, TopP: 0.9}
			}
			reqs = append(reqs, r)
		}
	}
	return reqs
}

// forms checks that completions are texts of their forms, end in time, and are drawn in a batch as they are alone, and others as without them.
func (s *suite) forms() {
	s.policy("p")
	if !s.can(s.formRequests(engine.Base)[0]) {
		return
	}
	s.train("p", 2, engine.Datum{Policy: "p", Tokens: s.text(1, 12), ScoreFrom: 1})
	reqs := s.formRequests(engine.Base, "p", engine.Base, "p")
	for i := range reqs[:4] {
		plain := reqs[i]
		plain.Form = ""
		reqs = append(reqs, plain)
	}
	samples := s.sample(reqs...)
	for i, got := range samples {
		s.same("alone", got.Logprobs, s.sample(reqs[i])[0].Logprobs)
		if reqs[i].Form == "" {
			continue
		}
		last := len(got.Tokens) - 1
		if got.Stop != engine.StopEOS || !s.accepts(reqs[i].Form, got.Tokens[:last]) {
			s.Errorf("request %d: %v is no text of %s, or did not end: %s", i, got.Tokens, reqs[i].Form, got.Stop)
		}
	}
	for i, o := range s.forward(scored(reqs, samples)...) {
		s.same("scored text", o.Logprobs, samples[i].Logprobs)
		s.formDistributions(&reqs[i], samples[i])
	}
	short := reqs[0]
	short.MaxTokens = 2 // no text fits: it may be cut
	if got := s.sample(short)[0]; len(got.Tokens) != 2 || got.Stop != engine.StopLength {
		s.Errorf("%v, stop %q, where no text fits", got.Tokens, got.Stop)
	}
}

// formDistributions checks that what a text was drawn from is what distributions under its mask say, and that no token outside the form has a part in it.
func (s *suite) formDistributions(r *engine.SampleRequest, drawn engine.Sample) {
	s.Helper()
	d, ok := engine.As[engine.Distributor](s.Engine)
	if !ok || r.Form == "" || r.Sampling.TopP > 0 {
		return
	}
	n := len(drawn.Tokens)
	prefix := engine.Prefix{Policy: r.Policy, Tokens: slices.Concat(r.Prompt, drawn.Tokens[:n-1]), From: len(r.Prompt), Sampling: r.Sampling, Mask: r.Mask()}
	at := 0
	var out []map[int]bool // tokens that the form leaves out, by place
	err := d.Distributions(s.Context(), []engine.Prefix{prefix}, 0, func(_, _ int, d engine.Distribution) error {
		total := 0.0
		out = append(out, map[int]bool{})
		for id, l := range d.Logprobs {
			out[at][id] = math.IsInf(float64(l), -1)
			total += math.Exp(float64(l))
			if special := id < 6 && !slices.Contains(r.Stop, id); special && !math.IsInf(float64(l), -1) {
				s.Errorf("token %d, which no form has, has log-probability %v", id, l)
			}
		}
		if math.Abs(total-1) > tolerance {
			s.Errorf("the distribution of place %d under %s has mass %v", at, r.Form, total)
		}
		s.same("distribution", d.Logprobs[drawn.Tokens[at]:][:1], drawn.Logprobs[at:][:1])
		at++
		return nil
	})
	if err != nil || at != n {
		s.Errorf("%d of %d distributions under %s, error %v", at, n, r.Form, err)
	}
	if prefix.Mask = (engine.Mask{}); drawn.Forced != nil {
		s.forced(d, prefix, out, *drawn.Forced)
	}
}

// forced checks what an engine says that a form did: out are the tokens that it leaves out at each place behind a prefix.
func (s *suite) forced(d engine.Distributor, prefix engine.Prefix, out []map[int]bool, got engine.Forced) {
	s.Helper()
	want, at := engine.Forced{}, 0
	err := d.Distributions(s.Context(), []engine.Prefix{prefix}, 0, func(_, _ int, d engine.Distribution) error {
		left := 0
		for id, l := range d.Logprobs {
			if out[at][id] {
				want.Taken += math.Exp(float64(l))
			} else {
				left++
			}
		}
		if left == 1 {
			want.Decided++
		}
		at++
		return nil
	})
	if err != nil || got.Decided != want.Decided || math.Abs(got.Taken-want.Taken) > tolerance*float64(len(out)) {
		s.Errorf("the form decided %d places and took %v; distributions say %d and %v, error %v", got.Decided, got.Taken, want.Decided, want.Taken, err)
	}
}

// accepts says whether tokens are a text of a form.
func (s *suite) accepts(text string, tokens []int) bool {
	s.Helper()
	l, _ := Lexicon(s.tokens)()
	texts, err := l.Open(text)
	if err != nil {
		s.Fatal(err)
	}
	state := texts.Start()
	for _, t := range tokens {
		if state, err = texts.Token(state, t); err != nil {
			s.Fatal(err)
		}
	}
	return state.Ends()
}

// formPlaces checks that the tokens that may follow have all probability, that one alone has it exactly, and that no loss moves what leads there.
func (s *suite) formPlaces() {
	if !s.can(s.formRequests(engine.Base)[0]) {
		return
	}
	r := engine.SampleRequest{Prompt: s.text(0, 4), Form: form.OfRegex("a[ab]"), MaxTokens: 5, Stop: []int{1}}
	const a, b = 14, 15
	at := func(tokens ...int) []float32 {
		d := engine.Datum{Policy: r.Policy, Tokens: append(slices.Clone(r.Prompt), tokens...), ScoreFrom: 4, Mask: r.Mask()}
		return s.forward(d)[0].Logprobs
	}
	total := 0.0
	for _, t := range []int{a, b} {
		total += math.Exp(float64(at(a, t)[1]))
	}
	pair := at(21)[0] // ab at once
	if first := at(a)[0]; math.Abs(math.Exp(float64(first))+math.Exp(float64(pair))-1) > tolerance || math.Abs(total-1) > tolerance {
		s.Errorf("what may follow has probability %v at first, and %v then", math.Exp(float64(first)), total)
	}
	if end := at(a, b, 1)[2]; end != 0 {
		s.Errorf("the end, where nothing else may follow, has log-probability %v", end)
	}
	s.policy("p")
	must := engine.Datum{Policy: "p", Tokens: append(slices.Clone(r.Prompt), 1), ScoreFrom: 4, Mask: engine.Mask{Early: r.Stop, Form: form.OfRegex("(ab)*"), Limit: 1}}
	if err := s.ForwardBackward(s.Context(), []engine.Datum{must}, likelihood); err != nil {
		s.Fatal(err)
	}
	if info, err := s.Step(s.Context(), "p", adam); err != nil || info.GradNorm > tolerance {
		s.Errorf("an end that must come moves the policy: norm %v, error %v", info.GradNorm, err)
	}
}
