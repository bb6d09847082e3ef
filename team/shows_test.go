package team_test

import (
	"slices"
	"testing"

	"parley/task"
	"parley/team"
)

// gossip asks one agent, whose prompt is made of what was said.
type gossip func(h team.History) string

func (gossip) Agents() int { return 3 }
func (gossip) Turns() int  { return 2 }

func (g gossip) Next(_ task.Problem, h team.History) ([]team.Ask, error) {
	agent := 2
	if h[0].Text == "stop" {
		agent = 0
	}
	return []team.Ask{{Turn: 1, Agent: agent, Messages: []team.Message{{Role: team.User, Content: g(h)}}}}, nil
}

// TestShows: the protocol knows what a prompt shows, whatever the words are; where it cannot say, another rule does.
func TestShows(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string
		prompt        gossip
		recorded      string // empty: what the protocol asks
		otherwise     bool
		want          []bool
	}{
		"one of two that say the same":        {"It is 4.", "It is 4.", func(h team.History) string { return "B: " + h[1].Text }, "", true, []bool{false, true}},
		"both of two that say the same":       {"It is 4.", "It is 4.", func(h team.History) string { return h[0].Text + h[1].Text }, "", false, []bool{true, true}},
		"the beginning of one":                {"It is a long answer.", "4", func(h team.History) string { return "A: " + h[0].Text[:7] }, "", false, []bool{true, false}},
		"the final answer alone":              {"So it is 4.", "5", func(h team.History) string { return "B: " + h[1].Final }, "", false, []bool{false, true}},
		"another prompt than was recorded":    {"4", "5", func(h team.History) string { return h[0].Text }, "another", true, []bool{true, true}},
		"a mark changes who is asked":         {"stop", "5", func(h team.History) string { return h[0].Text + h[1].Text }, "", false, []bool{false, true}},
		"a mark changes it, and words say it": {"stop", "5", func(h team.History) string { return h[1].Text }, "", true, []bool{true, true}},
	} {
		h := team.History{{Agent: 0, Text: c.first}, {Agent: 1, Text: c.second, Final: "final"}}
		asks, err := c.prompt.Next(task.Problem{}, h)
		if err != nil {
			t.Fatal(err)
		}
		if c.recorded != "" {
			asks[0].Messages = []team.Message{{Role: team.User, Content: c.recorded}}
		}
		got := team.Shows(c.prompt, task.Problem{}, h, asks, func(int, int) bool { return c.otherwise })
		if len(got) != 1 || !slices.Equal(got[0], c.want) {
			t.Errorf("%s: shown are %v, expected %v", name, got, c.want)
		}
		if got := team.Shows(nil, task.Problem{}, h, asks, func(_, answer int) bool { return answer == 1 }); !slices.Equal(got[0], []bool{false, true}) {
			t.Errorf("%s: without a protocol shown are %v", name, got)
		}
	}
}
