package teams_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/recipe/teams"
	"parley/team/workflow"
)

// team is a workflow in which nothing is wrong.
func team() workflow.Spec {
	return workflow.Spec{
		Agents: []workflow.Agent{{Name: "writer"}, {Name: "critic"}},
		Steps: []workflow.Step{
			{Place: "team.workflow[0]", Ask: []string{"writer"}, Prompts: []string{"{{.Question}}"}},
			{Place: "team.workflow[1]", Repeat: 2, Until: `said("critic").answer == "1"`, Steps: []workflow.Step{
				{Place: "team.workflow[1].steps[0]", Ask: []string{"critic"}, Prompts: []string{"{{.Last.writer}}"}},
			}},
			{Place: "team.workflow[2]", Groups: []workflow.Group{{Name: "red", Size: 1}}},
			{Place: "team.workflow[3]", Ask: []string{"red"}, Prompts: []string{"{{.Last.critic}}"}, When: "round == 0"},
			{Place: "team.workflow[4]", Ask: []string{"writer"}, Prompts: []string{"{{.Last.critic}}"}},
		},
		Answer: workflow.Answer{Names: []string{"writer"}},
	}
}

// mistakes are made one at a time, each with what is said of it, and where.
var mistakes = []struct {
	place, want string
	make        func(s *workflow.Spec)
}{
	{"team.workflow[0].ask", `there is no agent "writr"`, func(s *workflow.Spec) { s.Steps[0].Ask = []string{"writr"} }},
	{"team.workflow[0].prompt", "there is no .Truth", func(s *workflow.Spec) { s.Steps[0].Prompts = []string{"{{.Truth}}"} }},
	{"team.workflow[1].until", "got end of file", func(s *workflow.Spec) { s.Steps[1].Until = "said(" }},
	{"team.workflow[1].repeat", "a loop of 0 rounds", func(s *workflow.Spec) { s.Steps[1].Repeat = 0 }},
	{"team.workflow[1].steps[0].prompt", "unclosed action", func(s *workflow.Spec) { s.Steps[1].Steps[0].Prompts = []string{"{{"} }},
	{"team.workflow[2].groups.writer", "an agent has that name", func(s *workflow.Spec) {
		s.Steps[2].Groups = append(s.Steps[2].Groups, workflow.Group{Name: "writer", Size: 1})
	}},
	{"team.workflow[3].when", `"crtic" is no agent`, func(s *workflow.Spec) { s.Steps[3].When = `said("crtic") == None` }},
	{"team.workflow[4].act", "there is no environment", func(s *workflow.Spec) {
		s.Steps = slices.Insert(s.Steps, 4, workflow.Step{Place: "team.workflow[4]", Act: []string{"writer"}})
	}},
	{"team.workflow[5]", "this one has nothing", func(s *workflow.Spec) { s.Steps = append(s.Steps, workflow.Step{Place: "team.workflow[5]"}) }},
	{"team.answer", `there is no agent "editor"`, func(s *workflow.Spec) { s.Answer.Names = []string{"editor"} }},
	{"team.prompts.system", "there is no .Nobody", func(s *workflow.Spec) { s.System = "{{.Nobody}}" }},
}

// TestAllAtOnce: of any two mistakes in a workflow both are found, and nothing else is.
func TestAllAtOnce(t *testing.T) {
	if f := teams.WorkflowFaults(team()); f != nil {
		t.Fatalf("nothing is wrong: %v", f)
	}
	for i, a := range mistakes {
		for _, b := range mistakes[i+1:] {
			s := team()
			a.make(&s)
			b.make(&s)
			if i == 0 && b.place == "team.workflow[0].prompt" { // of a step whose agent is unknown
				s.Steps[0].Prompts = []string{"{{.Truth}}"}
			}
			faults := teams.WorkflowFaults(s)
			var rest []string
			for _, f := range faults {
				if !(f.Place == a.place && strings.Contains(f.Message, a.want) || f.Place == b.place && strings.Contains(f.Message, b.want)) {
					rest = append(rest, fmt.Sprint(f))
				}
			}
			if len(faults) != 2 || len(rest) > 0 {
				t.Errorf("%s and %s: %d faults, beside them %q", a.place, b.place, len(faults), rest)
			}
		}
	}
}

// TestAll: all mistakes together.
func TestAll(t *testing.T) {
	s := team()
	for _, m := range mistakes {
		m.make(&s)
	}
	if faults := teams.WorkflowFaults(s); len(faults) != len(mistakes) {
		t.Errorf("%d faults of %d: %v", len(faults), len(mistakes), faults)
	}
}

// TestSilent: who is never asked, and an answer that may be missing, are found beside a broken template, unless it is unclear who speaks.
func TestSilent(t *testing.T) {
	s := workflow.Spec{
		Agents: []workflow.Agent{{Name: "writer"}, {Name: "mute"}},
		Steps:  []workflow.Step{{Place: "team.workflow[0]", Ask: []string{"writer"}, Prompts: []string{"{{"}, When: "draw(2) == 0"}},
		Answer: workflow.Answer{Names: []string{"writer"}},
	}
	for _, c := range []struct {
		ask    string
		places []string
	}{
		{"writer", []string{"team.agents.mute", "team.answer", "team.workflow[0].prompt"}},
		{"writr", []string{"team.workflow[0].ask", "team.workflow[0].prompt"}},
	} {
		s.Steps[0].Ask = []string{c.ask}
		var places []string
		for _, f := range teams.WorkflowFaults(s) {
			places = append(places, f.Place)
		}
		if slices.Sort(places); !slices.Equal(places, c.places) {
			t.Errorf("asked %s: faults at %v, want %v", c.ask, places, c.places)
		}
	}
}
