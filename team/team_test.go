package team_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/task"
	"parley/task/labelled"
	"parley/team"
	"parley/team/protocols"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the recorded dialogues in testdata")

var apples = task.Problem{ID: "p", Question: "How many apples?", Truth: "SECRET", Fields: map[string]string{"title": "Fruit"}}

// play runs a protocol with the answers "agent A turn T" and prints every ask.
func play(t *testing.T, p team.Protocol) string {
	t.Helper()
	var out strings.Builder
	var h team.History
	for {
		asks, err := p.Next(apples, h)
		if err != nil {
			t.Fatal(err)
		}
		if len(asks) == 0 {
			return out.String()
		}
		for _, a := range asks {
			fmt.Fprintf(&out, "== turn %d agent %d\n", a.Turn+1, a.Agent+1)
			for _, m := range a.Messages {
				fmt.Fprintf(&out, "[%s]\n%s\n", m.Role, m.Content)
			}
			h = append(h, team.Answer{Turn: a.Turn, Agent: a.Agent, Text: fmt.Sprintf("answer of agent %d in turn %d", a.Agent+1, a.Turn+1), Score: 0.25 * float64(a.Agent+a.Turn)})
		}
	}
}

func feedback(score float64) string { return fmt.Sprintf("words for %.2f.", score) }

// TestPrompts compares the dialogues of MAPoRL §1.1–1.2 with recorded ones: what each agent is asked in every turn.
func TestPrompts(t *testing.T) {
	cases := map[string]struct {
		make func(team.Settings) (team.Protocol, error)
		s    team.Settings
	}{
		"debate-scores":  {protocols.Debate().Open, team.Settings{Agents: 3, Turns: 3, SeeOthers: true, ShowScores: true, Prompts: team.Maths}},
		"debate-plain":   {protocols.Debate().Open, team.Settings{Agents: 2, Turns: 2, SeeOthers: true, Prompts: team.Maths}},
		"debate-short":   {protocols.Debate().Open, team.Settings{Agents: 2, Turns: 2, SeeOthers: true, ShowScores: true, Prompts: team.Short}},
		"inference":      {protocols.Single().Open, team.Settings{Turns: 1, Prompts: team.Prompts{First: labelled.NLI.Prompts.First, Later: team.Maths.Later}}},
		"examples":       {protocols.Debate().Open, team.Settings{Agents: 2, Turns: 2, SeeOthers: true, Prompts: team.Prompts{System: "S", Examples: []string{"one pear and {{one}} more", "2"}, First: "{{.Question}}", Later: "again"}}},
		"self-correct":   {protocols.Single().Open, team.Settings{Turns: 2, ShowScores: true, Prompts: team.Maths}},
		"parallel-roles": {protocols.Parallel().Open, team.Settings{Agents: 2, Turns: 1, Roles: []string{"Be brief.", "Be long."}, Prompts: team.Prompts{System: "{{.Fields.title}}", First: "{{.Role}} {{.Question}}", Later: "again"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.s.Feedback = feedback
			p, err := c.make(c.s)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, p)
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("dialogue changed:\n%s", got)
			}
		})
	}
}

// TestNextIsPure: the same problem and history give the same asks, in any order of calls, and never the truth.
func TestNextIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := team.Settings{
			Agents: rapid.IntRange(1, 4).Draw(t, "agents"), Turns: rapid.IntRange(1, 4).Draw(t, "turns"),
			SeeOthers: rapid.Bool().Draw(t, "see"), ShowScores: rapid.Bool().Draw(t, "scores"), Prompts: team.Maths, Feedback: feedback,
		}
		p, err := protocols.Debate().Open(s)
		if err != nil {
			t.Fatal(err)
		}
		var h team.History
		for turn := 0; ; turn++ {
			first, err := p.Next(apples, h)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := p.Next(apples, h)
			if fmt.Sprint(first) != fmt.Sprint(again) {
				t.Fatal("Next changed its mind")
			}
			if strings.Contains(fmt.Sprint(first), "SECRET") {
				t.Fatal("the truth is in a prompt")
			}
			if turn == s.Turns {
				if len(first) != 0 {
					t.Fatal("the episode goes on after its last turn")
				}
				return
			}
			if len(first) != s.Agents {
				t.Fatalf("%d asks for %d agents", len(first), s.Agents)
			}
			for _, a := range first {
				if want := 1 + 2*turn; len(a.Messages) != want {
					t.Fatalf("turn %d: %d messages, want %d", turn, len(a.Messages), want)
				}
				h = append(h, team.Answer{Turn: turn, Agent: a.Agent, Text: rapid.StringMatching(`[a-z ]{0,12}`).Draw(t, "text")})
			}
		}
	})
}

func TestOwnHistoryHidesOthers(t *testing.T) {
	p, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 2, Prompts: team.Maths})
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(play(t, p), "== ")[1:] {
		other := "agent 2 in"
		if strings.Contains(block[:20], "agent 2") {
			other = "agent 1 in"
		}
		if strings.Contains(block, other) {
			t.Errorf("an agent sees another's answer:\n%s", block)
		}
	}
}

func TestBadTeams(t *testing.T) {
	for name, s := range map[string]team.Settings{
		"no agents": {Agents: 0, Turns: 1, Prompts: team.Maths},
		"roles":     {Agents: 2, Turns: 1, Roles: []string{"one"}, Prompts: team.Maths},
		"template":  {Agents: 1, Turns: 1, Prompts: team.Prompts{First: "{{.Question"}},
	} {
		if _, err := protocols.Debate().Open(s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := (team.Prompts{First: "{{.Truth}}"}).Check(nil); err == nil {
		t.Error("a template can ask for the truth")
	}
	p, _ := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 2, Prompts: team.Maths})
	if _, err := p.Next(apples, team.History{{Turn: 0, Agent: 1, Text: "x"}}); err == nil {
		t.Error("a history without an agent's answer is accepted")
	}
}

// TestBegin: what stands before a question begins every chat about it; there is one system message, the team's part first.
func TestBegin(t *testing.T) {
	p := task.Problem{Question: "And 3?", Before: []task.Message{{Role: "system", Content: "Row."}, {Role: "user", Content: "2?"}, {Role: "assistant", Content: "4"}}}
	for system, want := range map[string]string{
		"":      "system Row., user 2?, assistant 4, user Q And 3?",
		"Team.": "system Team.\n\nRow., user 2?, assistant 4, user Q And 3?",
	} {
		d, err := protocols.Parallel().Open(team.Settings{Agents: 2, Turns: 1, Prompts: team.Prompts{System: system, First: "Q {{.Question}}"}})
		if err != nil {
			t.Fatal(err)
		}
		asks, err := d.Next(p, nil)
		if err != nil || len(asks) != 2 {
			t.Fatalf("%q: %v, %v", system, asks, err)
		}
		for _, ask := range asks {
			var said []string
			for _, m := range ask.Messages {
				said = append(said, string(m.Role)+" "+m.Content)
			}
			if got := strings.Join(said, ", "); got != want {
				t.Errorf("%q: %q", system, got)
			}
		}
	}
}
