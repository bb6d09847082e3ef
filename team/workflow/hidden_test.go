package workflow_test

import (
	"strings"
	"testing"

	"parley/task"
	"parley/team"
	"parley/team/workflow"
)

// consulting is a dialogue of an agent with a user who alone sees the solution.
func consulting(change func(*workflow.Spec)) workflow.Spec {
	s := workflow.Spec{
		Agents: []workflow.Agent{{Name: "agent"}, {Name: "user"}},
		Steps: []workflow.Step{{
			Place: "team.workflow[0]", Repeat: 3,
			Steps: []workflow.Step{
				{Place: "1", Ask: []string{"agent"}, Prompts: []string{"{{.Question}} {{.Last.user}}"}, Continue: true},
				{Place: "2", Ask: []string{"user"}, Prompts: []string{"{{.Fields.solution}} {{.Last.agent}}"}},
			},
		}},
		Answer: workflow.Answer{Kind: workflow.Last, Names: []string{"agent"}},
		Hidden: map[string][]string{"solution": {"user"}},
	}
	if change != nil {
		change(&s)
	}
	return s
}

var secret = task.Problem{ID: "p", Question: "How many?", Fields: map[string]string{"solution": "SECRET"}}

// TestHiddenFieldsReachTheirViewersAlone: whoever is named sees the field, and nobody else does, in no turn; what the user says of it may be read.
func TestHiddenFieldsReachTheirViewersAlone(t *testing.T) {
	w, err := workflow.New(consulting(nil))
	if err != nil {
		t.Fatal(err)
	}
	var h team.History
	for turn := range 6 {
		asks, err := w.Next(secret, h)
		if err != nil || len(asks) != 1 {
			t.Fatalf("turn %d: %d asks, %v", turn+1, len(asks), err)
		}
		said := ""
		for _, m := range asks[0].Messages {
			said += m.Content
		}
		if sees := strings.Contains(said, "SECRET"); sees != (asks[0].Agent == 1) {
			t.Errorf("turn %d: agent %d is asked %q", turn+1, asks[0].Agent+1, said)
		}
		h = append(h, team.Answer{Turn: turn, Agent: asks[0].Agent, Text: []string{"Is it red?", "No."}[turn%2], Prompt: asks[0].Prompt})
	}
	sights, err := w.Visibility()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sights {
		for _, source := range s.Sees {
			if source.Field == "solution" && s.Agent != "user" {
				t.Errorf("%s sees the solution in turn %d", s.Agent, s.Turn)
			}
		}
	}
}

// TestHiddenFieldsAreRefused: templates and expressions that read what is hidden from them are mistakes of the workflow.
func TestHiddenFieldsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*workflow.Spec)
		say    string
	}{
		"prompt of another":     {func(s *workflow.Spec) { s.Steps[0].Steps[0].Prompts = []string{"{{.Fields.solution}}"} }, `.Fields.solution: there is no "solution"`},
		"system of another":     {func(s *workflow.Spec) { s.Agents[0].System = "{{.Fields.solution}}" }, `.Fields.solution: there is no "solution"`},
		"an agent nobody knows": {func(s *workflow.Spec) { s.Hidden["solution"] = []string{"usher"} }, "there is no agent usher"},
	} {
		if _, err := workflow.New(consulting(c.change)); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v, want %q", name, err, c.say)
		}
	}
}

// TestHiddenFieldsAreProven: however a field gets into a prompt, or decides who is asked, the ask is refused as it is made.
func TestHiddenFieldsAreProven(t *testing.T) {
	for name, c := range map[string]struct{ program, say string }{
		"in a prompt":   {`return [ask("agent", "it is " + problem.fields.get("solution", ""))]`, "problem p: the prompt of agent in turn 1 depends on the field solution"},
		"in its form":   {`return [ask("agent", "a long one" if len(problem.fields.get("solution", "")) > 6 else "short")]`, "problem p: the prompt of agent in turn 1 depends on the field solution"},
		"in who speaks": {`return [ask("user" if len(problem.fields.get("solution", "")) > 6 else "agent", "speak")]`, "who speaks depends on the field solution"},
		"nowhere":       {`return [ask("user", "it is " + problem.fields.get("solution", ""))]`, ""},
	} {
		w, err := workflow.New(consulting(func(s *workflow.Spec) {
			s.Steps, s.Turns, s.Answer = nil, 1, workflow.Answer{Kind: workflow.Last}
			s.Program = "def next(problem, history):\n    if len(history) > 0:\n        return []\n    " + c.program + "\n"
		}))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err = w.Next(secret, nil); c.say == "" && err != nil || c.say != "" && (err == nil || !strings.Contains(err.Error(), c.say)) {
			t.Errorf("%s: %v, want %q", name, err, c.say)
		}
	}
}

// TestHiddenFieldsOfExpressions: expressions have no such field.
func TestHiddenFieldsOfExpressions(t *testing.T) {
	w, err := workflow.New(consulting(func(s *workflow.Spec) { s.Steps[0].Until = `problem.fields["solution"] in said("agent").text` }))
	if err != nil {
		t.Fatal(err)
	}
	h := team.History{{Turn: 0, Agent: 0, Text: "a"}, {Turn: 1, Agent: 1, Text: "b"}}
	if _, err := w.Next(secret, h); err == nil || !strings.Contains(err.Error(), `key "solution" not in dict`) {
		t.Errorf("it says %v", err)
	}
}
