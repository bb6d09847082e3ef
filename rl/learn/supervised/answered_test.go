package supervised

import (
	"slices"
	"testing"

	"parley/rl/rollout"
	"parley/task"
)

// TestAnsweredEpisodes: where a team has an answer, an episode is as good as that, whoever spoke last; of a joint reward the best are kept.
func TestAnsweredEpisodes(t *testing.T) {
	spoken := func(index int, last string, answer float64) *rollout.Episode {
		said := func(text string) []rollout.AgentTurn {
			return []rollout.AgentTurn{{Completions: []rollout.Completion{{Answer: text, HasAnswer: true}}}}
		}
		return &rollout.Episode{Index: index, Problem: task.Problem{Truth: "4"}, Nodes: []*rollout.Node{
			{Agents: said("4"), Rewards: []float64{0}},
			{Turn: 1, Agents: said(last), Rewards: []float64{answer}, Scored: []task.Score{{Reward: answer}}},
		}}
	}
	shown := []*rollout.Episode{spoken(0, "4", 0), spoken(1, "5", 1), spoken(2, "4", 0.5), spoken(3, "4", 1)}
	for _, c := range []struct {
		share float64
		joint bool
		want  []int
	}{{1, false, []int{1, 3}}, {0.25, false, []int{1}}, {0.75, true, []int{1, 3, 2}}} {
		p := &pool{share: c.share, most: len(shown), answered: true, joint: c.joint}
		p.show(shown)
		var got []int
		for _, e := range p.kept() {
			got = append(got, e.Index)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("share %v, joint %v: kept %v, want %v", c.share, c.joint, got, c.want)
		}
	}
}
