package plan

import (
	"reflect"
	"strings"
	"testing"

	"parley/internal/turn"
	"parley/recipe/language"
)

// TestShownRecipes: what `parley recipe show` prints of a shipped recipe is that recipe with its prompts written out, and nobody is asked
// anything else by it.
func TestShownRecipes(t *testing.T) {
	l := language.New()
	for i, r := range l.Shipped() {
		if !turn.Share(i) {
			continue
		}
		written := WithPrompts(r)
		again, err := l.Parse(r.Name, written.ApplyingYAML(), nil)
		if err != nil {
			t.Errorf("%s: the print is refused: %v", r.Name, err)
			continue
		}
		if !reflect.DeepEqual(again, written) {
			t.Errorf("%s: the print is another recipe", r.Name)
		}
		was, _ := systems(r)
		now, _ := systems(again)
		for i := range was {
			if !sameQuestions(was[i], now[i]) {
				t.Errorf("%s: system %d is asked something else", r.Name, i)
			}
		}
		again.Team.Prompts = r.Team.Prompts
		if !reflect.DeepEqual(again, r) {
			t.Errorf("%s: more than prompts is written out", r.Name)
		}
	}
}

// TestWithPrompts: prompts are written out where that changes nothing, and left out where it would.
func TestWithPrompts(t *testing.T) {
	for _, c := range []struct {
		name, source string
		first, later string // begin so; empty: left out
	}{
		{"the task's own", "task: {name: duet}\nalgorithm: magrpo\nreward: {source: joint}\nteam: {protocol: parallel, turns: 1}", "Question: {{.Question}}", ""},
		{"the short form", "task: {name: sums}", "Question: {{.Question}}\nSolve", "{{if .ShowScores}}"},
		{"the recipe's own", "team: {prompts: {first: What?, later: And now?}}", "What?", "And now?"},
		{"a request to revise", "team: {feedback: self}", "Question: {{.Question}}\nSolve", ""},
		{"measured on another task", "model: other\ntask: {name: gsm8k}\neval: {task: {name: nli}}", "", ""},
		{"another task in a run", "model: other\ntask: {name: gsm8k}\nexperiment: {variants: {a: [], b: [task.name=nli]}}", "", ""},
		{"a single agent over the shipped base", "models: [parley-base, other]", "", ""},
	} {
		r, err := language.New().Parse(c.name, []byte("name: x\n"+c.source), nil)
		if err != nil {
			t.Fatal(err)
		}
		p := WithPrompts(r).Team.Prompts
		for _, text := range []struct{ got, want string }{{p.First, c.first}, {p.Later, c.later}} {
			if !strings.HasPrefix(text.got, text.want) || (text.got == "") != (text.want == "") {
				t.Errorf("%s: %q, want it to begin with %q", c.name, text.got, text.want)
			}
		}
	}
}
