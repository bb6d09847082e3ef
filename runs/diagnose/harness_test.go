package diagnose_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/runs/diagnose"
	"parley/task"
	"parley/team"
)

// calls are nodes of one agent, whose chat goes on from call to call; same says that so do its prompts, token by token.
func calls(same bool) *rollout.Episode {
	chat := []team.Message{{Role: team.User, Content: "a"}}
	first := rollout.AgentTurn{Messages: chat, Prompt: []int{1, 2}, Completions: []rollout.Completion{{Tokens: []int{3}}}}
	later := rollout.AgentTurn{
		Messages: append(chat[:1:1], team.Message{Role: team.Assistant, Content: "b"}, team.Message{Role: team.User, Content: "c"}),
		Prompt:   []int{1, 2, 3, 4}, Completions: []rollout.Completion{{Tokens: []int{5}}},
	}
	if !same {
		later.Prompt[2] = 9
	}
	var e rollout.Episode
	for i, a := range []rollout.AgentTurn{first, later} {
		e.Nodes = append(e.Nodes, &rollout.Node{Turn: i, Parent: i - 1, Agents: []rollout.AgentTurn{a}, Joint: [][]int{{0}}, Rewards: []float64{0}})
	}
	return &e
}

// TestPlayed: what the program of a team does is warned of by name, once, and a watch that was read again finds the same.
func TestPlayed(t *testing.T) {
	fine := func() harness.Metrics {
		return harness.Metrics{Calls: map[string]float64{"writer": 1, "editor": 2}, Episodes: 20}
	}
	for name, c := range map[string]struct {
		change func(*harness.Metrics)
		same   bool
		order  bool
		rule   string
		after  int // updates
	}{
		"nothing":     {func(*harness.Metrics) {}, true, true, "", 0},
		"unasked":     {func(m *harness.Metrics) { m.Calls["editor"] = 0 }, true, false, "unasked", 1},
		"rewritten":   {func(*harness.Metrics) {}, false, false, "extends", 20},
		"limited":     {func(m *harness.Metrics) { m.Limited = 3 }, true, false, "limited", 1},
		"at a tenth":  {func(m *harness.Metrics) { m.Limited = 2 }, true, false, "", 0},
		"unread":      {func(m *harness.Metrics) {}, true, false, "unread", 1},
		"half read":   {func(m *harness.Metrics) {}, true, false, "", 0},
		"alike":       {func(m *harness.Metrics) { m.Alike = 1 }, true, false, "alike", 5},
		"overlapping": {func(m *harness.Metrics) { m.Timing.Overlapped = 1 }, true, true, "overlapping", 1},
		"no order":    {func(m *harness.Metrics) { m.Timing.Overlapped = 1 }, true, false, "", 0},
	} {
		w := diagnose.Watch{Settings: diagnose.Settings{Names: []string{"writer", "editor"}, Ordered: c.order}}
		w.Reads = func(_ task.Problem, text string) bool { return text == "read" }
		episode := calls(c.same)
		last := episode.Nodes[len(episode.Nodes)-1]
		switch name {
		case "unread":
			last.Answers = []string{"read", "not", "nor this"}
		case "half read":
			last.Answers = []string{"read", "not"}
		}
		fired := 0
		for update := 1; update <= 21; update++ {
			m := fine()
			c.change(&m)
			for _, d := range w.Play(update, []*rollout.Episode{episode}, &m) {
				fired++
				if d.Rule != c.rule || update != c.after || d.Remedy == "" || c.rule == "unasked" && d.Agent != 2 {
					t.Errorf("%s: update %d: %+v", name, update, d)
				}
			}
			data, err := json.Marshal(w.State)
			if err != nil {
				t.Fatal(err)
			}
			var again diagnose.State
			if err := json.Unmarshal(data, &again); err != nil || !reflect.DeepEqual(again.Played, w.Played) {
				t.Fatalf("%s: %+v is read as %+v: %v", name, w.Played, again.Played, err)
			}
			w.State = again
		}
		if want := c.rule != ""; want != (fired == 1) {
			t.Errorf("%s: %d findings", name, fired)
		}
	}
	var none diagnose.Watch
	if got := none.Play(1, nil, nil); got != nil || none.Played != nil {
		t.Errorf("a team without a program: %+v", got)
	}
}
