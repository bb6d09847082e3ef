package keep_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/task"
	"parley/team"
)

// said is an episode of a debate with everything that training needs.
func said() *rollout.Episode {
	return &rollout.Episode{
		Update: 1, Index: 2, Problem: task.Problem{ID: "p", Question: "1 + 1?", Truth: "2"},
		Nodes: []*rollout.Node{{
			Parent: -1, ParentAction: -1, Joint: [][]int{{0}}, Rewards: []float64{1},
			Agents: []rollout.AgentTurn{{
				Policy: "team", Messages: []team.Message{{Role: "user", Content: "1 + 1?"}}, Prompt: []int{1, 2, 3},
				Completions: []rollout.Completion{{Tokens: []int{4, 5}, Logprobs: []float32{-1, -2}, Text: "2", Answer: "2", HasAnswer: true, Correct: true}},
			}},
		}},
	}
}

// TestCompact: an answer keeps what people read, reads back as an episode and as an answer, and changes nothing of what it is made of.
func TestCompact(t *testing.T) {
	e := said()
	a := keep.Compact(e, 7, 3)
	score := 0.5
	a.System, a.Update, a.Score = "trained", 9, &score
	if !reflect.DeepEqual(e, said()) {
		t.Fatalf("the episode has changed: %+v", e)
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"-2", "[1,2,3]", "[4,5]"} {
		if strings.Contains(string(text), gone) {
			t.Errorf("%s is kept in %s", gone, text)
		}
	}
	back, err := keep.ReadAnswer(text)
	if err != nil || back.System != "trained" || *back.Score != 0.5 || back.Tokens != 2 || back.Pass != 3 || back.Update != 9 || back.Index != 7 || back.Nodes[0].Agents[0].Completions[0].Text != "2" {
		t.Errorf("%+v, %v", back, err)
	}
	if same, err := rollout.ReadEpisode(text); err != nil || !reflect.DeepEqual(same, &back.Episode) {
		t.Errorf("%+v, %v", same, err)
	}
	if _, err := keep.ReadAnswer([]byte(`{"system":1,"problem":{},"nodes":[],"refused":{"0":"no"}}`)); err == nil {
		t.Error("a system that is a number is read")
	}
}

// FuzzReadAnswer: whatever a line is, it is an error or an answer that can be written again.
func FuzzReadAnswer(f *testing.F) {
	text, err := json.Marshal(keep.Compact(said(), 0, 0))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"system":"trained","score":1e400}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := keep.ReadAnswer(line)
		if err != nil {
			return
		}
		if _, err := json.Marshal(a); err != nil {
			t.Fatal(err)
		}
	})
}
