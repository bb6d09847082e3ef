package label

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
