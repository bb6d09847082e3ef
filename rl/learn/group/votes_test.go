package group

import (
	"testing"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/rollout"
)

// ballot is an episode's round of agents who answer at once; an empty answer cannot be read. The right one is 4.
func ballot(e *rollout.Episode, sample int, answers ...string) {
	n := &rollout.Node{Parent: -1, ParentAction: -1, Sample: sample, Joint: [][]int{make([]int, len(answers))}, Rewards: []float64{0}}
	for agent, a := range answers {
		c := rollout.Completion{Tokens: []int{1}, Answer: a, HasAnswer: a != "", Correct: a == "4"}
		n.Agents = append(n.Agents, rollout.AgentTurn{Agent: agent, Policy: "policy", Completions: []rollout.Completion{c}})
	}
	e.Nodes = append(e.Nodes, n)
}

// TestVotingCredit: a vote is worth what it changes. Ties go to the first seen: without the first voter 5 wins, without the last 4. A group of one is
// enough, a majority of two makes nobody pivotal, what cannot be read changes nothing, and a voter's earlier messages have its last one's credit.
func TestVotingCredit(t *testing.T) {
	l := creditor(t, func(c *words.Credit, g *learn.Group) { c.Baseline, g.Size = "vote", 1 })
	l.Voters = []int{0, 1, 2}
	for _, c := range []struct {
		votes []string
		want  []float64
	}{
		{[]string{"4", "5", "4"}, []float64{2, 0, 0}},
		{[]string{"4", "4", "4"}, []float64{0, 0, 0}},
		{[]string{"5", "4", ""}, []float64{-2, 0, 0}},
		{[]string{"", "", ""}, []float64{0, 0, 0}},
		{[]string{"5", "6", "7"}, []float64{0, 0, 0}},
	} {
		e := &rollout.Episode{}
		ballot(e, 0, "9", "9", "9") // before they read each other
		ballot(e, 0, c.votes...)
		if err := l.creditEpisodes(t.Context(), []*rollout.Episode{e}, nil, new(learn.Stats)); err != nil {
			t.Fatal(err)
		}
		for _, n := range e.Nodes {
			for agent := range n.Agents {
				if got := n.Agents[agent].Completions[0].Advantage; got != c.want[agent] {
					t.Errorf("%q: voter %d has %v, want %v", c.votes, agent+1, got, c.want[agent])
				}
			}
		}
	}
}

// TestThoseWhoDoNotVote are compared with the episodes' scores; an episode that failed credits nobody.
func TestThoseWhoDoNotVote(t *testing.T) {
	l := creditor(t, func(c *words.Credit, _ *learn.Group) { c.Baseline = "vote" })
	l.Voters = []int{2, 1}
	e := &rollout.Episode{}
	for sample := range 3 {
		ballot(e, sample, "1", "5", "4")
	}
	e.Nodes[0].Rewards = []float64{1}
	e.Nodes[2].Fail("no score")
	if err := l.creditEpisodes(t.Context(), []*rollout.Episode{e}, nil, new(learn.Stats)); err != nil {
		t.Fatal(err)
	}
	for sample, want := range [][]float64{{0.5, 0, 2}, {-0.5, 0, 2}, {0, 0, 0}} {
		for agent, w := range want {
			if got := e.Nodes[sample].Agents[agent].Completions[0].Advantage; got != w {
				t.Errorf("episode %d, agent %d: %v, want %v", sample+1, agent+1, got, w)
			}
		}
	}
}
