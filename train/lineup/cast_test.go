package lineup_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/team/teamtest"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/train/lineup"
	"parley/train/measure"
)

// fivesome is the team of corex-discuss, whose agents say who they are, and what they are asked as.
func fivesome(cast string) string {
	var agents strings.Builder
	for i, name := range []string{"blue1", "blue2", "green1", "green2", "judge"} {
		fmt.Fprintf(&agents, "  %s: {script: \"def speak(messages, problem):\\n  return 'player %d asked as ' + messages[-1]['content']\"}\n", name, i)
	}
	return `name: fivesome
task: {name: sums}
team:
 protocol: workflow
 cast: ` + cast + `
 agents:
` + agents.String() + ` workflow:
 - {ask: [blue1, blue2, green1, green2], prompt: "{{.Agent}}"}
 - {ask: judge, prompt: "{{.Agent}}"}
 answer: judge
algorithm: none
eval: {problems: 12, examples: 12, baselines: []}
`
}

// players are who played each part, in the order of the parts, for every problem.
func players(t *testing.T, cast string) (out [][]int, costs map[string]map[string]float64) {
	t.Helper()
	r, err := language.New().Parse("fivesome.yaml", []byte(fivesome(cast)), nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lineup.Open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m, err := measure.Team(t.Context(), l, "off-the-shelf", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range m.Examples {
		var who []int
		for _, line := range x.Lines {
			var player int
			var part string
			if _, err := fmt.Sscanf(line.Text, "player %d asked as %s", &player, &part); err != nil || part != line.Name {
				t.Fatalf("%s says %q: %v", line.Name, line.Text, err)
			}
			who = append(who, player)
		}
		out = append(out, who)
	}
	return out, m.MeanCosts()
}

// TestCast: the parts of a team are given out for each problem, by the seed and by nothing else, as the rules of Corex split an order; the prompts are
// those of the parts, and what a part costs is counted as its own.
func TestCast(t *testing.T) {
	fixed, _ := players(t, "fixed")
	for _, who := range fixed {
		if !slices.Equal(who, []int{0, 1, 2, 3, 4}) {
			t.Fatalf("fixed: %v", who)
		}
	}
	drawn, costs := players(t, "drawn")
	again, _ := players(t, "drawn")
	if !reflect.DeepEqual(drawn, again) {
		t.Errorf("the same seed: %v, then %v", drawn, again)
	}
	judges := map[int]bool{}
	for number, who := range drawn {
		order := lineup.Cast(1, number, 5)
		teams, ok := teamtest.Split(order)
		if !ok || !slices.Equal(who[:2], teams.First) || !slices.Equal(who[2:4], teams.Second) || who[4] != teams.Judge {
			t.Errorf("problem %d is played by %v, and the order %v makes %v", number, who, order, teams)
		}
		judges[who[4]] = true
	}
	if len(drawn) != 12 || len(judges) < 3 {
		t.Errorf("%d problems, of which %d agents are the judge", len(drawn), len(judges))
	}
	if costs["judge"]["queries"] != 1 || costs["blue1"]["queries"] != 1 {
		t.Errorf("costs %v", costs)
	}
}
