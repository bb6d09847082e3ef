package collab

import (
	"context"
	"fmt"
	"math"
	"slices"

	"parley/engine"
)

// next is the member's distribution of the token behind a text: one row of the vocabulary, without what it never writes and without end tokens
// while the text is too short for them.
func (p Pen) next(ctx context.Context, m Member) Next {
	return func(text []int) ([]float64, error) {
		d, can := engine.As[engine.Distributor](m.Engine)
		if !can {
			return nil, fmt.Errorf("the engine of %s says no distributions", m.Name)
		}
		tokens := append(slices.Clone(m.Prompt), text...)
		var row []float64
		// The prefix ends where the text does, so there is one row to say: that of the next token.
		asked := []engine.Prefix{{Policy: m.Policy, Tokens: tokens, From: len(tokens)}}
		err := d.Distributions(ctx, asked, 0, func(_, _ int, d engine.Distribution) error {
			row = make([]float64, len(d.Logprobs)) // the engine's own is gone once this returns
			for id, x := range d.Logprobs {
				row[id] = math.Exp(float64(x))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		p.leaveOut(m, row, len(text)+1 < p.MinTokens)
		return row, nil
	}
}

// leaveOut takes the probability of some tokens away, and gives it to the others in proportion.
func (p Pen) leaveOut(m Member, row []float64, early bool) {
	// A range may reach past this row, which ends with the vocabulary.
	for _, r := range m.Never {
		clear(row[min(r[0], len(row)):min(r[1], len(row))])
	}
	if early {
		for _, end := range m.Stop {
			row[end] = 0
		}
	}
	// What is left adds up to 1 again: the rule compares distributions, and a member that writes fewer tokens is no worse for that.
	sum := 0.0
	for _, x := range row {
		sum += x
	}
	for id := range row {
		row[id] /= sum
	}
}
