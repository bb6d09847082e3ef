package protocols_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/task"
	"parley/team"
	"parley/team/protocols"
	"parley/team/teamtest"
)

var update = flag.Bool("update", false, "rewrite what is recorded in testdata")

var problem = task.Problem{ID: "p", Question: "How many?", Truth: "TRUTH-4711", Fields: map[string]string{"title": "T"}}

// TestAsks compares what the team of every word is asked with what is recorded: over sizes, turns, scores, boxes and what chats remember.
func TestAsks(t *testing.T) {
	var got bytes.Buffer
	for _, kind := range protocols.All() {
		for _, c := range []struct {
			agents, turns int
			scores        bool
			memory        team.Memory
		}{{2, 1, false, team.Memory{}}, {3, 3, true, team.Memory{}}, {2, 4, true, team.Memory{NoOriginal: true, Turns: 1}}, {4, 4, false, team.Memory{NoPrevious: true}}, {1, 3, true, team.Memory{}}} {
			if kind.Stepwise || kind.Harness || kind.Check != nil && kind.Check(c.agents, c.turns) != "" {
				continue
			}
			s := team.Settings{Agents: c.agents, Turns: c.turns, ShowScores: c.scores, Boxed: c.scores, Prompts: prompts, Memory: c.memory, Feedback: func(x float64) string { return fmt.Sprintf("it is %g", x) }}
			for i := range c.agents {
				s.Roles = append(s.Roles, fmt.Sprintf("role \"%d\"", i))
			}
			for _, s.SeeOthers = range []bool{true, false} {
				p, err := kind.Open(s)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&got, "= %s, %d agents, %d turns of at most %d, scores %v, %+v, others %v\n", kind.Name, p.Agents(), c.turns, p.Turns(), c.scores, c.memory, s.SeeOthers)
				play(t, &got, p)
				if boxes := kind.Name == "debate" && s.Boxed && c.turns > 1; team.Boxes(p) != boxes {
					t.Errorf("%s, %+v: answers are read with a box: %v, want %v", kind.Name, c, team.Boxes(p), boxes)
				}
				teamtest.Run(t, p)
			}
		}
	}
	file := filepath.Join("testdata", "asks.txt")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the teams are asked otherwise than %s says; -update rewrites it", file)
	}
}

var prompts = team.Prompts{
	System:   "You are {{.Agent}}{{with .Role}}, {{.}}{{end}}.",
	Examples: []string{"Hello", "Hi"},
	First:    "{{.Turn}}: {{.Question}} {{.Fields.title}} {{.Role}}{{range .Fields}}{{$.Role}}{{end}}",
	Later:    "{{.Turn}} {{.Report}} {{if .ShowScores}}{{.Own.Score}} {{.Own.Feedback}}{{end}}{{range .Others}}Agent {{.Number}}: {{.Text}} {{.Score}} {{end}}again, {{$.Agent}}: {{.Question}}",
}

// play answers every ask with a text of its own until the episode is over, and writes down all asks.
func play(t *testing.T, out *bytes.Buffer, p team.Protocol) {
	t.Helper()
	var h team.History
	for {
		asks, err := p.Next(problem, h)
		if err != nil {
			t.Fatal(err)
		}
		if len(asks) == 0 {
			return
		}
		for _, a := range asks {
			fmt.Fprintf(out, "== turn %d, agent %d\n", a.Turn+1, a.Agent+1)
			for _, m := range a.Messages {
				fmt.Fprintf(out, "[%s] %s\n", m.Role, m.Content)
			}
			h = append(h, team.Answer{
				Turn: a.Turn, Agent: a.Agent, Text: fmt.Sprintf(" said \\boxed{%d}.%d\n", a.Turn, a.Agent), Final: fmt.Sprint(a.Turn), Score: 0.25,
				Report: fmt.Sprintf("report %d.%d", a.Turn, a.Agent),
			})
		}
	}
}
