package learn

import (
	"cmp"
	"math"
	"slices"

	"parley/rl/loss"
)

// PolicySamples are what one policy learns from.
type PolicySamples[S any] struct {
	To      PolicyRef
	Samples []S
}

// ByPolicy puts together what one policy learns from, in the order in which the policies appear.
func ByPolicy[S any](all []S, of func(S) PolicyRef) []PolicySamples[S] {
	keys, parts := groupBy(all, of)
	out := make([]PolicySamples[S], len(keys))
	for i, to := range keys {
		out[i] = PolicySamples[S]{to, parts[to]}
	}
	return out
}

// Buffers collect the samples of every policy and drain them when they are full (MAGRPO §2.4).
type Buffers[S any] struct {
	Size  int                            // samples that fill a buffer; 0: any number fits
	Drain func([]PolicySamples[S]) error // of different policies

	buffers map[PolicyRef]*loss.Buffer[S] // those with samples
	order   []PolicyRef                   // of their first samples
}

// Add puts a sample into the buffer of its policy.
func (b *Buffers[S]) Add(to PolicyRef, s S) error {
	if b.buffers == nil {
		b.buffers = map[PolicyRef]*loss.Buffer[S]{}
	}
	if b.buffers[to] == nil {
		b.buffers[to] = &loss.Buffer[S]{Size: cmp.Or(b.Size, math.MaxInt)}
		b.order = append(b.order, to)
	}
	if full := b.buffers[to].Add(s); full != nil {
		b.remove(to)
		return b.Drain([]PolicySamples[S]{{to, full}})
	}
	return nil
}

// remove forgets a buffer that is empty.
func (b *Buffers[S]) remove(to PolicyRef) {
	delete(b.buffers, to)
	b.order = slices.DeleteFunc(b.order, func(x PolicyRef) bool { return x == to })
}

// Flush drains what is left, all of it together.
func (b *Buffers[S]) Flush() error {
	var left []PolicySamples[S]
	for len(b.order) > 0 {
		to := b.order[0]
		left = append(left, PolicySamples[S]{to, b.buffers[to].Drain()})
		b.remove(to)
	}
	return b.Drain(left)
}

// Held lists what waits, buffer by buffer in the order of their first samples.
func (b *Buffers[S]) Held() []S {
	var out []S
	for _, to := range b.order {
		out = append(out, b.buffers[to].Held...)
	}
	return out
}
