package group

import (
	"slices"
	"testing"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
)

// TestCalls: an episode counts for an agent whatever the number of its messages. By hand: the second agent returns 1, 1 and 0 in the first episode,
// 2 in the second, and is silent in the third; with three slots a message of the first weighs 1, the other 3.
func TestCalls(t *testing.T) {
	own := 1.
	play := func(calls string) []float64 {
		l := creditor(t, func(c *words.Credit, g *learn.Group) {
			c.Baseline, c.Calls, c.OwnWeight, g.Discount = "agent", calls, &own, 0
		})
		return advantagesOf(t, l, new(learn.Stats), problem(nil,
			[]told{{agent: 1, own: []float64{0, 1}}, {agent: 1, own: []float64{0, 1}}, {agent: 1, own: []float64{0, 0}}},
			[]told{{agent: 0, own: []float64{4, 0}}, {agent: 1, own: []float64{0, 2}}},
			[]told{{agent: 0, own: []float64{2, 0}}}))
	}
	mean := 8. / 6
	about(t, "weighed", play("weight"), []float64{1 - mean, 1 - mean, -mean, 1, 3 * (2 - mean), -1})
	about(t, "each", play("each"), []float64{0, 0, -1, 1, 1, -1})
	// Three are kept of three; the only one of the second is repeated.
	if got, want := play("sample"), play("weight"); !slices.Equal(got, want) {
		t.Errorf("drawn: %v, want %v", got, want)
	}
}
