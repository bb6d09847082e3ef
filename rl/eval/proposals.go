package eval

import "parley/internal/tie"

// Proposals are the verdicts on what peers wrote about one task, [peer][proposal].
type Proposals [][]bool

// Share is the share of right ones among all; 0 without any.
func (p Proposals) Share() float64 {
	right, all := 0, 0
	for _, peer := range p {
		for _, ok := range peer {
			all++
			if ok {
				right++
			}
		}
	}
	return float64(right) / float64(max(all, 1))
}

// Rows says which proposals stand together in a prompt: row v holds the number of every peer's v-th one. There are as many rows as the shortest
// list has proposals, and none where too many are right: where the share of right ones reaches the threshold there is little to learn.
func (p Proposals) Rows(threshold float64) [][]int {
	if len(p) == 0 || !tie.Above(threshold, p.Share(), 1) {
		return nil
	}
	shortest := len(p[0])
	for _, peer := range p {
		shortest = min(shortest, len(peer))
	}
	rows := make([][]int, shortest)
	for v := range rows {
		for range p {
			rows[v] = append(rows[v], v)
		}
	}
	return rows
}

// Keep says whether a task is learned from: some peer's proposals are wrong often enough, and every peer has one.
func (p Proposals) Keep(threshold float64) bool { return len(p.Rows(threshold)) > 0 }

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
