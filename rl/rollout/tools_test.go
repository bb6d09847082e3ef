package rollout_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/team"
)

// spelling is a tool for letters: a part that ends with a vowel calls, and what is inserted is as long as the part. One that ends with the
// letter of broken breaks the machine.
type spelling struct{ broken string }

func (s spelling) Turn([]team.Message) rollout.ToolTurn { return &spelled{spelling: s} }

type spelled struct {
	spelling
	part, said string
}

func (*spelled) Watch(int) rollout.Watcher { return &vowelStop{} }

func (s *spelled) Calls(tokens []int, why engine.StopReason) bool {
	s.part = letters{}.Text(tokens)
	return why == engine.StopText
}

func (s *spelled) Run(context.Context) ([]rollout.Call, []int, error) {
	if s.broken != "" && strings.HasSuffix(s.part, s.broken) {
		return nil, nil, errors.New("the sandbox burns")
	}
	s.said += s.part + "!"
	return []rollout.Call{{Name: "spell", Result: s.part}}, make([]int, len(s.part)), nil
}

func (s *spelled) Text(last string) string { return s.said + last }

func equipped(t *testing.T, group int, tool spelling, s rollout.Settings) *rollout.Runner {
	t.Helper()
	s.Group, s.Joint, s.MaxTokens = group, credit.Aligned, 9
	r := runner(t, &dice{}, 2, 2, s)
	r.Actors[1].Tools = tool // one of two
	return r
}

// Turns go on behind results until they call nothing or have no room. What an agent wrote and what it read can be told apart afterwards, in
// trees and in whole episodes, and does not depend on the batch.
func TestTurnsGoOn(t *testing.T) {
	for name, s := range map[string]rollout.Settings{"tree": {}, "chain": {Chain: true}, "episodes": {Episodes: 2}} {
		group := 3
		if s.Episodes > 0 {
			group = 1
		}
		r := equipped(t, group, spelling{}, s)
		heard := 0
		r.Watch = func(rollout.Progress) { heard++ }
		episodes := play(t, r, 6)
		calls := 0
		for _, e := range episodes {
			for _, n := range e.Nodes {
				for a := range n.Agents {
					for _, c := range n.Agents[a].Completions {
						if calls += len(c.Calls); n.Agents[a].Agent == 0 && len(c.Calls) > 0 {
							t.Errorf("%s: an agent without tools calls", name)
						}
						check(t, name, c)
					}
				}
			}
		}
		if calls < 6 {
			t.Errorf("%s: %d calls", name, calls)
		}
		one, _ := json.Marshal(play(t, equipped(t, group, spelling{}, s), 1)[0])
		if both, _ := json.Marshal(episodes[0]); string(one) != string(both) {
			t.Errorf("%s: an episode depends on what else is in the batch", name)
		}
	}
}

// check compares the parts of a completion with its calls.
func check(t *testing.T, name string, c rollout.Completion) {
	t.Helper()
	from, text := 0, ""
	for i, call := range c.Calls {
		part := letters{}.Text(c.Tokens[from:call.At])
		if call.Result != part || i < len(c.Inserted) && (c.Inserted[i].At != call.At || len(c.Inserted[i].Tokens) != len(part)) {
			t.Errorf("%s: call %+v behind %q, inserted %+v", name, call, part, c.Inserted)
		}
		from, text = call.At, text+part+"!"
	}
	last := letters{}.Text(c.Tokens[from:])
	if c.Stop == engine.StopText {
		t.Errorf("%s: the turn ended at a call", name)
	}
	if c.Text != text+last && len(c.Tokens) < 9 || len(c.Tokens) > 9 || len(c.Logprobs) != len(c.Tokens) {
		t.Errorf("%s: %q of %q", name, c.Text, letters{}.Text(c.Tokens))
	}
}

// A tool whose machine fails ends the episodes that called it, with the reason, and no other.
func TestBrokenTools(t *testing.T) {
	episodes := play(t, equipped(t, 1, spelling{broken: "e"}, rollout.Settings{}), 30)
	failed := 0
	for _, e := range episodes {
		called := slices.ContainsFunc(e.Nodes, func(n *rollout.Node) bool {
			return slices.ContainsFunc(n.Agents, func(a rollout.AgentTurn) bool {
				c := a.Completions[0]
				return a.Agent == 1 && strings.HasSuffix(letters{}.Text(c.Tokens), "e") && len(c.Tokens) < 9
			})
		})
		if (e.Failed() != "") != called || e.Failed() != "" && !strings.Contains(e.Failed(), "the sandbox burns") {
			t.Errorf("called: %v, failed: %q", called, e.Failed())
		}
		if e.Failed() != "" {
			failed++
		}
	}
	if failed == 0 || failed == len(episodes) {
		t.Errorf("%d of %d episodes failed", failed, len(episodes))
	}
}

// A context that ends while tools run ends the rollout.
func TestToolsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := equipped(t, 1, spelling{}, rollout.Settings{})
	r.Watch = nil
	r.Actors[1].Tools = cancelling{cancel}
	if _, err := r.Run(ctx, "test", 1, problems(6)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type cancelling struct{ cancel func() }

func (c cancelling) Turn([]team.Message) rollout.ToolTurn { return &cancelled{spelled{}, c} }

type cancelled struct {
	spelled
	cancelling
}

func (c *cancelled) Run(ctx context.Context) ([]rollout.Call, []int, error) {
	c.cancel()
	return nil, nil, ctx.Err()
}
