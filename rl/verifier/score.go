package verifier

import (
	"context"
	"errors"
	"fmt"
	"math"

	"parley/engine"
	"parley/rl/loss"
	"parley/task"
)

// An Answer is what a verifier is asked about: a text in the form that it reads, for a problem.
type Answer struct {
	Problem task.Problem
	Shown   string
}

// A Score is the probability in [0, 1] that an answer is right, or why there is none.
type Score struct {
	P   float64
	Err error
}

// ErrNoScore is wrapped by the errors of answers that could not be scored.
var ErrNoScore = errors.New("no score")

// Failed is a score that could not be had.
func Failed(format string, args ...any) Score {
	return Score{Err: fmt.Errorf("%w: %w", ErrNoScore, fmt.Errorf(format, args...))}
}

// Checked is a score that is a probability, or the failure to be one.
func Checked(p float64) Score {
	if math.IsNaN(p) || p < 0 || p > 1 {
		return Failed("the verifier said %v, expected a number from 0 to 1", p)
	}
	return Score{P: p}
}

// A Trained verifier is a policy with a value head on the engine of its base.
type Trained struct {
	Base   *Base
	Policy engine.Policy
}

// Score scores answers in one pass over the engine. An answer that does not fit the context has no score; one
// without text has 0.
func (t *Trained) Score(ctx context.Context, answers []Answer) ([]Score, error) {
	scores := make([]Score, len(answers))
	values, errs, err := t.values(ctx, answers)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		switch {
		case errors.Is(errs[i], errEmpty): // without a final answer it is wrong for certain
			scores[i] = Checked(0)
		case errs[i] != nil:
			scores[i] = Failed("%w", errs[i])
		default:
			scores[i] = Checked(loss.VerifierScore(v))
		}
	}
	return scores, nil
}

// Prefixes returns the probability after every token of each answer, [tokens]. An answer that does not fit is an error.
func (t *Trained) Prefixes(ctx context.Context, answers []Answer) ([][]float64, error) {
	values, errs, err := t.values(ctx, answers)
	for i := range errs {
		if !errors.Is(errs[i], errEmpty) {
			err = errors.Join(err, errs[i])
		}
	}
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(values))
	for i, v := range values {
		for x := 1; x < len(v); x++ {
			out[i] = append(out[i], loss.VerifierScore(v[:x+1]))
		}
	}
	return out, nil
}

// values asks the engine for the logits of all answers that fit; errs says what is wrong with the others.
func (t *Trained) values(ctx context.Context, answers []Answer) (values [][]float32, errs []error, err error) {
	values, errs = make([][]float32, len(answers)), make([]error, len(answers))
	var data []engine.Datum
	var at []int
	for i, a := range answers {
		d, err := t.Base.datum(t.Policy, a.Problem, a.Shown)
		if err != nil {
			errs[i] = err
			continue
		}
		data, at = append(data, d), append(at, i)
	}
	outputs, err := t.Base.Engine.Forward(ctx, data)
	if err != nil {
		return nil, nil, fmt.Errorf("run the verifier: %w", err)
	}
	for i, out := range outputs {
		values[at[i]] = out.Values
	}
	return values, errs, nil
}
