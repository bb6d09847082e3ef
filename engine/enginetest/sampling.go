package enginetest

import (
	"math"
	"slices"

	"parley/engine"
)

func (s *suite) sampleShapes() {
	reqs := []engine.SampleRequest{
		{Prompt: s.text(0, 3), MaxTokens: 5, Seed: 1, Sampling: engine.Sampling{Temperature: 1}},
		{Prompt: s.text(0, 3), MaxTokens: 9, Seed: 2, Sampling: engine.Sampling{Temperature: 0.5, TopK: 3}},
		{Prompt: s.text(1, 1), MaxTokens: 1, Seed: 3, Sampling: engine.Sampling{Temperature: 1, TopP: 0.5}},
		{Prompt: s.text(2, 20), MaxTokens: 7},
	}
	reqs = s.those(reqs)
	for i, got := range s.sample(reqs...) {
		if len(got.Tokens) != reqs[i].MaxTokens || len(got.Logprobs) != len(got.Tokens) || got.Stop != engine.StopLength {
			s.Errorf("sample %d: %d tokens, %d log-probabilities, stop %q; want %d, as many, %q",
				i, len(got.Tokens), len(got.Logprobs), got.Stop, reqs[i].MaxTokens, engine.StopLength)
		}
		for j, t := range got.Tokens {
			if l := float64(got.Logprobs[j]); t < 0 || t >= s.tokens || !(l <= tolerance) || math.IsInf(l, 0) {
				s.Errorf("sample %d: token %d with log-probability %v", i, t, l)
			}
		}
	}
}

func (s *suite) sampleSeeds() {
	req := func(seed uint64) engine.SampleRequest {
		return engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 12, Seed: seed, Sampling: engine.Sampling{Temperature: 1}}
	}
	alone := s.sample(req(7))[0]
	together := s.sample(req(1), req(7), engine.SampleRequest{Prompt: s.text(3, 9), MaxTokens: 3}, req(2))
	if !slices.Equal(alone.Tokens, together[1].Tokens) {
		s.Errorf("the tokens of a seed depend on the batch: %v alone, %v in a batch", alone.Tokens, together[1].Tokens)
	}
	if slices.Equal(together[0].Tokens, together[1].Tokens) && slices.Equal(together[0].Tokens, together[3].Tokens) {
		s.Errorf("three seeds gave the same tokens %v", together[0].Tokens)
	}
}

func (s *suite) sampleStops() {
	all := make([]int, s.tokens)
	for i := range all {
		all[i] = i
	}
	greedy := s.sample(engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 6})[0]
	reqs := []engine.SampleRequest{
		{Prompt: s.text(0, 4), MaxTokens: 6, Stop: all},
		{Prompt: s.text(0, 4), MaxTokens: 6, MinTokens: 4, Stop: greedy.Tokens[:1], Seed: 4, Sampling: engine.Sampling{Temperature: 1}},
		{Prompt: s.text(0, 4), MaxTokens: 6, MinTokens: 6, Stop: greedy.Tokens[:1]},
	}
	reqs = s.those(reqs)
	for i, got := range s.sample(reqs...) {
		stopped := slices.Contains(reqs[i].Stop, got.Tokens[len(got.Tokens)-1])
		if stopped != (got.Stop == engine.StopEOS) {
			s.Errorf("sample %d: stop %q with last token %d", i, got.Stop, got.Tokens[len(got.Tokens)-1])
		}
		for j, t := range got.Tokens[:len(got.Tokens)-1] {
			if slices.Contains(reqs[i].Stop, t) {
				s.Errorf("sample %d: goes on after stop token %d at %d, MinTokens %d", i, t, j, reqs[i].MinTokens)
			}
		}
		if len(got.Tokens) < max(1, reqs[i].MinTokens) {
			s.Errorf("sample %d: %d tokens, MinTokens is %d", i, len(got.Tokens), reqs[i].MinTokens)
		}
	}
	if first := s.sample(reqs[0])[0]; len(first.Tokens) != 1 {
		s.Errorf("every token stops, yet the sample has %d", len(first.Tokens))
	}
}

// counter ends a completion at its n-th token.
type counter struct{ left int }

func (c *counter) Ends(int) bool {
	c.left--
	return c.left == 0
}

// watched checks that a watcher ends its completion, and no other, and that it is told every token once.
func (s *suite) watched() {
	r := engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 8, Seed: 5, Sampling: engine.Sampling{Temperature: 1}}
	whole := s.sample(r)[0]
	watches := []*counter{{left: 3}, {left: 8}, {left: 9}}
	reqs := []engine.SampleRequest{r, r, r}
	for i := range reqs {
		reqs[i].Watch = watches[i]
	}
	reqs[1].Stop = whole.Tokens[7:]
	want := []engine.StopReason{engine.StopText, engine.StopEOS, engine.StopLength}
	if slices.Contains(whole.Tokens[:7], whole.Tokens[7]) {
		reqs[1].Stop, want[1] = nil, engine.StopText
	}
	for i, got := range s.sample(reqs...) {
		n := min(8, []int{3, 8, 9}[i])
		if !slices.Equal(got.Tokens, whole.Tokens[:n]) || got.Stop != want[i] {
			s.Errorf("sample %d: %v, stop %q; want %v, %q", i, got.Tokens, got.Stop, whole.Tokens[:n], want[i])
		}
	}
	if watches[0].left != 0 || watches[2].left != 1 {
		s.Errorf("watchers were told of %d tokens of 3 and %d of 8", 3-watches[0].left, 9-watches[2].left)
	}
}

func (s *suite) sampleIsScored() {
	s.policy("p", "q")
	s.train("p", 2, engine.Datum{Policy: "p", Tokens: s.text(1, 12), ScoreFrom: 1})
	var reqs []engine.SampleRequest
	for i, p := range []engine.Policy{engine.Base, "p", "q", "p"} {
		for _, how := range []engine.Sampling{{}, {Temperature: 1}, {Temperature: 0.7, TopK: 5}, {Temperature: 1.3, TopP: 0.8}} {
			r := engine.SampleRequest{Policy: p, Prompt: s.text(i, 3+i), MaxTokens: 8, Seed: uint64(i), Sampling: how}
			masked := r
			masked.MinTokens, masked.Stop, masked.Never = 4, s.text(2, 5), [][2]int{{s.tokens / 2, s.tokens}}
			reqs = append(reqs, r, masked)
		}
	}
	reqs = s.those(reqs)
	samples := s.sample(reqs...)
	for i, o := range s.forward(scored(reqs, samples)...) {
		s.same("scored sample", o.Logprobs, samples[i].Logprobs)
	}
}

// scored returns the data that score samples as they were drawn.
func scored(reqs []engine.SampleRequest, samples []engine.Sample) []engine.Datum {
	var data []engine.Datum
	for i, r := range reqs {
		tokens := append(slices.Clone(r.Prompt), samples[i].Tokens...)
		data = append(data, engine.Datum{Policy: r.Policy, Tokens: tokens, ScoreFrom: len(r.Prompt), Sampling: r.Sampling, Mask: r.Mask()})
	}
	return data
}

// masks checks that masked tokens have no share: those that are left have all probability, and no other is drawn.
func (s *suite) masks() {
	mask := engine.Mask{Never: [][2]int{{s.tokens / 2, s.tokens}}, Early: []int{1}, Least: 1}
	if !s.can(engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 1, Never: mask.Never}) {
		return
	}
	total := 0.0
	for t := range s.tokens / 2 {
		if t == 1 {
			continue
		}
		d := engine.Datum{Tokens: append(s.text(0, 4), t), ScoreFrom: 4, Sampling: engine.Sampling{Temperature: 1.5}, Mask: mask}
		total += math.Exp(float64(s.forward(d)[0].Logprobs[0]))
	}
	if math.Abs(total-1) > tolerance {
		s.Errorf("the probabilities of all tokens that are not masked sum to %v", total)
	}
	r := engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 30, MinTokens: 1, Stop: []int{1}, Never: mask.Never, Sampling: engine.Sampling{Temperature: 3}}
	for at, t := range s.sample(r)[0].Tokens {
		if t >= s.tokens/2 || at == 0 && t == 1 {
			s.Errorf("token %d was drawn at %d, which is masked", t, at)
		}
	}
}

// distribution checks that the probabilities of all tokens sum to one.
func (s *suite) distribution() {
	var data []engine.Datum
	how := engine.Sampling{Temperature: 1.5}
	if !s.can(engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 1, Sampling: how}) {
		how.Temperature = 1
	}
	for t := range s.tokens {
		data = append(data, engine.Datum{Tokens: append(s.text(0, 4), t), ScoreFrom: 4, Sampling: how})
	}
	total := 0.0
	for _, o := range s.forward(data...) {
		total += math.Exp(float64(o.Logprobs[0]))
	}
	if math.Abs(total-1) > tolerance {
		s.Errorf("the probabilities of all tokens sum to %v", total)
	}
}

// keptToken checks that a token that the cuts remove keeps a finite log-probability.
func (s *suite) keptToken() {
	for t := range min(s.tokens, 20) {
		for _, how := range []engine.Sampling{{Temperature: 1, TopK: 1}, {Temperature: 1, TopP: 0.01}} {
			d := engine.Datum{Tokens: append(s.text(0, 4), t), ScoreFrom: 4, Sampling: how}
			if t == 0 && !s.can(engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 1, Sampling: how}) {
				return
			}
			if l := float64(s.forward(d)[0].Logprobs[0]); math.IsInf(l, 0) || math.IsNaN(l) || l > tolerance {
				s.Errorf("token %d under %+v has log-probability %v", t, how, l)
			}
		}
	}
}

func (s *suite) forwardAlone() {
	s.policy("p")
	data := []engine.Datum{
		{Tokens: s.text(0, 9), ScoreFrom: 2},
		{Policy: "p", Tokens: s.text(0, 30), ScoreFrom: 1},
		{Tokens: append(s.text(0, 6), s.text(5, 4)...), ScoreFrom: 6},
		{Tokens: s.text(2, 1), ScoreFrom: 1},
		{Tokens: s.text(0, 9), ScoreFrom: 9},
	}
	for i, o := range s.forward(data...) {
		s.same("datum in a batch", o.Logprobs, s.forward(data[i])[0].Logprobs)
	}
}
