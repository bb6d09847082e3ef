package textstats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/task"
)

var _ interface {
	task.Task
	task.JointScorer
} = (*Arxiv)(nil)

// writeAbstracts puts a data set into a folder.
func writeAbstracts(t *testing.T, train, test string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"train.jsonl": train, "test.jsonl": test} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const abstracts = `{"article_id":1701.1,"abstract_text":"We study clouds.","title":"Clouds","token_count":3}
{"abstract_text":"We study rain.","title":"Rain"}
`

const others = `{"abstract_text":"We study snow.","title":"Snow"}`

// TestMadeAbstracts: abstracts that are made are as abstracts are that are read, and none is held out and trained on.
func TestMadeAbstracts(t *testing.T) {
	tk, err := NewArxiv(t.Context(), ArxivOptions{Made: true})
	if err != nil {
		t.Fatal(err)
	}
	for split, want := range map[task.Split]int{task.Train: 160, task.Test: 60} {
		problems, err := tk.Problems(split, 1000)
		if err != nil || len(problems) != want || tk.LeftOut() != 0 || !strings.HasPrefix(problems[0].Question, "We study ") {
			t.Errorf("%s has %d problems, %d left out, the first %+v, %v", split, len(problems), tk.LeftOut(), problems[0], err)
		}
	}
}

func TestArxiv(t *testing.T) {
	tk, err := NewArxiv(t.Context(), ArxivOptions{Path: writeAbstracts(t, others, abstracts), Era: EraLatest, Scorer: task.Robust})
	if err != nil {
		t.Fatal(err)
	}
	problems, err := tk.Problems(task.Test, 9)
	if err != nil || len(problems) != 2 {
		t.Fatalf("%v, %v", problems, err)
	}
	if p := problems[0]; p.ID != "1701.1" || p.Question != "We study clouds." || p.Fields["title"] != "Clouds" {
		t.Errorf("first problem %+v", p)
	}
	if problems[1].ID != "line-2" {
		t.Errorf("second problem %+v", problems[1])
	}
	s, err := tk.Score(t.Context(), problems[0], []string{strings.Repeat("word ", 127), strings.Repeat("word ", 128)})
	if err != nil || s.Reward != 0 {
		t.Errorf("127 words earn %v, %v", s.Reward, err)
	}
	if _, err := tk.Score(t.Context(), problems[0], []string{"", "", ""}); err == nil {
		t.Error("three responses are scored")
	}
	if _, err := tk.Problems("val", 1); err == nil {
		t.Error("split val is known")
	}
	if least, greatest := tk.Range(); least != 0 || greatest > NominalMaximum {
		t.Errorf("range %v to %v", least, greatest)
	}
}

// The length bands of both eras around equal lengths: the paper's pays them in full, the later one 0.4.
func TestArxivEras(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("wort ", 150))
	for era, want := range map[Era]float64{EraPaper: 1, EraLatest: 0.4} {
		r, err := ArxivRubric(era)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.ScorePair(task.Standard, text, text, "").LengthRatio; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("era %s pays %v, want %v", era, got, want)
		}
	}
	if _, err := ArxivRubric("2024"); err == nil {
		t.Error("era 2024 is known")
	}
}

func TestArxivErrors(t *testing.T) {
	good := writeAbstracts(t, others, abstracts)
	for name, o := range map[string]ArxivOptions{
		"missing file": {Path: good + ".no"},
		"no abstract":  {Path: writeAbstracts(t, `{"title":"x"}`, abstracts)},
		"empty file":   {Path: writeAbstracts(t, "", abstracts)},
		"not JSON":     {Path: writeAbstracts(t, "{", abstracts)},
		"all held out": {Path: writeAbstracts(t, abstracts, abstracts)},
		"era":          {Path: good, Era: "x"},
		"scorer":       {Path: good, Scorer: "x"},
	} {
		if _, err := NewArxiv(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzReadAbstracts(f *testing.F) {
	f.Add(abstracts)
	f.Add("{}")
	f.Fuzz(func(t *testing.T, text string) {
		problems, err := ReadAbstracts("fuzz", strings.NewReader(text))
		for _, p := range problems {
			if p.ID == "" || p.Question == "" {
				t.Fatalf("problem %+v", p)
			}
		}
		if err == nil && len(problems) == 0 {
			t.Fatal("no problems and no error")
		}
	})
}
