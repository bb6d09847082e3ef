package picture

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/team/workflow"
)

// workflows are random ones: loops in loops, steps that ask one, several or a group, chats that go on, an environment.
func workflows(t *rapid.T) workflow.Spec {
	names := []string{"ann", "bob", "cyd"}[:rapid.IntRange(1, 3).Draw(t, "agents")]
	s := workflow.Spec{World: rapid.Bool().Draw(t, "world"), Answer: workflow.Answer{Kind: workflow.Vote}}
	for _, name := range names {
		s.Agents = append(s.Agents, workflow.Agent{Name: name})
	}
	var list func(within string, deep int) []workflow.Step
	list = func(within string, deep int) (out []workflow.Step) {
		for i := range rapid.IntRange(1, 3).Draw(t, "steps") {
			place := fmt.Sprintf("%s[%d]", within, i)
			switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
			case kind == 0 && deep < 2:
				out = append(out, workflow.Step{Place: place, Repeat: rapid.IntRange(1, 2).Draw(t, "rounds"), Steps: list(place+".steps", deep+1)})
			case kind == 1 && s.World:
				out = append(out, workflow.Step{Place: place, Act: names[:1]})
			default:
				prompt := rapid.SampledFrom([]string{"{{.Question}}", "{{range .All}}{{.Text}}{{end}}", "{{.Own.Text}} {{.Report}} {{.Fields.title}}", "{{range .Notes}}{{.}}{{end}}", "{{.Observation}} {{range .Others}}{{.Text}}{{end}}"}).Draw(t, "prompt")
				who := rapid.SampledFrom([][]string{names, names[:1], {"=agents"}}).Draw(t, "asked")
				note := rapid.SampledFrom([]string{"", `"noted"`}).Draw(t, "note")
				out = append(out, workflow.Step{Place: place, Ask: who, Prompts: []string{prompt}, Note: note, Continue: rapid.Bool().Draw(t, "goes on")})
			}
		}
		return out
	}
	s.Steps = append(list("team.workflow", 0), workflow.Step{Place: "end", Ask: names, Prompts: []string{"{{.Question}}"}})
	return s
}

// seen is a prompt with what it shows, as text.
type seen struct {
	who  string
	what []string
}

// TestMarksAreSights: the rows of a table say what was measured, no more and no less, whatever the workflow.
func TestMarksAreSights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, err := workflow.New(workflows(t))
		if err != nil {
			t.Fatal(err)
		}
		sights, err := w.Visibility()
		if err != nil {
			t.Fatal(err)
		}
		s := newStory(w.Spec(), sights)
		columns := s.problem()
		s.origin = len(columns)
		s.tell()
		columns = append(columns, s.columns...)
		var want, got []seen
		for _, x := range sights {
			want = append(want, seen{fmt.Sprint(x.Turn, x.Agent), measured(x)})
		}
		for _, r := range s.rows {
			if r.kind == ask {
				got = append(got, seen{fmt.Sprint(r.turn, r.label), marked(r, columns)})
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("the table says\n%v\nmeasured was\n%v", got, want)
		}
		shortened := table{columns: columns, rows: s.rows}.short()
		asks := slices.DeleteFunc(slices.Clone(shortened.rows), func(r row) bool { return r.kind != ask })
		if len(asks) > most || len(sights) <= most && len(asks) != len(sights) {
			t.Fatalf("%d of %d asks are shown", len(asks), len(sights))
		}
		for _, r := range shortened.rows {
			for at := range r.marks {
				if at >= len(shortened.columns) {
					t.Fatalf("a mark in column %d of %d", at, len(shortened.columns))
				}
			}
		}
	})
}

// measured is what a sight says, sorted.
func measured(x workflow.Sight) []string {
	out := []string{}
	for _, source := range x.Sees {
		switch {
		case source.What == "question":
			out = append(out, "question 0")
		case source.What == "field":
			out = append(out, "field "+source.Field+" 0")
		case source.What == "notes":
			out = append(out, fmt.Sprintf("note, %d %d", source.Turn, noted))
		case source.What == "text":
			out = append(out, fmt.Sprintf("%s, %d %d", source.Agent, source.Turn, spoken))
		case source.What == "report":
			out = append(out, fmt.Sprintf("%s, %d %d", source.Agent, source.Turn, report))
		case source.Agent == x.Agent:
			out = append(out, fmt.Sprintf("observation, %d %d", source.Turn, own))
		}
	}
	slices.Sort(out)
	return out
}

// marked is what a row says, sorted.
func marked(r row, columns []column) []string {
	out := []string{}
	for _, at := range slices.Sorted(maps.Keys(r.marks)) {
		for _, m := range r.marks[at] {
			out = append(out, fmt.Sprintf("%s %d", columns[at].head, m))
		}
	}
	slices.Sort(out)
	return out
}
