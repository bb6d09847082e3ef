package jinja

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
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

// now is the time that strftime_now gave when the snippets were rendered.
var now = time.Date(2026, 7, 14, 9, 5, 3, 0, time.UTC)

func renderSource(source string, variables *Object) (string, error) {
	tmpl, err := Parse(source)
	if err != nil {
		return "", err
	}
	text, _, err := tmpl.Render(variables, now)
	return text, err
}

func TestErrorsNameTheLine(t *testing.T) {
	for source, want := range map[string]string{
		"a\n\n{{ 1 + }}":                         "line 3: ",
		"a\n{# x\n #}{% include 'x' %}":          "line 3: tag \"include\" is not supported",
		"a\n{{ x|nosuch }}":                      "line 2: filter \"nosuch\" is not supported",
		"{% if true %}\n{{ none + 1 }}{%endif%}": "line 2: ",
		"\n{{ raise_exception('no\nway') }}":     "line 2: no\nway",
		"{% if true %}\n\nx":                     "line 3: the template ends where {% endif %} is missing",
		"x\n{% for a in b %}\n{% endif %}":       "line 3: found {% endif %} where {% endfor %} is missing",
		"\r\n\r\n{{ 'a' - 1 }}":                  "line 3: ",
	} {
		_, err := renderSource(source, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", source, err, want)
		}
	}
}

// TestNamesOfJinja: what Jinja has under a name and this package has not is refused, not taken for undefined.
func TestNamesOfJinja(t *testing.T) {
	for _, source := range []string{
		"{{ joiner is defined }}", "{{ self }}", "{{ lipsum() }}", "{% set c = cycler('a') %}", "{% macro m() %}{{ varargs }}{% endmacro %}{{ m() }}",
		"{% macro m() %}{% endmacro %}{{ m.name }}",
	} {
		if got, err := renderSource(source, nil); err == nil || !strings.Contains(err.Error(), "not supported") {
			t.Errorf("%s: %q, %v", source, got, err)
		}
	}
	if got, err := renderSource("{% set self = 1 %}{{ self }}", nil); err != nil || got != "1" {
		t.Errorf("a name that the template sets: %q, %v", got, err)
	}
}

func TestRaised(t *testing.T) {
	_, err := renderSource("{% macro m() %}{{ raise_exception('no ' ~ 1) }}{% endmacro %}{{ m() }}", nil)
	var raised *RaisedError
	if !errors.As(err, &raised) || raised.Message != "no 1" {
		t.Errorf("got %v", err)
	}
}
