package main

import "math/rand/v2"

// A share is the weight of one of several ways.
type share[T any] struct {
	weight int // in per cent
	way    T
}

// choose draws a way by weight.
func choose[T any](rng *rand.Rand, shares []share[T]) T {
	total := 0
	for _, s := range shares {
		total += s.weight
	}
	at := rng.IntN(total)
	for _, s := range shares {
		if at -= s.weight; at < 0 {
			return s.way
		}
	}
	panic("makebase: internal error: weights do not add up")
}
