package verifier

import (
	"math/rand/v2"

	"parley/internal/seed"
)

// missing returns how many right and how many wrong solutions a question lacks of each.
func missing(solutions []Solution, each int) (right, wrong int) {
	r, w := Count(solutions)
	return max(0, each-r), max(0, each-w)
}

// Balance draws so many right and as many wrong solutions of every question at random (MAPoRL §3). Questions that have fewer of
// either are dropped whole; dropped counts them.
func Balance(groups []Group, each int, root uint64) (balanced []Solution, dropped int) {
	for i, g := range groups {
		if r, w := missing(g.Solutions, each); r+w > 0 {
			dropped++
			continue
		}
		balanced = append(balanced, draw(g.Solutions, each, seed.Stream(seed.Derive(root, "verifier balance", i)))...)
	}
	return balanced, dropped
}

// draw takes the first so many right and wrong ones of a shuffle.
func draw(solutions []Solution, each int, rng *rand.Rand) []Solution {
	left := map[bool]int{true: each, false: each}
	var out []Solution
	for _, i := range rng.Perm(len(solutions)) {
		if s := solutions[i]; left[s.Right] > 0 {
			left[s.Right]--
			out = append(out, s)
		}
	}
	return out
}
