package sweet

import (
	"fmt"
	"testing"

	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
)

func chat(role, content string) team.Message {
	return team.Message{Role: team.Role(role), Content: content}
}

// hearing is a codec that notes what it renders.
type hearing struct{ heard *string }

func (h hearing) Prompt(dialogue []team.Message) ([]int, error) {
	*h.heard = ""
	for _, m := range dialogue {
		*h.heard += m.Content + "|"
	}
	return []int{1}, nil
}
func (hearing) Text([]int) string { return "" }
func (hearing) Stop() []int       { return nil }

// grow is an episode of an agent and a user, who speak in turn, with so many candidates each, of which the named ones are executed.
func grow(id string, candidates, executed []int, rewards []float64) *rollout.Episode {
	e := &rollout.Episode{Problem: task.Problem{ID: id}}
	for t, n := range candidates {
		node := &rollout.Node{Turn: t, Parent: t - 1, Rewards: make([]float64, n), Agents: []rollout.AgentTurn{{Agent: t % 2}}}
		if node.ParentAction = -1; t > 0 {
			node.ParentAction = executed[t-1]
		}
		if t%2 == 1 {
			node.Agents[0].Speaker = "script"
		}
		for j := range n {
			node.Joint = append(node.Joint, []int{j})
			node.Agents[0].Completions = append(node.Agents[0].Completions, rollout.Completion{Text: fmt.Sprint(t, ".", j), Tokens: []int{1}})
		}
		if t == len(candidates)-1 {
			copy(node.Rewards, rewards)
		}
		e.Nodes = append(e.Nodes, node)
	}
	return e
}

// seen are the dialogues of a record in words.
func seen(r *record) (talks, turns string) {
	for _, t := range r.talks {
		talks += fmt.Sprintf("%s %g:", t.problem, t.reward)
		for _, m := range t.messages {
			talks += fmt.Sprintf(" %s (%d)", m.Completion.Text, m.number)
		}
		talks += "; "
	}
	for _, t := range r.turns {
		turns += fmt.Sprintf("%d/%d/%d: %d; ", t.update, t.episode, t.node, len(t.candidates))
	}
	return talks, turns
}

// TestDialogues: of decided episodes there is one dialogue, of executed candidates, which ends with the first that could be scored; of trees there is
// one for each leaf. What the user says is nobody's message, and messages are counted for their policy alone.
func TestDialogues(t *testing.T) {
	l := &learner{Common: learn.Common{Config: learn.Config{Sharing: learn.Sharing{Policies: learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}, Bases: []int{0, 0}}}}}
	for _, c := range []struct {
		decided      bool
		change       func(*rollout.Episode)
		talks, turns string
	}{
		{true, nil, "p 0.5: 0.1 (1) 2.0 (2); ", "3/7/0: 3; 3/7/2: 2; "},
		{true, func(e *rollout.Episode) { e.Nodes[2].Unscored = []int{0} }, "p 1: 0.1 (1) 2.1 (2); ", "3/7/0: 3; 3/7/2: 2; "},
		{true, func(e *rollout.Episode) { e.Nodes[0].Rewards[1] = 2 }, "p 2.5: 0.1 (1) 2.0 (2); ", "3/7/0: 3; 3/7/2: 2; "},
		{true, func(e *rollout.Episode) { e.Nodes[0].Agents[0].Completions[1].Masked = true }, "p 0.5: 2.0 (2); ", "3/7/0: 2; 3/7/2: 2; "},
		{true, func(e *rollout.Episode) { e.Nodes[2].Fail("it died") }, "", ""},
		{false, nil, "p 0: 0.0 (1); p 0: 0.2 (1); p 0.5: 0.1 (1) 2.0 (2); p 1: 0.1 (1) 2.1 (2); ", "3/7/0: 3; 3/7/2: 2; "},
	} {
		e := grow("p", []int{3, 1, 2}, []int{1, 0}, []float64{.5, 1})
		e.Index = 7
		if c.change != nil {
			c.change(e)
		}
		r := l.recordsOf([]played{{3, e}}, c.decided)["policy-agent1"]
		if r == nil {
			r = &record{}
		}
		if talks, turns := seen(r); talks != c.talks || turns != c.turns {
			t.Errorf("dialogues %q, turns %q: want %q, %q", talks, turns, c.talks, c.turns)
		}
	}
}

// TestCompared: dialogues about one problem are compared, in whatever update they took place, and those of others are not.
func TestCompared(t *testing.T) {
	l := &learner{Common: learn.Common{Config: learn.Config{Sharing: learn.Sharing{Policies: learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}, Bases: []int{0, 0}}}}}
	var all []played
	for i, reward := range []float64{.2, 1, .4} {
		for _, id := range []string{"p", "q"} {
			if id == "q" {
				reward /= 2 // nobody solves it
			}
			all = append(all, played{i, grow(id, []int{1}, nil, []float64{reward})})
		}
	}
	for pairs, want := range map[string]string{"solved": "p 1-0.2 p 1-0.4 ", "best": "p 1-0.2 p 1-0.4 q 0.5-0.1 q 0.5-0.2 "} {
		l.settings.Pairs = pairs
		got := ""
		for _, x := range l.compared(l.recordsOf(all, true)["policy-agent1"].talks) {
			got += fmt.Sprintf("%s %g-%g ", x[0].problem, x[0].reward, x[1].reward)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", pairs, got, want)
		}
	}
}
