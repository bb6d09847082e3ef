package loss

import (
	"slices"
	"testing"
)

// TestPer: by hand, two episodes: agent 0 says 3 tokens and agent 1 says 5 in the first; the second is silent.
func TestPer(t *testing.T) {
	counted := []Counted{{Agent: 0, Tokens: 3}, {Agent: 1, Tokens: 5}}
	for _, c := range []struct {
		per  Per
		r    Reduction
		want []float64
	}{
		{PerMessages, SeqSum, []float64{1. / 2, 1. / 2}},
		{PerMessages, TokenMean, []float64{1. / 8, 1. / 8}},
		{PerAgents, SeqMean, []float64{1. / 3, 1. / 5}},
		{PerTurns, SeqSum, []float64{1. / 4, 1. / 4}},
		{PerTurns, SeqMean, []float64{1. / 12, 1. / 20}},
		{PerTurns, TokenMean, []float64{1. / 16, 1. / 16}},
		{PerEpisodes, SeqSum, []float64{1. / 2, 1. / 2}},
		{PerEpisodes, SeqMean, []float64{1. / 6, 1. / 10}},
	} {
		got, err := c.per.Factors(c.r, counted, WholeOf(2, counted))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s per %s: %v, %v, want %v", c.r, c.per, got, err, c.want)
		}
	}
	for _, c := range []struct {
		per Per
		r   Reduction
	}{{PerEpisodes, TokenMean}, {"rounds", SeqSum}, {PerAgents, "max"}} {
		if _, err := c.per.Factors(c.r, counted, Whole{}); err == nil {
			t.Errorf("no error for %s per %s", c.r, c.per)
		}
	}
}

// TestPerMessageIsTheGroupBatch: messages of one completion a node are weighed as a minibatch of nodes is, where a mean over tokens is not asked for.
func TestPerMessageIsTheGroupBatch(t *testing.T) {
	counted := []Counted{{Tokens: 3}, {Tokens: 0}, {Agent: 1, Tokens: 5}}
	var nodes []NodeSample
	for _, c := range counted {
		nodes = append(nodes, NodeSample{Weight: 1, Completions: []Completion{{Tokens: c.Tokens, Advantage: -1}}})
	}
	for _, r := range []Reduction{SeqSum, SeqMean} {
		b, err := NewGroupBatch(nodes, GroupObjective{Reduction: r})
		if err != nil {
			t.Fatal(err)
		}
		factors, err := PerMessages.Factors(r, counted, Whole{})
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range factors {
			if d := b.scales[i] - f; d > 1e-15 || d < -1e-15 {
				t.Errorf("%s: message %d has the factor %v, its group %v", r, i, f, b.scales[i])
			}
		}
	}
}
