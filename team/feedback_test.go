package team_test

import (
	"strings"
	"testing"

	"parley/team"
	"parley/team/protocols"
)

// TestMemory: what prompts of later turns hold, in all combinations of what is left out.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		name   string
		memory team.Memory
		want   string // of turn 3: roles and first words
	}{
		{"all", team.Memory{}, "system:S user:ask assistant:reply user:Q assistant:answer user:again assistant:answer user:again"},
		{"one turn", team.Memory{Turns: 1}, "system:S user:ask assistant:reply user:Q assistant:answer user:again"},
		{"no original", team.Memory{NoOriginal: true, Turns: 1}, "system:S user:ask assistant:reply user:Your…again"},
		{"no previous", team.Memory{NoPrevious: true, Turns: 1}, "system:S user:ask assistant:reply user:Q…again"},
		{"nothing", team.Memory{NoOriginal: true, NoPrevious: true, Turns: 1}, "system:S user:ask assistant:reply user:again"},
		{"all turns, no previous", team.Memory{NoPrevious: true}, "system:S user:ask assistant:reply user:Q…again…again"},
	} {
		p, err := protocols.Single().Open(team.Settings{Turns: 3, Memory: c.memory, Prompts: team.Prompts{System: "S", Examples: []string{"ask", "reply"}, First: "Q", Later: "again"}})
		if err != nil {
			t.Fatal(err)
		}
		h := team.History{{Turn: 0, Text: "answer"}, {Turn: 1, Text: "answer"}}
		asks, err := p.Next(apples, h)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range asks[0].Messages {
			parts := strings.Split(m.Content, "\n\n")
			text := strings.Fields(parts[0])[0]
			for _, p := range parts[1:] {
				if p == "again" {
					text += "…again"
				}
			}
			got = append(got, string(m.Role)+":"+text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// TestReports: every agent is told its own report of the turn before.
func TestReports(t *testing.T) {
	p, err := protocols.Parallel().Open(team.Settings{Agents: 2, Turns: 3, Prompts: team.Prompts{First: "Q", Later: team.Diagnostics.Later("Q")}})
	if err != nil {
		t.Fatal(err)
	}
	h := team.History{{Turn: 0, Agent: 0, Text: "a", Report: "R00"}, {Turn: 0, Agent: 1, Text: "b", Report: "R01"}, {Turn: 1, Agent: 0, Text: "c", Report: "R10"}, {Turn: 1, Agent: 1, Text: "d", Report: "R11"}}
	asks, err := p.Next(apples, h)
	if err != nil {
		t.Fatal(err)
	}
	for agent, want := range [][]string{{"R00", "R10"}, {"R01", "R11"}} {
		var reports []string
		for _, m := range asks[agent].Messages {
			if strings.HasPrefix(m.Content, "R") {
				reports = append(reports, m.Content[:3])
			}
		}
		if strings.Join(reports, " ") != strings.Join(want, " ") {
			t.Errorf("agent %d is told %v, want %v", agent+1, reports, want)
		}
	}
	if team.FirstAgain.Later("Q") != "Q" || team.Self.Reports() {
		t.Error("the modes first and self have other prompts")
	}
}
