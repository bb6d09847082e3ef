package record_test

import (
	"fmt"
	"slices"
	"testing"

	"parley/train/record"
)

const flatRecipe = `
name: x
team:
  agents:
    writer: {role: Write.}
    critic:
      role: Read.
  turns: 2
task:
  list: [1, two]
  none: null
`

func TestFlatten(t *testing.T) {
	r, err := record.Flatten(flatRecipe)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.Keys); got != "[name team.agents.writer.role team.agents.critic.role team.turns task.list task.none]" {
		t.Errorf("the keys are %s", got)
	}
	if !slices.Equal(r.Agents(), []string{"writer", "critic"}) || r.Number("team.turns", 0) != 2 || r.Text("task.list") != "[1, two]" || r.Number("name", 7) != 7 {
		t.Errorf("%+v, agents %v", r, r.Agents())
	}
	other, err := record.Flatten("name: y\nteam: {agents: 3, turns: 2}\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := other.Agents(); !slices.Equal(got, []string{"agent 1", "agent 2", "agent 3"}) {
		t.Errorf("agents without names are %v", got)
	}
	differ := record.CompareFlat(r, other, "name")
	if len(differ) != 5 || differ[0] != (record.FlatDifference{Key: "team.agents.writer.role", A: "Write."}) || differ[4] != (record.FlatDifference{Key: "team.agents", B: "3"}) {
		t.Errorf("they differ in %+v", differ)
	}
}

// FuzzFlatten: any text is a recipe or an error, and a recipe never differs from itself.
func FuzzFlatten(f *testing.F) {
	for _, text := range []string{flatRecipe, "", "- 1", "a: &a [*a]", "team: {agents: 99999999999}", "? {a: 1}\n: 2", "a: 1\na: 2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := record.Flatten(text)
		if err != nil {
			return
		}
		if d := record.CompareFlat(r, r); len(d) > 0 || len(r.Agents()) == 0 || len(r.Agents()) > 64 {
			t.Errorf("%q differs from itself in %v, or has %d agents", text, d, len(r.Agents()))
		}
	})
}
