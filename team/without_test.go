package team_test

import (
	"slices"
	"testing"

	"parley/team"
	"parley/team/protocols"
	"parley/team/teamtest"
)

// TestWithout: the others are asked as if the absent agent had said nothing, in every protocol and whoever is left out; it is never asked.
func TestWithout(t *testing.T) {
	prompts := team.Prompts{First: "{{.Question}}", Later: "{{range .Others}}<{{.Number}}:{{.Text}}>{{end}}"}
	for name, open := range map[string]func(team.Settings) (team.Protocol, error){"debate": protocols.Debate().Open, "pipeline": protocols.Pipeline().Open, "leader": protocols.Leader().Open} {
		whole, err := open(team.Settings{Agents: 3, Turns: 4, SeeOthers: true, Prompts: prompts})
		if err != nil {
			t.Fatal(err)
		}
		for absent := range 3 {
			p := team.Without(whole, absent)
			var said, all team.History // without the absent one, and with its empty answers
			for {
				expected, err := whole.Next(teamtest.Problem, all)
				if err != nil {
					t.Fatal(err)
				}
				asked := slices.DeleteFunc(slices.Clone(expected), func(a team.Ask) bool { return a.Agent == absent })
				if len(expected) > 0 && len(asked) == 0 {
					all = append(all, team.Answer{Turn: expected[0].Turn, Agent: absent})
					continue
				}
				got, err := p.Next(teamtest.Problem, said)
				if err != nil || !slices.EqualFunc(got, asked, func(a, b team.Ask) bool {
					return a.Agent == b.Agent && a.Turn == b.Turn && slices.EqualFunc(a.Messages, b.Messages, team.Message.Equal)
				}) {
					t.Fatalf("%s without agent %d: asked %+v, %v, want %+v", name, absent, got, err, asked)
				}
				if len(expected) == 0 {
					break
				}
				for _, a := range expected {
					answer := team.Answer{Turn: a.Turn, Agent: a.Agent, Text: string(rune('a' + a.Agent))}
					if a.Agent == absent {
						answer.Text = ""
					} else {
						said = append(said, answer)
					}
					all = append(all, answer)
				}
			}
		}
	}
}
