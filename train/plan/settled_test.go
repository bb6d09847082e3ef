package plan

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"parley/rl/rollout"
	"parley/team"
)

// TestSettled: messages that came in any order stand in one, each sample by itself, and what is assigned there is assigned to what is stored.
func TestSettled(t *testing.T) {
	message := func(sample, agent, prompt, token int) *rollout.Node {
		a := rollout.AgentTurn{Agent: agent, Prompt: []int{prompt}, Completions: []rollout.Completion{{Tokens: []int{token}, Logprobs: []float32{0}}}}
		if prompt == 0 {
			a.Prompt, a.Messages = nil, []team.Message{{Role: team.User, Content: string(rune('a' + token))}}
		}
		return &rollout.Node{Sample: sample, Agents: []rollout.AgentTurn{a}, Joint: [][]int{{0}}, Rewards: []float64{0}}
	}
	want := ""
	for order := range uint64(20) {
		e := &rollout.Episode{}
		for sample := range 2 {
			of := []*rollout.Node{message(sample, 0, 1, 1), message(sample, 0, 1, 2), message(sample, 0, 2, 1), message(sample, 1, 0, 1), message(sample, 1, 0, 2)}
			for turn, at := range rand.New(rand.NewPCG(order, uint64(sample))).Perm(len(of)) {
				n := of[at]
				if n.Turn, n.Parent = turn, len(e.Nodes)-1; turn == 0 {
					n.Parent, n.ParentAction = -1, -1
				}
				e.Nodes = append(e.Nodes, n)
			}
		}
		before, _ := json.Marshal(e)
		data, err := json.Marshal(settled(e))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rollout.ReadEpisode(data); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(data)
		}
		if after, _ := json.Marshal(e); string(data) != want || string(after) != string(before) {
			t.Fatalf("order %d: %s\nwant %s", order, data, want)
		}
		settled(e).Nodes[3].Agents[0].Assign([]float64{7}, []float64{8})
		n := 0
		for _, node := range e.Nodes {
			if c := node.Agents[0].Completions[0]; c.Reward == 7 && c.Advantage == 8 {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d messages have what was assigned to one", n)
		}
	}
}
