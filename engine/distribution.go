package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// A Prefix asks for the distributions of the tokens that follow Tokens[:From], Tokens[:From+1], ..., and all of Tokens, under a policy.
type Prefix struct {
	Policy   Policy
	Tokens   []int
	From     int // at least 1
	Sampling Sampling
	Mask     Mask // of a completion that begins at From
}

// A Distribution is one of the next token: the ids of tokens and the natural log of their probabilities, over the whole vocabulary.
type Distribution struct {
	Tokens   []int     // the most probable first, of equal ones the lower id; nil: all of the vocabulary in order
	Logprobs []float32 // as [Engine.Forward] reports them, bit for bit on the embedded engine
}

// Rank is how many tokens of a whole vocabulary are at least as probable as one, of equal ones those with lower ids.
func (d Distribution) Rank(own int) int {
	n := 1
	for id, p := range d.Logprobs {
		if p > d.Logprobs[own] || p == d.Logprobs[own] && id < own {
			n++
		}
	}
	return n
}

// Best are the k most probable tokens of a whole vocabulary, the most probable first.
func (d Distribution) Best(k int) []int {
	var out []int
	for id, p := range d.Logprobs {
		at := len(out)
		for at > 0 && p > d.Logprobs[out[at-1]] {
			at--
		}
		if at < k {
			out = slices.Insert(out, at, id)
			out = out[:min(len(out), k)]
		}
	}
	return out
}

// A Distributor is an engine that says whole distributions. It is optional: teachers of a student, and decoding over several policies, ask
// for it.
type Distributor interface {
	// Distributions calls each for every place that the prefixes ask about, in order: prefix i after its first length tokens. The
	// distribution has the k most probable tokens, or all for k = 0; its slices are each's until it returns. Only some rows
	// of the vocabulary are in memory at a time, and each may not call the engine. An error of each ends the call. Sampling that cuts the
	// vocabulary is an error, and so is a prefix that leaves no room for a token.
	Distributions(ctx context.Context, prefixes []Prefix, k int, each func(i, length int, d Distribution) error) error
}

// A Target is a token of a distribution that a policy is trained towards, and its share of it.
type Target struct {
	Token int     `json:"token"`
	Mass  float32 `json:"mass"` // at least 0
}

// A Distiller is an engine that trains policies towards distributions, which teachers gave, instead of single tokens. It is optional.
//
// targets[i] is nil or has for every asked token of data[i] the tokens of a distribution q, which need not sum to 1. The log-probability of
// that place is then Σ q(v)·log p(v), v over q's tokens: minus the cross-entropy of p under q. Where q is nil, or one token of mass 1, it
// is that of a single token, to the bit. Masks and sampling that cuts the vocabulary are errors where there are targets.
type Distiller interface {
	// ForwardSoft is [Engine.Forward] with targets.
	ForwardSoft(ctx context.Context, data []Datum, targets [][][]Target) ([]Output, error)
	// ForwardBackwardSoft is [Engine.ForwardBackward] with targets: the gradient of a place's logits is (q - |q|·p)/T times the loss's.
	ForwardBackwardSoft(ctx context.Context, data []Datum, targets [][][]Target, loss Loss) error
}

// CheckTargets refuses targets that do not fit their datum or a vocabulary.
func CheckTargets(d *Datum, targets [][]Target, vocab int) error {
	if targets == nil {
		return nil
	}
	s := d.Sampling
	switch {
	case d.ValuesOnly:
		return fmt.Errorf("values alone are asked of a datum with targets")
	case len(d.Mask.Never) > 0 || len(d.Mask.Early) > 0 || d.Mask.Form != "" || s.TopK > 0 && s.TopK < vocab || s.TopP > 0 && s.TopP < 1:
		return fmt.Errorf("targets may have mass where a mask, top_k or top_p leaves none")
	case len(targets) != d.Asked():
		return fmt.Errorf("there are targets for %d places; %d are asked for", len(targets), d.Asked())
	}
	for i, q := range targets {
		sum := 0.0
		for _, t := range q {
			if t.Token < 0 || t.Token >= vocab {
				return fmt.Errorf("target %d of place %d is not in the vocabulary of %d", t.Token, i, vocab)
			}
			if !(t.Mass >= 0) || math.IsInf(float64(t.Mass), 0) {
				return fmt.Errorf("target %d of place %d has mass %g", t.Token, i, t.Mass)
			}
			sum += float64(t.Mass)
		}
		if q != nil && sum == 0 {
			return fmt.Errorf("the targets of place %d have no mass", i)
		}
	}
	return nil
}

// Asked is how many tokens of a datum log-probabilities are asked for.
func (d *Datum) Asked() int {
	n := len(d.Tokens) - d.ScoreFrom
	for _, g := range d.Given {
		n -= g[1] - g[0]
	}
	return n
}

// Index returns where in Tokens the asked token i is; of i = [Datum.Asked], where the next one would be.
func (d *Datum) Index(i int) int {
	at := d.ScoreFrom + i
	for _, g := range d.Given {
		if at < g[0] {
			break
		}
		at += g[1] - g[0]
	}
	return at
}

// CheckGiven refuses given tokens that do not lie one range behind the other between ScoreFrom and the end.
func (d *Datum) CheckGiven() error {
	from := d.ScoreFrom
	for _, g := range d.Given {
		if g[0] < from || g[1] <= g[0] || g[1] > len(d.Tokens) {
			return fmt.Errorf("the given tokens %v must lie one range behind the other between ScoreFrom %d and the %d tokens", d.Given, d.ScoreFrom, len(d.Tokens))
		}
		from = g[1]
	}
	return nil
}
