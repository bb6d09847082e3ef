package train_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley/runs"
	"parley/train"
)

// TestByItselfResumes: runs that play by themselves and are interrupted between checkpoints end with the metrics and the table of runs that were not; who is
// frozen stays so. TestLongByItselfResumes has a planner, a critic that learns, and the middle of the clock of a teacher.
func TestByItselfResumes(t *testing.T) {
	resumesByItself(t, byItself{"mutual-tiny", []string{"experiment.variants={}", "mutual.mode=one-way"}, true})
}

// byItself is a run that plays by itself.
type byItself struct {
	recipe string
	sets   []string
	frozen bool // the teacher is
}

func resumesByItself(t *testing.T, cases ...byItself) {
	t.Helper()
	for _, c := range cases {
		sets := append([]string{"training.checkpoint=2"}, c.sets...)
		whole := quick(t, c.recipe, sets...)
		want, err := train.Run(t.Context(), whole)
		if err != nil {
			t.Fatal(err)
		}
		broken := quick(t, c.recipe, sets...)
		if _, err := train.Run(stopAfter(&broken, train.Updated, 3), broken); !errors.Is(err, train.ErrInterrupted) {
			t.Fatalf("%s: interrupted with %v", c.recipe, err)
		}
		broken.Resume, broken.Recipe, broken.Observe, broken.Language = true, nil, nil, whole.Recipe.Language()
		got, err := train.Run(t.Context(), broken)
		if err != nil {
			t.Fatal(err)
		}
		if string(metricsFile(t, got.Dir)) != string(metricsFile(t, want.Dir)) {
			t.Errorf("%s: metrics.jsonl differs from that of an unbroken run", c.recipe)
		}
		for i, row := range got.Report.Rows {
			if row.Score != want.Report.Rows[i].Score || row.Play["steps"] != want.Report.Rows[i].Play["steps"] {
				t.Errorf("%s: row %s is %+v, of the unbroken run %+v", c.recipe, row.System, row, want.Report.Rows[i])
			}
		}
		if _, ok := got.Report.Row(runs.Trained); !ok {
			t.Errorf("%s: no row of the trained team", c.recipe)
		}
		if c.frozen {
			sameTeacher(t, got.Dir)
		}
		costsByRole(t, got.Report)
	}
}

// sameTeacher compares the teacher's adapter after the first checkpoint with that at the end.
func sameTeacher(t *testing.T, dir string) {
	t.Helper()
	exported, err := filepath.Glob(filepath.Join(dir, "adapters", "*", "adapter_model.safetensors"))
	if err != nil || len(exported) != 1 {
		t.Fatalf("adapters %v, %v", exported, err)
	}
	name := filepath.Join(filepath.Base(filepath.Dir(exported[0])), "adapter_model.safetensors")
	first, err := os.ReadFile(filepath.Join(runs.CheckpointDir(dir, 2), name))
	if err != nil {
		t.Fatal(err)
	}
	last, err := os.ReadFile(exported[0])
	if err != nil || string(first) != string(last) {
		t.Errorf("a teacher that does not learn has changed (%v)", err)
	}
}

// costsByRole: reports say what each role was asked. A planner and its critic are asked as often as the row has queries; a teacher before every step
// of its student, and all tokens are the teacher's.
func costsByRole(t *testing.T, r runs.Report) {
	t.Helper()
	for _, row := range r.Rows {
		if planner, plans := row.Costs["planner"]; plans {
			scored := 0.0
			if row.System == runs.Trained {
				scored = row.Play["queries"]
			}
			if planner["queries"] != row.Play["queries"] || row.Costs["critic"]["queries"] != scored || planner["queries"] == 0 {
				t.Errorf("%s: %s costs %v, plays %v", r.Recipe, row.System, row.Costs, row.Play)
			}
			continue
		}
		teacher, student := row.Costs["teacher"], row.Costs["student"]
		if student["queries"] != row.Play["steps"] || teacher["queries"] != row.Play["steps"] || teacher["tokens"] != row.TokensPerProblem || student["tokens"] != 0 {
			t.Errorf("%s: %s costs %v, plays %v with %v tokens", r.Recipe, row.System, row.Costs, row.Play, row.TokensPerProblem)
		}
	}
}
