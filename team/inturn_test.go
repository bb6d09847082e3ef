package team_test

import (
	"slices"
	"testing"

	"parley/team"
	"parley/team/protocols"
	"parley/team/teamtest"
	"parley/team/workflow"
)

// TestInTurn: agents who are asked at once speak one after the other, with the prompts that they would have had: nobody sees what the others say in
// that turn.
func TestInTurn(t *testing.T) {
	prompts := team.Prompts{First: "{{.Question}} {{.Agent}}", Later: "{{range .Others}}<{{.Number}}:{{.Text}}>{{end}}"}
	for name, open := range map[string]func(team.Settings) (team.Protocol, error){"debate": protocols.Debate().Open, "pipeline": protocols.Pipeline().Open, "leader": protocols.Leader().Open} {
		p, err := open(team.Settings{Agents: 3, Turns: 4, SeeOthers: true, Prompts: prompts})
		if err != nil {
			t.Fatal(err)
		}
		var h team.History
		for {
			together, err := p.Next(teamtest.Problem, h)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range together {
				got, err := team.InTurn(p).Next(teamtest.Problem, h)
				if err != nil || len(got) != 1 || got[0].Agent != want.Agent || got[0].Turn != want.Turn || !slices.EqualFunc(got[0].Messages, want.Messages, team.Message.Equal) {
					t.Fatalf("%s: asked %+v, %v, want %+v", name, got, err, want)
				}
				h = append(h, team.Answer{Turn: want.Turn, Agent: want.Agent, Text: string(rune('a' + want.Agent))})
			}
			if len(together) == 0 {
				if got, err := team.InTurn(p).Next(teamtest.Problem, h); err != nil || len(got) > 0 {
					t.Errorf("%s: after the end %+v is asked, %v", name, got, err)
				}
				break
			}
		}
	}
}

// TestActingInTurn: each agent acts once it has spoken, and the next one sees what came of it; what ends the episode ends it between two agents too.
func TestActingInTurn(t *testing.T) {
	p, err := workflow.New(workflow.Spec{
		World: true, Agents: []workflow.Agent{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Steps: []workflow.Step{{Place: "s", Repeat: 2, Steps: []workflow.Step{
			{Place: "s.0", Ask: []string{"a", "b"}, Prompts: []string{"{{.Observation}}"}},
			{Place: "s.1", Act: []string{"a", "b"}},
			{Place: "s.2", Ask: []string{"c"}, Prompts: []string{"{{.Observation}} {{.Last.a}} {{.Last.b}}"}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	shows := func(turn int, text string, done bool) team.Answer {
		return team.Answer{Turn: turn, Agent: team.World, Observed: &team.Observation{Texts: []string{text, text, text}, Done: done}}
	}
	h := team.History{shows(-1, "start", false)}
	for _, step := range []struct {
		asked int // −1: nobody
		sees  string
		acts  []int
		next  team.Answer
	}{
		{asked: 0, sees: "start", next: team.Answer{Turn: 0, Agent: 0, Text: "x"}},
		{asked: -1, acts: []int{0}, next: shows(0, "after a", false)},
		{asked: 1, sees: "after a", next: team.Answer{Turn: 0, Agent: 1, Text: "y"}},
		{asked: -1, acts: []int{1}, next: shows(0, "after b", false)},
		{asked: 2, sees: "after b x y", next: team.Answer{Turn: 1, Agent: 2, Text: "z"}},
		{asked: 0, sees: "after b", next: team.Answer{Turn: 2, Agent: 0, Text: "v"}},
		{asked: -1, acts: []int{0}, next: shows(2, "over", true)},
		{asked: -1},
	} {
		m, err := team.InTurn(p).(team.Mover).Move(teamtest.Problem, h)
		if err != nil || m.Acts != (step.acts != nil) || !slices.Equal(m.Actors, step.acts) || len(m.Asks) > 0 != (step.asked >= 0) {
			t.Fatalf("after %d entries: %+v, %v, want %+v", len(h), m, err, step)
		}
		if len(m.Asks) > 0 && (len(m.Asks) > 1 || m.Asks[0].Agent != step.asked || m.Asks[0].Prompt != step.sees) {
			t.Errorf("after %d entries: %+v, want %+v", len(h), m.Asks, step)
		}
		h = append(h, step.next)
	}
}
