package record

import (
	"testing"

	"parley/rl/rollout"
	"parley/task"
	"parley/team"
)

// TestHidden: prompts of those who do not see a field are counted, and those among them in which its text stands.
func TestHidden(t *testing.T) {
	asked := func(agent int, text string) *rollout.Node {
		return &rollout.Node{Agents: []rollout.AgentTurn{{Agent: agent, Messages: []team.Message{{Content: text}}}}}
	}
	e := &rollout.Episode{
		Problem: task.Problem{Fields: map[string]string{"solution": "forty-nine", "hint": "add"}},
		Nodes:   []*rollout.Node{asked(0, "What is it?"), asked(1, "It is forty-nine."), asked(0, "They said forty-nine.")},
	}
	viewers := team.Viewers{"solution": {"user"}}
	if h := hidden(viewers, []string{"agent", "user"}, []*rollout.Episode{e}); h == nil || *h != (Hidden{Prompts: 2, Shown: 1}) {
		t.Errorf("%+v", h)
	}
	if h := hidden(nil, []string{"agent", "user"}, []*rollout.Episode{e}); h != nil {
		t.Errorf("%+v where nothing is hidden", h)
	}
}
