package train_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/engine"
	"parley/internal/shortrun"
)

// TestRivalModel: another base, with a tokenizer of its own, writes half of the candidates in the tokens of the team's base, and pairs
// are between it and the team.
func TestRivalModel(t *testing.T) {
	o := quick(t, "madpo-tiny", "training.updates=1", "training.problems=4", "preference.candidates=8", "preference.iterations=1",
		"preference.comparator=model", "preference.model=testdata/tiny-base")
	result, metrics := shortrun.Run(t, o.Recipe)
	if m := metrics[0]; m.Pairs == 0 || m.PairSteps != 2*m.Pairs || len(m.GradNorm) != 2 {
		t.Errorf("%d pairs in %d steps, gradients of %v", m.Pairs, m.PairSteps, m.GradNorm)
	}
	for _, e := range episodesOf(t, result.Dir) {
		for _, agentTurn := range e.Nodes[0].Agents {
			if n := len(agentTurn.Completions); n != 8 {
				t.Fatalf("%d candidates, want 8", n)
			}
			for k, c := range agentTurn.Completions {
				if (c.Logprobs == nil) != (k >= 4) || len(c.Tokens) == 0 && c.Text != "" {
					t.Errorf("candidate %d has %d tokens and log-probabilities %v", k, len(c.Tokens), c.Logprobs)
				}
			}
		}
	}
}

// TestServerRival: a model behind a server writes half of the candidates, in the tokens of the team's base; an answer that it finished ends with the
// end token, and one that was cut does not.
func TestServerRival(t *testing.T) {
	url := chats(t, func(w http.ResponseWriter, a ask) {
		finish := map[bool]string{true: "stop", false: "length"}[a.Seed%2 == 0]
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"The sum is \\\\boxed{%d}."},"finish_reason":%q}]}`, a.Seed%9, finish)
	})
	o := quick(t, "madpo-tiny", "training.updates=1", "training.problems=4", "preference.candidates=8", "preference.iterations=1",
		"preference.comparator=server", "preference.server.url="+url+"/v1", "preference.server.model=big")
	result, metrics := shortrun.Run(t, o.Recipe)
	if m := metrics[0]; m.Pairs == 0 || len(m.GradNorm) != 2 || m.Servers == nil || m.Servers.Requests != 4*2*4 {
		t.Errorf("%d pairs, gradients of %v, servers %+v", m.Pairs, m.GradNorm, m.Servers)
	}
	ends := map[engine.StopReason]int{}
	for _, e := range episodesOf(t, result.Dir) {
		for _, agentTurn := range e.Nodes[0].Agents {
			if n := len(agentTurn.Completions); n != 8 || agentTurn.Speaker != "" {
				t.Fatalf("%d candidates of %q, want 8", n, agentTurn.Speaker)
			}
			for _, c := range agentTurn.Completions[4:] {
				if ends[c.Stop]++; c.Logprobs != nil || len(c.Tokens) == 0 || !strings.HasPrefix(c.Text, "The sum is ") {
					t.Errorf("%q: tokens %v, log-probabilities %v", c.Text, c.Tokens, c.Logprobs)
				}
			}
		}
	}
	if ends[engine.StopEOS] == 0 || ends[engine.StopLength] == 0 {
		t.Errorf("ends %v", ends)
	}
}

// TestCentralRival: one model writes for all agents at once, and each is given its part. A text without a block for every agent is no candidate.
func TestCentralRival(t *testing.T) {
	url := chats(t, func(w http.ResponseWriter, a ask) {
		text := fmt.Sprintf("So. <agent_1>First \\\\boxed{%d}.</agent_1> <agent_2>Second \\\\boxed{3}.</agent_2>", a.Seed%9)
		if a.Seed%3 == 0 {
			text = "<agent_1>only one</agent_1>"
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, text)
	})
	o := quick(t, "madpo-tiny", "training.updates=1", "training.problems=4", "preference.candidates=8", "preference.iterations=1", "preference.central=true",
		"preference.comparator=server", "preference.server.url="+url+"/v1", "preference.server.model=big")
	result, metrics := shortrun.Run(t, o.Recipe)
	if m := metrics[0]; m.Pairs == 0 || len(m.GradNorm) != 2 || m.Servers == nil || m.Servers.Requests != 4*4 {
		t.Errorf("%d pairs, gradients of %v, servers %+v", m.Pairs, m.GradNorm, m.Servers)
	}
	written := 0
	for _, e := range episodesOf(t, result.Dir) {
		n := e.Nodes[0]
		if len(n.Joint) != len(n.Rewards) || len(n.Joint) > 8 {
			t.Errorf("%d joint responses, %d rewards", len(n.Joint), len(n.Rewards))
		}
		for agent, begins := range []string{"First ", "Second "} {
			for _, action := range n.Joint[4:] {
				c := n.Agents[agent].Completions[action[agent]]
				if written++; !strings.HasPrefix(c.Text, begins) || c.Stop != engine.StopEOS || len(c.Tokens) == 0 || c.Logprobs != nil {
					t.Errorf("agent %d wrote %+v", agent, c)
				}
			}
		}
	}
	if written == 0 || written == 4*4*2 {
		t.Errorf("%d texts were taken, of which some have no block for an agent", written)
	}
}
