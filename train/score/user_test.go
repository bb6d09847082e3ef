package score

import (
	"strings"
	"testing"
	"time"

	"parley/reward"
	"parley/rollout"
	"parley/task/user"
)

// TestUserRewards: every joint action gets its own reward, processed; one without a reward fails its node and no other.
func TestUserRewards(t *testing.T) {
	r := lang.Defaults()
	r.Reward.Source, r.Reward.User.Max, r.Reward.User.Min = "user", 10, -10
	own, err := user.Open(t.Context(), user.Settings{Expression: `len(responses[0]) - 2 * len(responses[1]) if responses[0] != "?" else responses[2]`, Least: -10, Most: 10, Deadline: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s := &Scorer{recipe: r, user: own, process: reward.Chain{reward.Scale(10)}}
	nodes := turn([2]string{"aaaa", "b"}, [2]string{"?", "b"}, [2]string{"a", "bb"})
	for _, n := range nodes {
		for a := range n.Node.Agents {
			c := &n.Node.Agents[a].Completions
			*c = append(*c, rollout.Completion{Text: "longer"})
		}
		n.Node.Joint = [][]int{{0, 0}, {0, 1}}
	}
	if err := s.askUser(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "index 2 out of range", "outside of the declared range [-10, 10]"} {
		n := nodes[i].Node
		if want == "" {
			if n.Failed != "" || n.Rewards[0] != 20 || n.Rewards[1] != -80 || n.Scored[0].Reward != 2 {
				t.Errorf("node %d: %q, rewards %v", i, n.Failed, n.Rewards)
			}
		} else if !strings.Contains(n.Failed, want) || n.Rewards != nil || n.Scored != nil {
			t.Errorf("node %d: %q, rewards %v, want %q", i, n.Failed, n.Rewards, want)
		}
	}
	if least, most := s.Range(); least != -10 || most != 10 {
		t.Errorf("range [%v, %v]", least, most)
	}
}
