package engine

import (
	"fmt"
	"math"
)

// CheckTokens refuses ids outside of a vocabulary, and sequences that do not fit a context.
func CheckTokens(tokens []int, context, vocab int) error {
	if len(tokens) > context {
		return fmt.Errorf("%w: %d tokens do not fit the model's context of %d", ErrTooLong, len(tokens), context)
	}
	for i, t := range tokens {
		if t < 0 || t >= vocab {
			return fmt.Errorf("%w: %d at position %d is not in the vocabulary of %d", ErrNoToken, t, i, vocab)
		}
	}
	return nil
}

// Check refuses settings that make no distribution.
func (s Sampling) Check() error {
	switch {
	case !(s.Temperature >= 0) || math.IsInf(s.Temperature, 0):
		return fmt.Errorf("temperature %g must be a number from 0 up", s.Temperature)
	case s.TopK < 0:
		return fmt.Errorf("top_k %d must be 0 (no cut) or more", s.TopK)
	case !(s.TopP >= 0 && s.TopP <= 1):
		return fmt.Errorf("top_p %g must be between 0 and 1", s.TopP)
	}
	return nil
}

// Check refuses what cannot be scored over a model with such a context and vocabulary.
func (d *Datum) Check(context, vocab int) error {
	if len(d.Tokens) == 0 || d.ScoreFrom < 1 || d.ScoreFrom > len(d.Tokens) {
		return fmt.Errorf("ScoreFrom is %d; it must lie between 1 and the %d tokens", d.ScoreFrom, len(d.Tokens))
	}
	if err := d.CheckGiven(); err != nil {
		return err
	}
	if err := CheckTokens(d.Tokens, context, vocab); err != nil {
		return err
	}
	return d.Sampling.Check()
}

// Check refuses settings under which a step could leave parameters that are no numbers.
func (o Adam) Check() error {
	ok := func(x, below float64) bool { return x >= 0 && x < below }
	switch {
	case !ok(o.LR, 1e6):
		return fmt.Errorf("learning rate %g must be a number from 0 to below 1e6", o.LR)
	case !ok(float64(float32(o.Beta1)), 1) || !ok(float64(float32(o.Beta2)), 1):
		return fmt.Errorf("beta1 %g and beta2 %g must be at least 0 and below 1, as float32", o.Beta1, o.Beta2)
	case !ok(o.Eps, 1e30) || o.Eps < 1e-30: // far above the gradients a step goes along them, as plain gradient descent does
		return fmt.Errorf("eps %g must be a number from 1e-30 to below 1e30", o.Eps)
	case !ok(o.WeightDecay, 1e6):
		return fmt.Errorf("weight decay %g must be a number from 0 to below 1e6", o.WeightDecay)
	case !ok(o.ClipNorm, math.Inf(1)):
		return fmt.Errorf("clip norm %g must be a number from 0 up", o.ClipNorm)
	}
	return nil
}
