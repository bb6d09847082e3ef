package workflow_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/task"
	"parley/team"
	"parley/team/teamtest"
	"parley/team/workflow"
)

var problem = task.Problem{ID: "p", Question: "How many?", Truth: "TRUTH-4711", Fields: map[string]string{"title": "T"}}

// play answers every ask with a text of its own until the episode is over, and returns all asks.
func play(t *testing.T, p team.Protocol) (all []team.Ask) {
	t.Helper()
	var h team.History
	for turn := range 100 {
		asks, err := p.Next(problem, h)
		if err != nil {
			t.Fatalf("turn %d: %v", turn+1, err)
		}
		if len(asks) == 0 {
			return all
		}
		for _, a := range asks {
			h = append(h, team.Answer{Turn: a.Turn, Agent: a.Agent, Text: fmt.Sprintf(" said \\boxed{%d}.%d\n", a.Turn, a.Agent), Final: fmt.Sprint(a.Turn), Score: 0.25, Report: fmt.Sprintf("report %d.%d", a.Turn, a.Agent)})
			a.Prompt = ""
			all = append(all, a)
		}
	}
	t.Fatal("it does not end")
	return nil
}

// review is the example of the package.
func review() workflow.Spec {
	return workflow.Spec{
		Agents: []workflow.Agent{{Name: "writer"}, {Name: "critic", Role: "strict"}, {Name: "editor"}},
		Steps: []workflow.Step{
			{Place: "team.workflow[0]", Ask: []string{"writer"}, Prompts: []string{"{{.Question}}"}},
			{Place: "team.workflow[1]", Repeat: 3, Until: `said("critic").text.startswith("fine")`, Steps: []workflow.Step{
				{Place: "team.workflow[1].steps[0]", Ask: []string{"critic"}, Prompts: []string{"{{.Question}} {{.Role}}\nDraft: {{.Last.writer}}"}},
				{Place: "team.workflow[1].steps[1]", Ask: []string{"writer"}, Prompts: []string{"Critique: {{.Last.critic}}"}, Continue: true, When: `not said("critic").text.startswith("fine")`},
			}},
			{Place: "team.workflow[2]", Ask: []string{"editor"}, Prompts: []string{"{{.Question}}\nDraft: {{.Last.writer}}"}},
		},
		Answer: workflow.Answer{Names: []string{"editor"}},
	}
}

// TestReview: a loop ends at its condition, a step with a condition that does not hold asks nobody, and a chat goes on.
func TestReview(t *testing.T) {
	w, err := workflow.New(review())
	if err != nil {
		t.Fatal(err)
	}
	if w.Turns() != 8 {
		t.Errorf("%d turns at most, want 8", w.Turns())
	}
	texts := []string{"draft", "too long", "short draft", "fine, now", "final"}
	agents := []int{0, 1, 0, 1, 2}
	prompts := []string{"How many?", "How many? strict\nDraft: draft", "Critique: too long", "How many? strict\nDraft: short draft", "How many?\nDraft: short draft"}
	var h team.History
	for turn, text := range texts {
		asks, err := w.Next(problem, h)
		if err != nil || len(asks) != 1 || asks[0].Agent != agents[turn] || asks[0].Prompt != prompts[turn] || asks[0].Turn != turn {
			t.Fatalf("turn %d: %+v, %v", turn+1, asks, err)
		}
		if turn == 2 {
			want := []team.Message{{Role: team.User, Content: "How many?"}, {Role: team.Assistant, Content: "draft"}, {Role: team.User, Content: "Critique: too long"}}
			if !reflect.DeepEqual(asks[0].Messages, want) {
				t.Errorf("the chat that goes on is %+v", asks[0].Messages)
			}
		}
		h = append(h, team.Answer{Turn: turn, Agent: agents[turn], Text: text})
	}
	if asks, err := w.Next(problem, h); err != nil || len(asks) > 0 {
		t.Errorf("it goes on: %v, %v", asks, err)
	}
	if answer, err := w.TeamAnswer(problem, h); err != nil || !reflect.DeepEqual(answer, []string{"final"}) {
		t.Errorf("the answer is %q, %v", answer, err)
	}
}

// TestVisibility: the matrix says what each prompt shows, and the truth is in none.
func TestVisibility(t *testing.T) {
	w, err := workflow.New(review())
	if err != nil {
		t.Fatal(err)
	}
	sights, err := w.Visibility()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, s := range sights {
		got += fmt.Sprintf("%d %s:", s.Turn, s.Agent)
		for _, seen := range s.Sees {
			if got += " " + seen.What; seen.What == workflow.Said {
				got += fmt.Sprintf(" %s/%d", seen.Agent, seen.Turn)
			}
		}
		got += "\n"
	}
	want := `1 writer: question
2 critic: question text writer/1
3 writer: question text writer/1 text critic/2
4 critic: question text writer/3
5 writer: question text writer/1 text critic/2 text writer/3 text critic/4
6 critic: question text writer/5
7 writer: question text writer/1 text critic/2 text writer/3 text critic/4 text writer/5 text critic/6
8 editor: question text writer/7
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestVisibilityInOrder: what a prompt shows stands in the order of the prompt, once, whatever it is.
func TestVisibilityInOrder(t *testing.T) {
	w, err := workflow.New(workflow.Spec{
		Agents: []workflow.Agent{{Name: "a"}, {Name: "b", System: "{{.Fields.hint}}"}}, World: true,
		Steps: []workflow.Step{
			{Place: "0", Ask: []string{"a", "b"}, Prompts: []string{"{{.Observation}}"}},
			{Place: "1", Ask: []string{"b"}, Prompts: []string{"{{.Last.b}} {{.Fields.title}} {{.Last.a}} {{.Question}} {{.Observation}} {{.Report}} {{.Last.b}}"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	sights, err := w.Visibility()
	if err != nil {
		t.Fatal(err)
	}
	want := []workflow.Source{
		{What: workflow.Field, Field: "hint"},
		{What: workflow.Said, Turn: 1, Agent: "b"},
		{What: workflow.Field, Field: "title"},
		{What: workflow.Said, Turn: 1, Agent: "a"},
		{What: workflow.Question},
		{What: workflow.Observation, Agent: "b"},
		{What: workflow.Report, Turn: 1, Agent: "b"},
	}
	if got := sights[2].Sees; !reflect.DeepEqual(got, want) {
		t.Errorf("it shows %v, want %v", got, want)
	}
}

// TestFaults: everything that is wrong is found at once, with its place.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *workflow.Spec)
		want   []string
	}{
		"unknown agent":       {func(s *workflow.Spec) { s.Steps[0].Ask = []string{"writter"} }, []string{`team.workflow[0].ask: there is no agent "writter"; did you mean "writer"?`}},
		"silent":              {func(s *workflow.Spec) { s.Agents = append(s.Agents, workflow.Agent{Name: "judge"}) }, []string{"team.agents.judge: judge is never asked"}},
		"reads ahead":         {func(s *workflow.Spec) { s.Steps[0].Prompts = []string{"{{.Last.critic}}"} }, []string{"team.workflow[0].prompt: it reads an agent that cannot have spoken yet"}},
		"no such field":       {func(s *workflow.Spec) { s.Steps[0].Prompts = []string{"{{.Truth}}"} }, []string{"Truth"}},
		"broken template":     {func(s *workflow.Spec) { s.Steps[0].Prompts = []string{"{{"} }, []string{"team.workflow[0].prompt: prompt template"}},
		"broken expression":   {func(s *workflow.Spec) { s.Steps[1].Until = "said(" }, []string{"team.workflow[1].until"}},
		"unknown name":        {func(s *workflow.Spec) { s.Steps[1].Until = "truth" }, []string{"team.workflow[1].until", "undefined: truth"}},
		"expression's agent":  {func(s *workflow.Spec) { s.Steps[1].Until = `said("crtic") == None` }, []string{`"crtic" is no agent`}},
		"may be silent":       {func(s *workflow.Spec) { s.Steps[2].When = "round == 1" }, []string{"team.answer: editor may be silent"}},
		"answer of nobody":    {func(s *workflow.Spec) { s.Answer.Names = []string{"x"} }, []string{`team.answer: there is no agent "x"`}},
		"two in one":          {func(s *workflow.Spec) { s.Steps[0].Repeat = 2 }, []string{"this one has ask and repeat"}},
		"empty":               {func(s *workflow.Spec) { s.Steps = nil; s.Agents = nil; s.Answer.Names = nil }, []string{"there is no step", "there is no agent"}},
		"several":             {func(s *workflow.Spec) { s.Steps[0].Ask = []string{"a"}; s.Steps[2].Prompts = nil }, []string{`there is no agent "a"`, "has no prompt"}},
		"key of another step": {func(s *workflow.Spec) { s.Steps[1].When = "True" }, []string{"team.workflow[1].when: a step of repeat has no when"}},
		"act without world":   {func(s *workflow.Spec) { s.Steps = append(s.Steps, workflow.Step{Place: "x", Act: []string{"writer"}}) }, []string{"no environment"}},
		"too long":            {func(s *workflow.Spec) { s.Steps[1].Repeat = 1 << 40 }, []string{"more than 4096 turns"}},
		"groups": {func(s *workflow.Spec) {
			s.Steps = append(s.Steps, workflow.Step{Place: "x", Groups: []workflow.Group{{Name: "red", Size: 4}, {Name: "critic", Size: 0}}})
		}, []string{"4 agents together, of 3", "an agent has that name"}},
	} {
		s := review()
		c.change(&s)
		_, err := workflow.New(s)
		var faults workflow.Faults
		if !errors.As(err, &faults) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", name, err, part)
			}
		}
	}
}

// TestAssign: groups are drawn once an episode, from its stream, and every agent gets into each.
func TestAssign(t *testing.T) {
	s := workflow.Spec{
		Agents: []workflow.Agent{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Steps: []workflow.Step{
			{Place: "s0", Groups: []workflow.Group{{Name: "red", Size: 2}, {Name: "judge", Size: 1}}},
			{Place: "s1", Ask: []string{"red"}, Prompts: []string{"Play."}},
			{Place: "s2", Ask: []string{"judge"}, Prompts: []string{"{{range .All}}{{.Agent}} {{end}}"}},
		},
	}
	w, err := workflow.New(s)
	if err != nil {
		t.Fatal(err)
	}
	judges := map[int]int{}
	for seed := range uint64(60) {
		all := play(t, w.Seed(seed))
		if len(all) != 3 || all[0].Agent >= all[1].Agent || all[2].Agent == all[0].Agent || all[2].Agent == all[1].Agent {
			t.Fatalf("seed %d: %+v", seed, all)
		}
		if again := play(t, w.Seed(seed)); !reflect.DeepEqual(again, all) {
			t.Fatalf("seed %d asks others the second time", seed)
		}
		judges[all[2].Agent]++
	}
	if len(judges) != 3 {
		t.Errorf("judges %v of 60 episodes", judges)
	}
}

// TestProgram: a program in Starlark asks what it returns, with chats that go on, and answers.
func TestProgram(t *testing.T) {
	s := workflow.Spec{
		Agents: []workflow.Agent{{Name: "a", System: "You are {{.Agent}}."}, {Name: "b"}},
		Turns:  3,
		Program: `
def next(problem, history):
    n = len(history)
    if n == 0:
        return [ask("b", problem.question + "?"), ask("a", problem.question)]
    if n == 2:
        return [ask("a", "b said " + history[1].text, chat="continue")]
    if n == 3:
        return [ask("b", [{"role": "system", "content": "Judge."}, {"role": "user", "content": history[2].text}])]
    return []

def answer(problem, history):
    return [h.text for h in history if h.agent == "b"]
`,
	}
	w, err := workflow.New(s)
	if err != nil {
		t.Fatal(err)
	}
	all := play(t, w)
	want := []team.Ask{
		{Turn: 0, Agent: 0, Messages: []team.Message{{Role: team.System, Content: "You are a."}, {Role: team.User, Content: "How many?"}}},
		{Turn: 0, Agent: 1, Messages: []team.Message{{Role: team.User, Content: "How many??"}}},
		{Turn: 1, Agent: 0, Messages: []team.Message{{Role: team.System, Content: "You are a."}, {Role: team.User, Content: "How many?"}, {Role: team.Assistant, Content: " said \\boxed{0}.0\n"}, {Role: team.User, Content: "b said  said \\boxed{0}.1\n"}}},
		{Turn: 2, Agent: 1, Messages: []team.Message{{Role: team.System, Content: "Judge."}, {Role: team.User, Content: " said \\boxed{1}.0\n"}}},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("asks\n%+v", all)
	}
	for name, c := range map[string]struct{ program, want string }{
		"loops":     {"def next(problem, history):\n    while True: pass\n", "more than 1000000 steps"},
		"recurses":  {"def next(problem, history): return next(problem, history)\n", "recursively"},
		"no next":   {"x = 1\n", "no function next"},
		"stranger":  {"def next(problem, history): return [ask('z', 'hello')]\n", `"z" is no agent`},
		"no list":   {"def next(problem, history): return 3\n", "expected a list"},
		"truth":     {"def next(problem, history): return [ask('a', problem.truth)]\n", "truth"},
		"allocates": {"def next(problem, history): return [ask('a', 'x' * (1 << 40))]\n", "team.program, turn 1: line 1: it works on more than 64 MiB"},
		"doubles":   {"def next(problem, history):\n    s = 'x'\n    for i in range(40):\n        s += s\n    return [ask('a', s)]\n", "team.program, turn 1: line 4: it works on more than 64 MiB"},
		"a graph":   {"def next(problem, history):\n    l = [1]\n    for i in range(60): l = [l, l]\n    return [ask('a', l)]\n", "a message is list"},
		"graphs":    {"def next(problem, history):\n    l = [1]\n    for i in range(60): l = [l, l]\n    return [l]\n", "next returns a list with list in it"},
		"grows":     {"def next(problem, history):\n    l = []\n    for i in range(1 << 40): l.append(i)\n", "more than 1000000 steps"},
		"remembers": {"n = []\ndef next(problem, history):\n    n.append(1)\n    return [ask('a', str(len(n)))]\n", "frozen list"},
		"rebinds":   {"n = 0\ndef next(problem, history):\n    n += 1\n    return []\n", "referenced before assignment"},
		"acts":      {"def next(problem, history): return [act(['a'])]\n", "there is no environment to act in"},
		"many":      {"def next(problem, history): return [ask('a', 'x')] * 100000\n", "next asks 100000 times at once, and there are "},
		"no ending": {"def next(problem, history): return [ask('a', 'again')]\n", "still asks after team.turns, 3"},
	} {
		s.Program = c.program
		w, err := workflow.New(s)
		for h := team.History(nil); err == nil && len(h) < 10; {
			var asks []team.Ask
			if asks, err = w.Next(problem, h); len(asks) > 0 {
				h = append(h, team.Answer{Turn: len(h), Agent: asks[0].Agent})
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProgramDraws: a program that draws gives the same asks whenever it is called with equal arguments, and others in another episode.
func TestProgramDraws(t *testing.T) {
	w, err := workflow.New(workflow.Spec{Agents: []workflow.Agent{{Name: "a"}}, Turns: 2, Program: `
def next(problem, history):
    return [ask("a", " ".join([str(draw(1000)) for i in range(5)]))] if len(history) < 2 else []
`})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for s := range uint64(4) {
		episode := w.Seed(s)
		first, second := play(t, episode), play(t, episode)
		if !reflect.DeepEqual(first, second) || len(first) != 2 || !reflect.DeepEqual(first, play(t, w.Seed(s))) {
			t.Errorf("episode %d: asks\n%+v\nand\n%+v", s, first, second)
		}
		seen[first[0].Messages[0].Content] = true
	}
	if len(seen) != 4 {
		t.Errorf("four episodes draw %v", seen)
	}
}

// TestWorld: the environment is called before the first turn and after every act, and its end ends the episode.
func TestWorld(t *testing.T) {
	w, err := workflow.New(workflow.Spec{
		World:  true,
		Agents: []workflow.Agent{{Name: "north"}, {Name: "south"}},
		Steps: []workflow.Step{{Place: "s", Repeat: 5, Steps: []workflow.Step{
			{Place: "s.0", Ask: []string{"north", "south"}, Prompts: []string{"{{.Observation}}"}},
			{Place: "s.1", Act: []string{"north", "south"}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := w.Move(problem, nil)
	if err != nil || !m.Acts || len(m.Actors) > 0 {
		t.Fatalf("first %+v, %v", m, err)
	}
	h := team.History{{Turn: -1, Agent: team.World, Observed: &team.Observation{Texts: []string{"n0", "s0"}}}}
	if m, err = w.Move(problem, h); err != nil || len(m.Asks) != 2 || m.Asks[1].Prompt != "s0" || m.Asks[0].Turn != 0 {
		t.Fatalf("second %+v, %v", m, err)
	}
	h = append(h, team.Answer{Agent: 0, Text: "up"}, team.Answer{Agent: 1, Text: "down"})
	if m, err = w.Move(problem, h); err != nil || !m.Acts || !reflect.DeepEqual(m.Actors, []int{0, 1}) {
		t.Fatalf("third %+v, %v", m, err)
	}
	h = append(h, team.Answer{Agent: team.World, Observed: &team.Observation{Done: true}})
	if m, err = w.Move(problem, h); err != nil || m.Acts || len(m.Asks) > 0 {
		t.Fatalf("fourth %+v, %v", m, err)
	}
}

// tries is a planner who tries until a scorer is content, and reads how its tries of this loop were scored.
func tries(chat bool) workflow.Spec {
	planner := workflow.Step{Place: "plan", Ask: []string{"planner"}, Prompts: []string{"{{.Question}}{{range .Notes}}\n{{.}}{{end}}"}, Continue: chat}
	return workflow.Spec{
		Agents: []workflow.Agent{{Name: "planner"}, {Name: "scorer"}},
		Steps: []workflow.Step{
			{Place: "outer", Repeat: 2, Steps: []workflow.Step{
				{Place: "inner", Repeat: 3, Until: `said("scorer").text == "9"`, Steps: []workflow.Step{
					planner,
					{Place: "score", Ask: []string{"scorer"}, Prompts: []string{"{{.Last.planner}}"}, Note: `None if said("scorer").text == "0" else said("planner").text.strip() + " = " + said("scorer").text`},
				}},
			}},
			{Place: "last", Ask: []string{"planner"}, Prompts: []string{"done{{range .Notes}}\n{{.}}{{end}}"}},
		},
	}
}

// TestNotes: prompts show what steps have noted, oldest first, to the end of the loop; None notes nothing. A chat that goes on shows earlier
// prompts as they were, also where the history has only what was said.
func TestNotes(t *testing.T) {
	texts := []string{"a", "3", "b", "0", "c", "9", "d", "4", "e", "9", "f"}
	plans := []string{"How many?", "How many?\na = 3", "How many?\na = 3", "How many?", "How many?\nd = 4", "done"}
	for _, chat := range []bool{false, true} {
		w, err := workflow.New(tries(chat))
		if err != nil {
			t.Fatal(err)
		}
		var h team.History
		for turn := range texts {
			asks, err := w.Next(problem, h)
			if err != nil || len(asks) != 1 {
				t.Fatalf("turn %d: %v, %v", turn+1, asks, err)
			}
			if a := asks[0]; turn%2 == 0 {
				if got := a.Messages[len(a.Messages)-1].Content; got != plans[turn/2] {
					t.Errorf("turn %d asks %q, want %q", turn+1, got, plans[turn/2])
				}
				for i := 0; chat && i < turn/2 && turn < 10; i++ {
					if got := a.Messages[2*i].Content; got != plans[i] {
						t.Errorf("turn %d shows the earlier prompt %q, want %q", turn+1, got, plans[i])
					}
				}
			}
			h = append(h, team.Answer{Turn: turn, Agent: asks[0].Agent, Text: texts[turn]})
		}
		if asks, err := w.Next(problem, h); err != nil || len(asks) != 0 {
			t.Errorf("it goes on: %v, %v", asks, err)
		}
		teamtest.Run(t, w)
	}
}

// TestNotesAreSeen: a note is a source of its own, since it may quote anything, and with history own there is none.
func TestNotesAreSeen(t *testing.T) {
	s := tries(false)
	for own, want := range map[bool][]workflow.Source{false: {{What: workflow.Question}, {What: workflow.Notes, Turn: 2}}, true: {{What: workflow.Question}}} {
		s.OwnOnly = own
		w, err := workflow.New(s)
		if err != nil {
			t.Fatal(err)
		}
		sights, err := w.Visibility()
		if err != nil {
			t.Fatal(err)
		}
		if got := sights[2].Sees; !reflect.DeepEqual(got, want) {
			t.Errorf("history own %v: the second try shows %v, want %v", own, got, want)
		}
		if got := sights[6].Sees; !reflect.DeepEqual(got, want[:1]) {
			t.Errorf("history own %v: the next loop begins with %v", own, got)
		}
	}
}

// TestNoteFaults: a note that cannot be read is refused, one about nobody too, and one that is no text fails with its place.
func TestNoteFaults(t *testing.T) {
	for note, want := range map[string]string{"said(": "score.note", `said("nobody").text`: `"nobody" is no agent`, "truth": "undefined: truth"} {
		s := tries(false)
		s.Steps[0].Steps[0].Steps[1].Note = note
		if _, err := workflow.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("note %s: %v, want %s", note, err, want)
		}
	}
	s := tries(false)
	s.Steps[0].Steps[0].Steps[1].Note = "turn"
	w, err := workflow.New(s)
	if err != nil {
		t.Fatal(err)
	}
	h := team.History{{Turn: 0, Agent: 0, Text: "a"}, {Turn: 1, Agent: 1, Text: "1"}}
	if _, err := w.Next(problem, h); err == nil || !strings.Contains(err.Error(), "score.note: it gives int, expected a text or None") {
		t.Errorf("a number is noted: %v", err)
	}
	s.Steps[0].Note = "1"
	if _, err := workflow.New(s); err == nil || !strings.Contains(err.Error(), "a step of repeat has no note") {
		t.Errorf("a loop notes: %v", err)
	}
}

// TestTextsAsWritten: prompts, expressions and the team's answer have texts as they were written; a step that shows boxes has them in its prompt.
func TestTextsAsWritten(t *testing.T) {
	for boxed, want := range map[bool]string{false: "it is 7", true: "it is 7\nAnswer: \\boxed{7}"} {
		w, err := workflow.New(workflow.Spec{
			Agents: []workflow.Agent{{Name: "a"}, {Name: "b"}},
			Steps: []workflow.Step{
				{Place: "s0", Ask: []string{"a"}, Prompts: []string{"{{.Question}}"}},
				{Place: "s1", Ask: []string{"b"}, Prompts: []string{"{{.Last.a}}"}, Boxed: boxed, When: `said("a").text == "it is 7"`},
			},
			Answer: workflow.Answer{Kind: workflow.Joint, Names: []string{"a"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		h := team.History{{Agent: 0, Text: "it is 7", Final: "7"}}
		asks, err := w.Next(problem, h)
		if err != nil || len(asks) != 1 || asks[0].Prompt != want {
			t.Errorf("boxed %v: asks %+v, %v, want %q", boxed, asks, err, want)
		}
		if texts, err := w.TeamAnswer(problem, append(h, team.Answer{Turn: 1, Agent: 1, Text: "so"})); err != nil || texts[0] != "it is 7" {
			t.Errorf("boxed %v: the team answers %q, %v", boxed, texts, err)
		}
	}
}

// TestAgree: agents agree whose last answers were read and are equal; those without answers do not.
func TestAgree(t *testing.T) {
	w, err := workflow.New(workflow.Spec{
		Agents: []workflow.Agent{{Name: "a"}, {Name: "b"}},
		Steps: []workflow.Step{
			{Place: "s0", Ask: []string{"a", "b"}, Prompts: []string{"{{.Question}}"}},
			{Place: "s1", Ask: []string{"a"}, Prompts: []string{"Again."}, When: `not agree("a", "b")`},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b string
		over bool
	}{{"", "", false}, {"1", "", false}, {"1", "2", false}, {"1", "1", true}} {
		h := team.History{{Agent: 0, Text: "x", Final: c.a}, {Agent: 1, Text: "y", Final: c.b}}
		if over, err := w.Over(problem, h); err != nil || over != c.over {
			t.Errorf("answers %q and %q: over %v, %v", c.a, c.b, over, err)
		}
	}
}

// TestAgreeInProgram: programs ask whether agents agree as expressions do, and a name that no agent has is an error with those that there are.
func TestAgreeInProgram(t *testing.T) {
	for names, want := range map[string]string{`"a", "b"`: "", `"a", "c"`: `"c" is no agent: write one of a, b`, `"a"`: "write the names of two agents or more"} {
		w, err := workflow.New(workflow.Spec{
			Agents: []workflow.Agent{{Name: "a"}, {Name: "b"}}, Turns: 2,
			Program: "def next(problem, history):\n    if history and agree(" + names + "):\n        return []\n    return [ask(\"a\", \"x\"), ask(\"b\", \"x\")]\n",
		})
		if err != nil {
			t.Fatal(err)
		}
		for final, asks := range map[string]int{"": 2, "1": 0} {
			h := team.History{{Agent: 0, Text: "x", Final: final}, {Agent: 1, Text: "y", Final: final}}
			got, err := w.Next(problem, h)
			if want == "" && (err != nil || len(got) != asks) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("agree(%s) with answers %q: %d asks, %v; want %d, %q", names, final, len(got), err, asks, want)
			}
		}
	}
}

// TestUnreads: two agents' answers that are compared with == or != are found, unless the expression looks for None.
func TestUnreads(t *testing.T) {
	for text, want := range map[string]string{
		`said("a").answer == said("b").answer`:                              `agree("a", "b")`,
		`turn > 1 and (said('b').answer) != said("a").answer`:               `not agree('b', "a")`,
		`said("a").answer != None and said("a").answer == said("b").answer`: "",
		`said("a").answer == said("a", 1).answer`:                           "",
		`said("a").answer == "1"`:                                           "",
		`agree("a", "b") and said("a").text == said("b").text`:              "",
		`any([said(x).answer == said("a").answer for x in agents])`:         `agree(x, "a")`,
	} {
		got := workflow.Spec{Steps: []workflow.Step{{Repeat: 2, Steps: []workflow.Step{{Place: "s", When: text}}}}}.Unreads()
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Remedy != want || got[0].Place != "s.when") {
			t.Errorf("%s: %+v, want %q", text, got, want)
		}
	}
}

// TestOverMakesNoPrompts: whether an episode goes on is known without the prompts of its next turn, which may be long, or broken.
func TestOverMakesNoPrompts(t *testing.T) {
	w, err := workflow.New(workflow.Spec{
		Agents: []workflow.Agent{{Name: "writer"}},
		Steps: []workflow.Step{
			{Place: "team.workflow[0]", Ask: []string{"writer"}, Prompts: []string{"{{.Question}}"}},
			{Place: "team.workflow[1]", Ask: []string{"writer"}, Prompts: []string{`{{if eq .Last.writer "said"}}{{index .All 9}}{{end}}`}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var h team.History
	for turn, want := range []bool{false, false, true} {
		if over, err := w.Over(problem, h); err != nil || over != want {
			t.Errorf("after %d turns it is over: %v, %v; want %v", turn, over, err, want)
		}
		h = append(h, team.Answer{Turn: turn, Text: "said", Prompt: "asked"})
	}
	if _, err := w.Next(problem, h[:1]); err == nil {
		t.Error("a prompt that cannot be rendered was asked")
	}
}
