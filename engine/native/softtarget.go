package native

import (
	"fmt"

	"parley/engine"
)

// A softTarget is a distribution that a place is trained towards.
type softTarget struct {
	tokens []engine.Target
	mass   float32   // of all tokens together
	slopes []float32 // of the tokens' own logits, see logitSlopes; nil: all are 1
}

// soften puts a distribution in the place of a target's token. A distribution with one token of mass 1 is left as a plain token, so that
// nothing is rounded in another way.
func (a *target) soften(q []engine.Target) {
	if q == nil {
		return
	}
	if len(q) == 1 && q[0].Mass == 1 {
		a.token = q[0].Token
		return
	}
	sum := 0.0
	for _, t := range q {
		sum += float64(t.Mass)
	}
	a.soft = &softTarget{tokens: q, mass: float32(sum)}
}

// mass is that of what a target asks for: 1 for a token.
func (a *target) mass() float32 {
	if a.soft == nil {
		return 1
	}
	return a.soft.mass
}

// each calls f for every token that a target asks for.
func (a *target) each(f func(token int, mass float32)) {
	if a.soft == nil {
		f(a.token, 1)
		return
	}
	for _, t := range a.soft.tokens {
		f(t.Token, t.Mass)
	}
}

// read takes what a target asks for from the logits z of tokens first, first+1, ...; blocks come in order.
func (a *target) read(z []float32, first int) {
	if a.soft == nil {
		if t := a.token - first; t >= 0 && t < len(z) {
			*a.to = z[t]
		}
		return
	}
	for _, q := range a.soft.tokens {
		if t := q.Token - first; t >= 0 && t < len(z) {
			*a.to += float32(q.Mass * z[t])
		}
	}
}

// normalize turns what a target has read into log-probabilities, given the log of the normaliser.
func (a *target) normalize(norm float32) {
	if a.soft == nil {
		*a.to -= norm
		return
	}
	*a.to -= float32(a.soft.mass * norm)
}

// takeSlopes notes those of the target's tokens among from, from+1, ...; nil: logits are not bent.
func (q *softTarget) takeSlopes(slopes []float32, from int) {
	if slopes == nil {
		return
	}
	if q.slopes == nil {
		q.slopes = make([]float32, len(q.tokens))
	}
	for i, t := range q.tokens {
		if at := t.Token - from; at >= 0 && at < len(slopes) {
			q.slopes[i] = slopes[at]
		}
	}
}

// addSoftGrad adds flat·Σ q[v]·W[v] to the hidden gradient of a target; w is room for a row of W.
func (h *head) addSoftGrad(q *softTarget, grad, w []float32, flat float32) {
	for i, t := range q.tokens {
		scale := float32(flat * t.Mass)
		if q.slopes != nil {
			scale *= q.slopes[i]
		}
		h.net.head.matrix.Row(w, t.Token)
		h.k.AddScaled(grad, scale, w)
	}
}

// softBatches cuts data into batches, each with its part of the targets.
func (e *Engine) softBatches(data []engine.Datum, targets [][][]engine.Target, train bool) ([]*batch, error) {
	if targets != nil && len(targets) != len(data) {
		return nil, fmt.Errorf("there are targets for %d data; there are %d", len(targets), len(data))
	}
	batches, err := e.fitBatches(data, train)
	if err != nil || targets == nil {
		return batches, err
	}
	for i := range data {
		if err := engine.CheckTargets(&data[i], targets[i], e.shape.Vocab); err != nil {
			return nil, fmt.Errorf("datum %d: %w", i, err)
		}
	}
	for _, b := range batches {
		b.soft = targets[b.first : b.first+len(b.data)]
	}
	return batches, nil
}
