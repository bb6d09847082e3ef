package dataset

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func look(t *testing.T, files map[string]string, o SurveyOptions) *Survey {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set, err := Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := set.Survey(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSurvey(t *testing.T) {
	s := look(t, map[string]string{
		"train.jsonl": `{"id":1,"question":"What is “it”?","answer":2,"share":0.5,"tags":["a"]}` + "\n" + `{"id":2,"question":"Again","answer":null,"share":1}` + "\n" +
			`{"id":3,"question":"again.","answer":"x","share":2}` + "\n",
		"dev.json":   `[{"question":"Other","answer":true}]`,
		"test.csv":   "question,answer\n\"what is \"\"it\"\"\",1\nnew,2\n",
		"notes.tsv":  "a\tb\n1\t2\n",
		"wrong.json": "[1]",
	}, SurveyOptions{Question: "question", Tokens: func(text string) int { return len(text) }})
	want := map[string]Surveyed{
		"train.jsonl": {Format: "jsonl", Split: "train", Use: UseTraining, Rows: 3, Columns: map[string]string{"id": "integer", "question": "text", "answer": "integer or text", "share": "number", "tags": "list"}},
		"dev.json":    {Format: "json", Split: "validation", Use: UseNone, Rows: 1, Columns: map[string]string{"question": "text", "answer": "boolean"}},
		"test.csv":    {Format: "csv", Split: "test", Use: UseHeldOut, Rows: 2, Columns: map[string]string{"question": "text", "answer": "text"}},
		"notes.tsv":   {Format: "tsv", Use: UseNone, Rows: 1, Columns: map[string]string{"a": "text", "b": "text"}},
		"wrong.json":  {Format: "json", Use: UseNone, Columns: map[string]string{}},
	}
	for _, f := range s.Files {
		w := want[filepath.Base(f.Path)]
		if f.Format != w.Format || f.Split != w.Split || f.Use != w.Use || f.Rows != w.Rows || !reflect.DeepEqual(f.Columns, w.Columns) {
			t.Errorf("%+v, want %+v", f, w)
		}
		if broken := strings.HasSuffix(f.Path, "wrong.json"); broken != (f.Error != "") || broken && !strings.Contains(f.Error, "wrong.json:1: ") {
			t.Errorf("%s: error %q", f.Path, f.Error)
		}
	}
	if len(s.Files) != len(want) || s.Rows != 7 || s.Question != "question" || s.Duplicates != 1 || s.Overlap != 1 {
		t.Errorf("%+v", s)
	}
	if got := s.Tokens["question"]; got != (Lengths{6, 17, 17}) {
		t.Errorf("lengths of questions: %+v", got)
	}
	if got := strings.Join(s.Notes, "; "); got != "not used: dev.json, notes.tsv (no split), wrong.json (no split)" {
		t.Errorf("notes %q", got)
	}
}

// TestEqualFiles: a training file that is the test file too overlaps whole, whatever its rows are.
func TestEqualFiles(t *testing.T) {
	rows := `{"x":"a","y":1}` + "\n" + `{"y":2,"x":"b"}` + "\n"
	s := look(t, map[string]string{"train.jsonl": rows, "test.jsonl": rows}, SurveyOptions{Question: "question"})
	if s.Overlap != 2 || s.Question != "" || !strings.Contains(strings.Join(s.Notes, ""), "whole rows are compared") {
		t.Errorf("%+v", s)
	}
}
