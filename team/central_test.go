package team_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/team"
	"parley/team/protocols"

	"pgregory.net/rapid"
)

// TestCentral: one model is asked what all agents would be, once.
func TestCentral(t *testing.T) {
	p, err := protocols.Central().Open(team.Settings{Agents: 2, Turns: 1, Roles: []string{"Be brief.", "Be long."}, Prompts: team.Prompts{System: "S", Examples: []string{"pears?", "<agent_1>2"}, First: "{{.Role}} {{.Question}}"}})
	if err != nil {
		t.Fatal(err)
	}
	asks, err := p.Next(apples, nil)
	if err != nil || len(asks) != 1 || len(asks[0].Messages) != 4 {
		t.Fatalf("asks %v, %v", asks, err)
	}
	if got := asks[0].Messages[1:3]; !got[0].Equal(team.Message{Role: team.User, Content: "pears?"}) || !got[1].Equal(team.Message{Role: team.Assistant, Content: "<agent_1>2"}) {
		t.Errorf("examples %v", got)
	}
	for _, want := range []string{"2 agents", "Be brief. How many apples?", "Be long. How many apples?", "<agent_1>\n...\n</agent_1>\n<agent_2>\n...\n</agent_2>"} {
		if !strings.Contains(asks[0].Messages[3].Content, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, asks[0].Messages[3].Content)
		}
	}
	if strings.Contains(asks[0].Messages[3].Content, "SECRET") {
		t.Error("the truth is in the prompt")
	}
	if asks, _ := p.Next(apples, team.History{{Text: "x"}}); len(asks) != 0 {
		t.Error("there is a second turn")
	}
}

// TestSplit: blocks come back whatever stands around them, and anything but one block an agent is refused.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z \n]{0,10}`)
		var text strings.Builder
		var want []string
		n := rapid.IntRange(1, 4).Draw(t, "agents")
		for i := range n {
			part := strings.TrimSpace(word.Draw(t, "part"))
			want = append(want, part)
			fmt.Fprintf(&text, "%s<agent_%d>%s</agent_%d>", word.Draw(t, "between"), i+1, part, i+1)
		}
		if got, ok := team.Split(text.String(), n); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%q gives %q, %v", text.String(), got, ok)
		}
		if _, ok := team.Split(text.String(), n+1); ok {
			t.Error("a missing block goes unnoticed")
		}
	})
	for _, bad := range []string{"", "<agent_1>a", "</agent_1>a<agent_1>", "<agent_1>a</agent_1><agent_1>b</agent_1>"} {
		if got, ok := team.Split(bad, 1); ok {
			t.Errorf("%q gives %q", bad, got)
		}
	}
}
