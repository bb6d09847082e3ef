package viewer_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/runs"
	"parley/runs/store"
	"parley/task"
	"parley/viewer"
)

// writeAnswers writes what a system answered to held-out problems: of each a score, of which a negative one stands for none.
func writeAnswers(t *testing.T, dir, system string, update int, scores ...float64) {
	t.Helper()
	var b bytes.Buffer
	err := store.WriteLines(&b, func(enc func(any) error) error {
		for i, score := range scores {
			e := &rollout.Episode{
				Problem: task.Problem{ID: fmt.Sprint("p", i), Question: fmt.Sprintf("What is %d + 1? </script>", i), Truth: fmt.Sprint(i + 1)},
				Nodes: []*rollout.Node{{Parent: -1, ParentAction: -1, Agents: []rollout.AgentTurn{{
					Completions: []rollout.Completion{{Text: fmt.Sprintf("%s says %d", system, update), Answer: fmt.Sprint(update), HasAnswer: i > 0, Correct: score == 1}},
				}}, Joint: [][]int{{0}}}},
			}
			if i == 1 {
				e.Nodes[0].Agents = append(e.Nodes[0].Agents, rollout.AgentTurn{Agent: 1, Completions: []rollout.Completion{{Text: "it is 7", Answer: "7", HasAnswer: true}}})
				e.Nodes[0].Joint = [][]int{{0, 0}}
			}
			if i == 2 {
				e.Nodes[0].Answers = []string{"the program's"}
			}
			a := keep.Compact(e, i, 0)
			if a.System, a.Update = system, update; score >= 0 {
				a.Score = &score
			}
			if err := enc(a); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "evaluation"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "evaluation", fmt.Sprintf("%s-%06d.jsonl.zst", system, update)), b.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

type heldOut struct {
	Systems []struct {
		System string
		Update int
		Score  *float64
		Scored int
	}
	Panel    []int
	Problems []struct {
		Number int
		Scores map[string]*float64
		Said   map[string]string
		Change *float64
		Panel  []*float64
	}
	None    string
	Damaged []string
}

type dialogues struct {
	Truth   string
	Answers []struct {
		System string
		Update int
		Score  *float64
		Lines  []struct{ Name, Text string }

		Program []string
	}
	Damaged []string
}

// TestHeldOut: what systems answered to held-out problems, what training changed, and one problem through training. A run of an earlier release says that
// it has none, and a damaged file costs nothing but itself.
func TestHeldOut(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	dir, base := filepath.Join(root, "magrpo-tiny"), "/api/runs/magrpo-tiny/answers"
	o := options(root)
	s := serve(t, o)
	var h heldOut
	if err := os.RemoveAll(filepath.Join(dir, "evaluation")); err != nil {
		t.Fatal(err)
	}
	if get(t, s, base, &h); !strings.Contains(h.None, "an earlier release") || len(h.Systems) != 0 {
		t.Errorf("%+v", h)
	}
	report := filepath.Join(dir, "report.json")
	if err := os.Rename(report, report+".later"); err != nil {
		t.Fatal(err)
	}
	writeAnswers(t, dir, runs.OffTheShelf, 0, 1, 0, 0.25)
	writeAnswers(t, dir, runs.Trained, 1, 0, 0, 0) // of a run that has gone on since
	writeAnswers(t, dir, runs.Trained, 2, 0, 1, -1)
	writeAnswers(t, dir, "single", 2, 1, 1, 1)
	writeAnswers(t, dir, "panel", 1, 1, 1)
	writeAnswers(t, dir, "panel", 2, 0, 1)
	h = heldOut{}
	get(t, s, base, &h)
	show := func(list []*float64) (out []string) {
		for _, x := range list {
			if x == nil {
				out = append(out, "-")
			} else {
				out = append(out, fmt.Sprint(*x))
			}
		}
		return out
	}
	if len(h.Systems) != 3 || h.Systems[0].System != runs.OffTheShelf || h.Systems[1].Update != 2 || *h.Systems[1].Score != 0.5 || h.Systems[1].Scored != 2 || !slices.Equal(h.Panel, []int{0, 1, 2}) {
		t.Errorf("systems %+v, panel %v", h.Systems, h.Panel)
	}
	var changes []*float64
	for _, p := range h.Problems {
		changes = append(changes, p.Change)
	}
	if got := show(changes); !slices.Equal(got, []string{"-1", "1", "-"}) {
		t.Errorf("changes %v", got)
	}
	if got := show(h.Problems[0].Panel); !slices.Equal(got, []string{"1", "1", "0"}) || h.Problems[2].Panel != nil {
		t.Errorf("panel of the first problem %v, of the third %v", got, h.Problems[2].Panel)
	}
	if said := h.Problems[0].Said[runs.Trained]; said != "trained says 2" || h.Problems[1].Said[runs.Trained] != "2 · 7" {
		t.Errorf("said %q and %q", said, h.Problems[1].Said[runs.Trained])
	}

	var d dialogues
	get(t, s, base+"/1", &d)
	if len(d.Answers) != 3 || d.Truth != "2" || d.Answers[1].Lines[0].Text != "trained says 2" || d.Answers[1].Lines[0].Name != "agent 1" {
		t.Errorf("%+v", d)
	}
	d = dialogues{}
	if get(t, s, base+"/2?system=single", &d); len(d.Answers) != 1 || !slices.Equal(d.Answers[0].Program, []string{"the program's"}) {
		t.Errorf("of a program: %+v", d)
	}
	d = dialogues{}
	get(t, s, base+"/1?system=panel", &d)
	if len(d.Answers) != 3 || d.Answers[0].Update != 0 || d.Answers[2].Lines[0].Text != "panel says 2" {
		t.Errorf("through training: %+v", d)
	}
	for path, want := range map[string]int{"/7": 400, "/x": 400, "/1?system=nobody": 400, "/1?system=../../trained": 400} {
		if status, body := ask(t, s, http.MethodGet, base+path, ""); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}

	file, err := viewer.New(o).Export(t.Context(), "magrpo-tiny", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, has := range []string{`"/api/runs/magrpo-tiny/answers":`, `"/api/runs/magrpo-tiny/answers/2":`, `"/api/runs/magrpo-tiny/answers/1?system=panel":`} {
		if !strings.Contains(string(file), has) {
			t.Errorf("the file lacks %s", has)
		}
	}
	if n := strings.Count(string(file), "</script>"); n != 2 {
		t.Errorf("%d scripts end", n)
	}

	single := filepath.Join(dir, "evaluation", "single-000002.jsonl.zst")
	data, err := os.ReadFile(single)
	if err == nil {
		err = os.WriteFile(single, data[:len(data)/2], 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	h, d = heldOut{}, dialogues{}
	get(t, s, base, &h)
	get(t, s, base+"/0", &d)
	if len(h.Damaged) != 1 || !strings.Contains(h.Damaged[0], "single-000002") || len(h.Problems) != 3 || len(d.Damaged) != 1 || len(d.Answers) != 2 {
		t.Errorf("%q, %d problems; %q, %d answers", h.Damaged, len(h.Problems), d.Damaged, len(d.Answers))
	}

	if err := os.Rename(report+".later", report); err != nil {
		t.Fatal(err)
	}
	h = heldOut{}
	if get(t, s, base, &h); len(h.Systems) != 2 {
		t.Errorf("beside a report of two systems there are %+v", h.Systems)
	}
}
