package enginetest

import (
	"slices"

	"parley/engine"
)

// given checks that given tokens are read and not asked for: the other tokens have the log-probabilities, the values and the gradients that
// they have in the whole sequence, and masks that end somewhere count asked tokens only.
func (s *suite) given() {
	s.policy("p")
	s.train("p", 2, engine.Datum{Policy: "p", Tokens: s.text(1, 12), ScoreFrom: 1})
	whole := engine.Datum{Policy: "p", Tokens: s.text(0, 14), ScoreFrom: 3}
	part := whole
	part.Given = [][2]int{{3, 4}, {6, 9}}
	asked := []int{4, 5, 9, 10, 11, 12, 13}
	all, some := s.forward(whole)[0].Logprobs, s.forward(part)[0].Logprobs
	var want []float32
	for _, at := range asked {
		want = append(want, all[at-whole.ScoreFrom])
	}
	s.same("asked tokens beside given ones", some, want)

	early := part
	early.Mask = engine.Mask{Early: s.text(3, 2), Least: 3} // of tokens 4, 5 and 9
	if s.can(engine.SampleRequest{Prompt: s.text(0, 4), MaxTokens: 3, MinTokens: 3, Stop: early.Mask.Early}) {
		masked := s.forward(early)[0].Logprobs
		s.same("behind the masked places", masked[3:], some[3:])
		if masked[2] == some[2] {
			s.Error("the mask of the first three asked tokens does not reach the third, behind given ones")
		}
	}
	s.givenGradients(whole, part, asked)
}

// givenGradients compares a step on the asked tokens of a sequence with one on the whole sequence in which only they have slopes.
func (s *suite) givenGradients(whole, part engine.Datum, asked []int) {
	s.policy("alone")
	s.policy("among") // with the same beginning
	whole.Policy, part.Policy = "among", "alone"
	weighted := func(_ int, outputs []engine.Output) ([]engine.Gradient, error) {
		g := make([]float32, len(outputs[0].Logprobs))
		for i := range g {
			if len(g) == len(asked) || slices.Contains(asked, whole.ScoreFrom+i) {
				g[i] = -1
			}
		}
		return []engine.Gradient{{Logprobs: g}}, nil
	}
	var norms [2]float64
	for i, d := range []engine.Datum{part, whole} {
		if err := s.ForwardBackward(s.Context(), []engine.Datum{d}, weighted); err != nil {
			s.Fatal(err)
		}
		info, err := s.Step(s.Context(), d.Policy, adam)
		if err != nil {
			s.Fatal(err)
		}
		norms[i] = info.GradNorm
	}
	if norms[0] == 0 || norms[0] < 0.999*norms[1] || norms[0] > 1.001*norms[1] {
		s.Errorf("the gradient of the asked tokens has the norm %v, want %v", norms[0], norms[1])
	}
}
