package train_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/rl/eval"
	"parley/rl/rollout/keep"
	"parley/runs"
	"parley/runs/store"
	"parley/runs/verify"
	"parley/train"
	"parley/train/measure"
	"parley/train/record"
)

// panelOfRun are the lines of metrics.jsonl without their panels, and the panels by update.
func panelOfRun(t *testing.T, dir string) (lines []string, panels map[int]record.Panel) {
	t.Helper()
	panels = map[int]record.Panel{}
	for line := range strings.Lines(string(metricsFile(t, dir))) {
		var head struct {
			Update int
			Panel  *record.Panel
		}
		if err := json.Unmarshal([]byte(line), &head); err != nil {
			t.Fatal(err)
		}
		if head.Panel != nil {
			panels[head.Update] = *head.Panel
			text, err := json.Marshal(head.Panel)
			if err != nil {
				t.Fatal(err)
			}
			without := strings.Replace(line, `,"panel":`+string(text), "", 1)
			if without == line {
				t.Fatalf("%s is not in %s", text, line)
			}
			line = without
		}
		lines = append(lines, line)
	}
	return lines, panels
}

// answersOf are the answers of a system that a run keeps.
func answersOf(t *testing.T, dir, system string, updates int) (list []*keep.Answer) {
	t.Helper()
	err := runs.PackedLines(dir, store.AnswersFile(system, updates), func(line []byte) error {
		a, err := keep.ReadAnswer(line)
		list = append(list, a)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestPanel: a team that is measured while it trains is measured as the report measures it, and no other number of the training changes.
func TestPanel(t *testing.T) {
	for recipe, sets := range map[string][]string{
		"debate-sums": {"training.problems=2", "ppo.epochs=1", "ppo.minibatches=1", "sampling.max_tokens=16", "eval.baselines=[single, majority-vote]", "eval.passes=2"},
		"magrpo-tiny": {"training.problems=2", "eval.baselines=[]", "training.async=1"},
	} {
		t.Run(recipe, func(t *testing.T) {
			sets = append(sets, "eval.problems=6")
			plain := quick(t, recipe, sets...)
			if _, err := train.Run(t.Context(), plain); err != nil {
				t.Fatal(err)
			}
			o := quick(t, recipe, append(sets, "eval.every=3", "eval.panel=4")...)
			result, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			want, none := panelOfRun(t, plain.Dir)
			got, panels := panelOfRun(t, o.Dir)
			if len(none) > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("with a panel the training says\n%v\nwithout\n%v", got, want)
			}
			if len(panels) != 2 {
				t.Fatalf("panels %v, want those after 3 updates and after the last", panels)
			}
			system := func(name string, updates int) *measure.Measurement { return recorded(t, o.Dir, name, updates) }
			before, after := system(runs.OffTheShelf, 0), system(runs.Trained, 4)
			for update, p := range panels {
				if p.Untrained != eval.Mean(before.Last().Values[:4]) || p.Problems != 4 || p.Metric != result.Report.Metric || !(p.CI95[0] <= p.Score && p.Score <= p.CI95[1]) {
					t.Errorf("update %d: %+v", update, p)
				}
				sum := 0.0
				for _, a := range answersOf(t, o.Dir, store.PanelSystem, update) {
					sum += *a.Score
				}
				if math.Abs(sum/4-p.Score) > 1e-12 {
					t.Errorf("update %d: the answers score %g, the panel %g", update, sum/4, p.Score)
				}
			}
			if panels[4].Score != eval.Mean(after.Last().Values[:4]) {
				t.Errorf("after the last update the panel scores %g, the first problems of the report %v", panels[4].Score, after.Last().Values)
			}
			panelCosts(t, o.Dir)
			keptAnswers(t, o.Dir, result.Report, system)
			if v := verify.Run(o.Dir); !v.OK {
				t.Error(v.Problems)
			}
		})
	}
}

// recorded is a measurement that a run keeps.
func recorded(t *testing.T, dir, system string, updates int) *measure.Measurement {
	t.Helper()
	m := new(measure.Measurement)
	if err := runs.ReadSealed(dir, fmt.Sprintf("evaluation/%s-%06d.json", system, updates), m); err != nil {
		t.Fatal(err)
	}
	return m
}

// panelCosts: what a panel takes stands in the line of its update alone.
func panelCosts(t *testing.T, dir string) {
	t.Helper()
	for line := range strings.Lines(string(runFile(t, dir, "timing.jsonl"))) {
		var took train.Timing
		if err := json.Unmarshal([]byte(line), &took); err != nil {
			t.Fatal(err)
		}
		if took.PanelSeconds > 0 != (took.Update > 2) || took.PanelSeconds > took.Seconds {
			t.Errorf("%s", line)
		}
	}
}

// keptAnswers: of every row of the report there is an answer to every problem, with the score that the row is the mean of.
func keptAnswers(t *testing.T, dir string, report runs.Report, system func(name string, updates int) *measure.Measurement) {
	t.Helper()
	for _, row := range report.Rows {
		updates := 0
		if strings.HasPrefix(row.System, runs.Trained) || row.System == runs.Single || row.System == runs.MajorityVote {
			updates = 4
		}
		sum, seen, generated := 0.0, map[int]bool{}, 0
		for _, a := range answersOf(t, dir, row.System, updates) {
			if a.System != row.System || a.Update != updates || a.Problem.Question == "" || a.Nodes[0].Agents[0].Completions[0].Text == "" {
				t.Fatalf("%s: %+v", row.System, a)
			}
			if generated += a.Tokens; !seen[a.Index] {
				seen[a.Index], sum = true, sum+*a.Score
			}
		}
		if len(seen) != report.Problems || math.Abs(sum/float64(len(seen))-row.Score) > 1e-12 {
			t.Errorf("%s: %d answers with the mean %g, the report says %g", row.System, len(seen), sum/float64(len(seen)), row.Score)
		}
		if m := system(row.System, updates); math.Abs(float64(generated)/float64(len(seen))-m.TokensPerProblem()) > 1e-9 {
			t.Errorf("%s: %d tokens, the report says %g a problem", row.System, generated, m.TokensPerProblem())
		}
	}
	size := int64(0)
	files, err := filepath.Glob(filepath.Join(dir, "evaluation", "*.zst"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if each := size / int64(len(files)); each > 6<<10 {
		t.Errorf("%d files of answers take %d bytes", len(files), size)
	}
}
