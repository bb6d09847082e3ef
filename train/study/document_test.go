package study_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/recipe/language"
	"parley/train/study"
)

var update = flag.Bool("update", false, "print the tables of docs/studies.md again, from the rows in docs/studies")

// mostBytes bounds the raw rows of all studies.
const mostBytes = 400 << 10

// TestDocument: every shipped study has a place in docs/studies.md, and there stands what its command prints of the rows in docs/studies; of one
// without rows, that it was not run.
func TestDocument(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "studies.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	doc, bytes := string(data), 0
	for _, s := range study.All(language.New()) {
		place := regexp.MustCompile(`(?s)(<!-- study ` + s.Name + ` -->\n)(.*?)(<!-- end -->)`).FindStringSubmatchIndex(doc)
		if place == nil {
			t.Errorf("%s has no place for study %s", page, s.Name)
			continue
		}
		want := "Not run yet.\n"
		rows, err := os.ReadFile(filepath.Join("..", "..", "docs", "studies", s.Name+".jsonl"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes += len(rows); err == nil {
			list, err := study.Decode(rows)
			if err != nil {
				t.Fatal(err)
			}
			want = study.Of(s.Study, s.Plan, list).Markdown()
		}
		if *update {
			doc = doc[:place[4]] + want + doc[place[5]:]
		} else if got := doc[place[4]:place[5]]; got != want {
			t.Errorf("study %s: the page has\n%s\nwant\n%s", s.Name, got, want)
		}
		if !strings.Contains(doc, "\nparley study "+s.Name+"\n") {
			t.Errorf("%s does not say how to run study %s", page, s.Name)
		}
	}
	if bytes > mostBytes {
		t.Errorf("the rows of all studies have %d bytes, expected at most %d", bytes, mostBytes)
	}
	if *update {
		if err := os.WriteFile(page, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDocumentedStudy: the study that the page shows is one.
func TestDocumentedStudy(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "studies.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(# sharing.yaml\n.*?)```").FindSubmatch(data)
	if block == nil {
		t.Fatal("the page shows no study")
	}
	if _, p := load(t, string(block[1])); len(p.Runs) != 12 {
		t.Errorf("it has %d runs", len(p.Runs))
	}
	shown, err := os.ReadFile(filepath.Join("..", "..", ".ci", "commands", "sharing.yaml"))
	if err != nil || string(shown) != string(block[1]) {
		t.Errorf("CI runs another study than the page shows: %v", err)
	}
}
