package chat

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// snippet is a small template and what jinja2 makes of it.
type snippet struct {
	Source   string
	Expected *string
	Error    string
}

// readSnippets reads testdata/jinja.jsonl: the variables in the first line, then one snippet a line.
func readSnippets(t testing.TB) (*Object, []snippet) {
	t.Helper()
	f, err := os.Open("testdata/jinja.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var first struct{ Variables *Object }
	var list []snippet
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan(); n++ {
		var s snippet
		into := any(&s)
		if n == 0 {
			into = &first
		}
		if err := json.Unmarshal(lines.Bytes(), into); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			list = append(list, s)
		}
	}
	if err := lines.Err(); err != nil || len(list) == 0 {
		t.Fatalf("%d snippets, %v", len(list), err)
	}
	return first.Variables, list
}

// unsupported are snippets that jinja2 renders and this package refuses, with a word of the error that says so.
var unsupported = map[string]string{
	`{{ 5 .real }}|`: "real",
}

func TestJinja(t *testing.T) {
	variables, snippets := readSnippets(t)
	for _, s := range snippets {
		got, err := renderSource(s.Source, variables)
		switch {
		case unsupported[s.Source] != "":
			if err == nil || !strings.Contains(err.Error(), unsupported[s.Source]) {
				t.Errorf("%q: got %q %v, want an error that says %q", s.Source, got, err, unsupported[s.Source])
			}
		case s.Expected != nil && (err != nil || got != *s.Expected):
			t.Errorf("%q:\ngot  %q %v\nwant %q", s.Source, got, err, *s.Expected)
		case s.Expected == nil && err == nil:
			t.Errorf("%q: got %q, want %s", s.Source, got, s.Error)
		}
	}
}

func renderSource(source string, variables *Object) (string, error) {
	tmpl, err := Parse(source)
	if err != nil {
		return "", err
	}
	return tmpl.Render(Input{Extra: variables, Now: goldenNow})
}
