package runcmd

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/rl/rollout"
	"parley/team"
	"parley/viewer/episodes"
	"parley/viewer/explain"
)

// TestPrintEpisode: an answer without a text is called so, and one that the environment took no move from is marked, and no other. What players were shown stands before
// what they said, and what a mean is over beside its formula.
func TestPrintEpisode(t *testing.T) {
	cell := func(name string, texts ...string) episodes.Cell {
		c := episodes.Cell{Name: name}
		for i, text := range texts {
			c.Completions = append(c.Completions, episodes.Completion{Completion: i, Text: text})
		}
		return c
	}
	shown := cell("o", "", "5")
	shown.Messages = []team.Message{{Role: team.System, Content: "Play."}, {Role: team.User, Content: "Your move:"}}
	shown.Completions[1].Formula = []explain.Formula{{Name: "advantage", Formula: "A = R − mean(R)", Filled: "1 = 1 − 0", Terms: []explain.Term{{Symbol: "R", What: "return"}, {Symbol: "mean(R)", What: "of both: 1, −1"}}}}
	info := json.RawMessage(`{"illegal": ["x"]}`)
	e := &episodes.Episode{Problem: episodes.Problem{ID: "p", Question: "q"}, Nodes: []episodes.Node{{
		Cells: []episodes.Cell{cell("x", "9", " \n"), shown},
		Joint: []episodes.Joint{
			{Completions: []int{0, 0}, Outcome: []rollout.Observed{{Info: info}}},
			{Completions: []int{1, 1}, Outcome: []rollout.Observed{{Info: json.RawMessage(`"fine"`)}, {}}},
		},
	}}}
	var b strings.Builder
	printEpisode(&b, e)
	want := `
  x, answer 1 of 2, illegal move
      9
  x, answer 2 of 2
      (empty)
  o is shown
      Your move:
  o, answer 1 of 2
      (empty)
  o, answer 2 of 2
      5
    advantage: A = R − mean(R): 1 = 1 − 0; mean(R) is of both: 1, −1
`
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("%s\nwant at the end\n%s", b.String(), want)
	}
}
