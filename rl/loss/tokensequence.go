package loss

import (
	"fmt"
	"math"

	"parley/engine"
)

// A TokenSequence is one sequence of n sampled tokens as token losses see it. Inputs that a loss does not use may be nil.
type TokenSequence[F float32 | float64] struct {
	Logprobs   []F       // [n] under the policy that is trained
	Old        []F       // [n] under the policy that sampled; nil where a loss does not use it: the policy itself, ratio 1
	Reference  []F       // [n] under the frozen reference
	Advantages []float64 // [n], or [1]: one of the whole sequence
	Mask       []bool    // [n] the tokens that count, as others may have been written by a tool or a user; nil: all
}

// sequenceTerms returns the loss of every token, the zero value where masked. A token's Grad is the derivative of the sum over
// the sequence, which is what reductions need: each gives all tokens of a sequence the same weight.
func sequenceTerms[F float32 | float64](o TokenObjective, s TokenSequence[F]) []Surrogate {
	terms := make([]Surrogate, len(s.Logprobs))
	ratio := 0.0 // of the sequence, its logarithm
	if o.Loss == GSPO {
		ratio = s.meanLogRatio()
	}
	for x := range terms {
		if !s.counts(x) {
			continue
		}
		t := s.token(x)
		if o.Loss == GSPO {
			t.Logprob, t.Old = ratio, 0 // n tokens, each with derivative Grad/n with respect to each
		}
		terms[x] = o.Token(t)
	}
	return terms
}

func (s TokenSequence[F]) counts(x int) bool { return s.Mask == nil || s.Mask[x] }

// counted returns how many of n tokens count.
func (s TokenSequence[F]) counted(n int) int {
	counted := 0
	for x := range n {
		counted += count(s.counts(x))
	}
	return counted
}

func (s TokenSequence[F]) token(x int) Token {
	t := Token{Logprob: float64(s.Logprobs[x])}
	t.Old = t.Logprob
	if s.Old != nil {
		t.Old = float64(s.Old[x])
	}
	if s.Reference != nil {
		t.Reference = float64(s.Reference[x])
	}
	switch len(s.Advantages) {
	case 0:
	case 1:
		t.Advantage = s.Advantages[0]
	default:
		t.Advantage = s.Advantages[x]
	}
	return t
}

// meanLogRatio is the mean over counted tokens of log π − log π_old, the logarithm of GSPO's ratio; 0 if no token counts.
func (s TokenSequence[F]) meanLogRatio() float64 {
	sum := 0.0
	for x := range s.Logprobs {
		if s.counts(x) {
			sum += float64(s.Logprobs[x]) - float64(s.Old[x])
		}
	}
	return sum / math.Max(1, float64(s.counted(len(s.Logprobs))))
}

// check reports inputs of a sequence of n tokens that the loss needs and that are missing or of another length.
func (s TokenSequence[F]) check(o TokenObjective, n int) error {
	rule := tokenRules[o.Loss]
	for _, in := range []struct {
		name   string
		length int
		needed bool
	}{
		{"old log-probabilities", len(s.Old), rule.old},
		{"reference log-probabilities", len(s.Reference), rule.reference},
		{"mask entries", len(s.Mask), false},
	} {
		if in.length != n && (in.needed || in.length != 0) {
			return fmt.Errorf("%s: %d %s for %d tokens", o.Loss, in.length, in.name, n)
		}
	}
	return s.checkAdvantages(o.Loss, n)
}

func (s TokenSequence[F]) checkAdvantages(loss LossName, n int) error {
	given := len(s.Advantages)
	if given != n && given != 1 && (given != 0 || tokenRules[loss].advantage) {
		return fmt.Errorf("%s: %d advantages for %d tokens", loss, given, n)
	}
	if loss == GSPO && given != 1 {
		return fmt.Errorf("%s: %d advantages: it needs one of the whole sequence", loss, given)
	}
	for _, a := range s.Advantages {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return fmt.Errorf("%s: advantage %v: %w", loss, a, engine.ErrNotFinite)
		}
	}
	return nil
}
