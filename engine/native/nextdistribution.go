package native

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/engine"
)

// Distributions implements [engine.Distributor]. Prefixes go forward as data that are scored do, some at a time; then the head goes over
// the whole vocabulary for some rows at a time.
func (e *Engine) Distributions(ctx context.Context, prefixes []engine.Prefix, k int, each func(i, length int, d engine.Distribution) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	data := make([]engine.Datum, len(prefixes))
	for i := range prefixes {
		d, err := e.askedAfter(&prefixes[i])
		if err != nil {
			return fmt.Errorf("distributions: prefix %d: %w", i, err)
		}
		data[i] = d
	}
	for rest := data; len(rest) > 0; {
		n, places := 0, 0
		for n < len(rest) && (n == 0 || places < maxCompared) {
			places += rest[n].Asked()
			n++
		}
		first := len(data) - len(rest)
		p, err := e.predictions(ctx, first, rest[:n])
		if err != nil {
			return fmt.Errorf("distributions: %w", err)
		}
		for i := range p {
			err := e.tell(p[i], k, func(j int, d engine.Distribution) error { return each(first+i, rest[i].ScoreFrom+j, d) })
			if err != nil {
				return fmt.Errorf("distributions: prefix %d: %w", first+i, err)
			}
		}
		rest = rest[n:]
	}
	return nil
}

// askedAfter is a prefix as a datum that has some token behind it, which nothing depends on.
func (e *Engine) askedAfter(p *engine.Prefix) (engine.Datum, error) {
	d := engine.Datum{Policy: p.Policy, Tokens: append(slices.Clone(p.Tokens), 0), ScoreFrom: p.From, Sampling: p.Sampling}
	if p.From > len(p.Tokens) {
		return d, fmt.Errorf("the first place is after %d tokens; it must lie between 1 and the %d tokens", p.From, len(p.Tokens))
	}
	d.Mask = p.Mask
	if _, err := e.checkDatum(&d); err != nil {
		return d, err
	}
	if err := e.allowLast(&d); err != nil {
		return d, err
	}
	if truncates(normalized(p.Sampling), e.shape.Vocab) {
		return d, errors.New("top_k and top_p leave tokens without probability")
	}
	return d, nil
}

// allowLast makes the last token of a datum, which is to be asked for alone, one that its form allows: a token that is scored is always among those of its place.
func (e *Engine) allowLast(d *engine.Datum) error {
	text, err := e.formText(d.Mask, d.ScoreFrom)
	if text == nil || err != nil {
		return err
	}
	var place *formPlace
	for j := range d.Asked() {
		if place, err = text.next(d, j); err != nil {
			return err
		}
	}
	if place != nil {
		d.Tokens[len(d.Tokens)-1] = place.any()
	}
	return nil
}

// tell calls each for every place of a prediction with the k most probable tokens; 0: with all.
func (e *Engine) tell(p prediction, k int, each func(j int, d engine.Distribution) error) error {
	v, c := e.shape.Vocab, e.computation(p.net, &pass{}, false)
	most := max(16, headFloats/v)
	z, found := make([]float32, min(most, len(p.norms))*v), make([]engine.Distribution, min(most, len(p.norms)))
	for lo := 0; lo < len(p.norms); lo += most {
		part := p.part(lo, min(lo+most, len(p.norms)), e.shape.Hidden)
		n := len(part.norms)
		e.k.Mul(z, part.hidden, n, p.net.head.matrix, false)
		e.k.Run(n, func(i int) {
			logprobs := row(z, i, v)
			c.finishLogits(logprobs)
			part.targets[i].scale(c.k, logprobs, 0)
			for t := range logprobs {
				logprobs[t] -= part.norms[i]
			}
			found[i] = mostProbable(logprobs, k)
		})
		for i := range n {
			if err := each(lo+i, found[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostProbable is the part of a distribution that its k most probable tokens make; of equal ones those with lower ids.
func mostProbable(logprobs []float32, k int) engine.Distribution {
	if k <= 0 {
		return engine.Distribution{Logprobs: logprobs}
	}
	k = min(k, len(logprobs))
	least, tokens := nth(slices.Clone(logprobs), k), make([]int, 0, k)
	equal := k
	for _, l := range logprobs {
		if l > least {
			equal--
		}
	}
	for t, l := range logprobs {
		if l > least || l == least && equal > 0 {
			tokens = append(tokens, t)
		}
		if l == least {
			equal--
		}
	}
	slices.SortStableFunc(tokens, func(a, b int) int { return cmp.Compare(logprobs[b], logprobs[a]) })
	d := engine.Distribution{Tokens: tokens, Logprobs: make([]float32, len(tokens))}
	for i, t := range tokens {
		d.Logprobs[i] = logprobs[t]
	}
	return d
}
