package train

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"parley/internal/seed"
	"parley/loss"
)

// buffers collect the samples of every policy and drain them when they are full (magrpo.md §2.4).
type buffers[S any] struct {
	size  int
	drain func([]drained[S]) error // of different policies

	held  map[target]*loss.Buffer[S] // those with samples
	order []target                   // of their first samples
}

// A drained is what was in the buffer of a policy.
type drained[S any] struct {
	to      target
	samples []S
}

// add puts a sample into the buffer of its policy.
func (b *buffers[S]) add(to target, s S) error {
	if b.held == nil {
		b.held = map[target]*loss.Buffer[S]{}
	}
	if b.held[to] == nil {
		b.held[to] = &loss.Buffer[S]{Size: b.size}
		b.order = append(b.order, to)
	}
	if full := b.held[to].Add(s); full != nil {
		b.remove(to)
		return b.drain([]drained[S]{{to, full}})
	}
	return nil
}

// remove forgets a buffer that is empty.
func (b *buffers[S]) remove(to target) {
	delete(b.held, to)
	b.order = slices.DeleteFunc(b.order, func(x target) bool { return x == to })
}

// flush drains what is left, all of it together.
func (b *buffers[S]) flush() error {
	var left []drained[S]
	for len(b.order) > 0 {
		to := b.order[0]
		left = append(left, drained[S]{to, b.held[to].Drain()})
		b.remove(to)
	}
	return b.drain(left)
}

// bufferSize is how many samples fill a buffer.
func (c *core) bufferSize() int {
	return cmp.Or(c.recipe.Group.Buffer, math.MaxInt)
}

// batchSize is how many of n drained samples share an optimizer step.
func (c *core) batchSize(n int) int { return cmp.Or(c.recipe.Group.TrainBatch, max(n, 1)) }

// shuffle is the stream that mixes the samples of a policy that are drained after so many steps of the update, of all policies.
func (c *core) shuffle(to target, update, steps int) *rand.Rand {
	return seed.Stream(seed.Derive(uint64(c.recipe.Seed), "shuffle "+string(to.policy), update, steps))
}
