package label

import "parley/internal/tie"

// Halves are the candidates at one history, ranked by a critic's score. With an odd number the middle one is in neither half.
type Halves struct {
	Ranking     []int // best first, of equals the first
	Top, Bottom []int // both in rank order
	Middle      int   // −1: none
	scores      []float64
}

// Halve ranks candidates and cuts the ranking at ⌊n/2⌋.
func Halve(scores []float64) Halves {
	h := Halves{Ranking: Ranking(scores), Middle: -1, scores: scores}
	half := len(scores) / 2
	h.Top, h.Bottom = h.Ranking[:half], h.Ranking[len(scores)-half:]
	if len(scores)%2 == 1 {
		h.Middle = h.Ranking[half]
	}
	return h
}

// Draw returns the candidates that two numbers of [0,1) choose, one of each half. ok is false where the halves are empty, and where both scored
// the same: then neither is better.
func (h Halves) Draw(u, v float64) (chosen, rejected int, ok bool) {
	n := len(h.Top)
	if n == 0 {
		return 0, 0, false
	}
	at := func(x float64) int { return min(int(x*float64(n)), n-1) }
	chosen, rejected = h.Top[at(u)], h.Bottom[at(v)]
	return chosen, rejected, !tie.Equal(h.scores[chosen], h.scores[rejected], 0)
}
