package plan_test

import (
	"path/filepath"
	"strings"
	"testing"

	"parley/recipe/language"
	"parley/task"
	"parley/team"
	"parley/train/plan"
)

// TestOwnTeamShowsOneBox: in the example of a team of one's own, an answer that ends in a box is shown with that box alone, whoever reads it.
func TestOwnTeamShowsOneBox(t *testing.T) {
	r, err := language.New().Load(filepath.Join("..", "..", "examples", "own-team", "recipe.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Protocol(r)
	if err != nil {
		t.Fatal(err)
	}
	problem, shown := task.Problem{ID: "1", Question: "3 + 4?", Truth: "7"}, 0
	var h team.History
	for {
		asks, err := p.Next(problem, h)
		if err != nil {
			t.Fatal(err)
		}
		if len(asks) == 0 {
			break
		}
		for _, ask := range asks {
			for _, m := range ask.Messages {
				boxes, texts := strings.Count(m.Content, `\boxed{`)-strings.Count(m.Content, `\boxed{XX}`), strings.Count(m.Content, "I count")
				if shown += texts; boxes != texts {
					t.Errorf("turn %d: %d boxes for %d answers in %q", ask.Turn, boxes, texts, m.Content)
				}
			}
			final := string(rune('1' + ask.Turn)) // nobody agrees: every step is played
			h = append(h, team.Answer{Turn: ask.Turn, Agent: ask.Agent, Text: `I count \boxed{` + final + `} of them.`, Final: final, Prompt: ask.Prompt})
		}
	}
	if len(h) != 6 || shown == 0 {
		t.Errorf("%d answers, %d shown", len(h), shown)
	}
}
