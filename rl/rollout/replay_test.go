package rollout_test

import (
	"slices"
	"testing"

	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/team"
	"parley/team/protocols"
	"parley/train/record"
)

// relay is three agents who speak one after the other.
func relay(t *testing.T, s rollout.Settings) *rollout.Runner {
	t.Helper()
	p, err := protocols.Pipeline().Open(team.Settings{Agents: 3, Turns: 3, SeeOthers: true, Prompts: team.Prompts{First: "{{.Question}}", Later: "{{range .Others}}{{.Text}} {{end}}{{.Turn}}"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Group, s.Joint, s.MaxTokens, s.Episodes = 1, credit.Aligned, 3, 2
	r := runner(t, &dice{}, 3, 3, s)
	r.Protocol = p
	return r
}

// said are the texts of an episode of a problem from its root to each leaf.
func said(e *rollout.Episode, sample int) (out [][]string) {
	var walk func(i int, above []string)
	walk = func(i int, above []string) {
		for j, joint := range e.Nodes[i].Joint {
			texts := append(slices.Clone(above), e.Nodes[i].Agents[0].Completions[joint[0]].Text)
			leaf := true
			for k, n := range e.Nodes {
				if n.Parent == i && n.ParentAction == j {
					leaf = false
					walk(k, texts)
				}
			}
			if leaf {
				out = append(out, texts)
			}
		}
	}
	for i, n := range e.Nodes {
		if n.Parent < 0 && n.Sample == sample {
			walk(i, nil)
		}
	}
	return out
}

// TestReplay: a finished episode stays the first of its alternatives and continuations; what is above the message is frozen, and only the message has
// alternatives, each with as many continuations. More of either leave those that were there as they are.
func TestReplay(t *testing.T) {
	for turn := range 4 { // 0: one is drawn
		small := play(t, relay(t, rollout.Settings{Replay: &rollout.Replay{Alternatives: 2, Continuations: 1, Turn: turn}}), 5)
		large := play(t, relay(t, rollout.Settings{Replay: &rollout.Replay{Alternatives: 4, Continuations: 3, Turn: turn}}), 5)
		whole := play(t, relay(t, rollout.Settings{FanOut: []int{1}}), 5)
		drawn := map[int]bool{}
		size, err := credit.ReplaySize([]int{1, 1, 1}, 2, 4, 3)
		if got := record.CostsOf(large[:1]); turn == 1 && (got.Generations != size.Generations || got.Nodes != size.Nodes || got.Steps != size.EnvSteps) || err != nil {
			t.Errorf("a problem has %+v, expected were %+v, %v", got, size, err)
		}
		for i := range whole {
			for sample := range 2 {
				original, few, many := said(whole[i], sample)[0], said(small[i], sample), said(large[i], sample)
				at := -1
				for k, n := range large[i].Nodes {
					if n.Sample == sample && len(n.Joint) == 4 {
						at = n.Turn
						drawn[at] = true
						if turn > 0 && at != turn-1 {
							t.Errorf("node %d: turn %d has alternatives, want turn %d", k, at+1, turn)
						}
					}
				}
				leaves := map[int]int{0: 12, 1: 12, 2: 4}[at]
				if !slices.Equal(few[0], original) || !slices.Equal(many[0], original) || len(many) != leaves || len(few) != 2 {
					t.Fatalf("turn %d: %d and %d ends, the first %q and %q of %q", at+1, len(few), len(many), few[0], many[0], original)
				}
				for _, texts := range many {
					if !slices.Equal(texts[:at], original[:at]) {
						t.Errorf("above turn %d it was said %q, and now %q", at+1, original[:at], texts[:at])
					}
				}
				if again := many[leaves/4]; !slices.Equal(few[1], again) {
					t.Errorf("the first continuation of the second alternative is %q beside one other, %q beside more", few[1], again)
				}
			}
		}
		if turn == 0 && len(drawn) < 2 {
			t.Error("one turn alone is drawn: the test tells nothing")
		}
	}
}
