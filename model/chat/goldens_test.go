package chat

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/model/chat/jinja"
)

// goldens is the folder chat/ of the shared goldens, or this package's part of it.
func goldens() string {
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		return filepath.Join(dir, "chat")
	}
	return "testdata"
}

// goldenNow is the time that strftime_now gave when the goldens were made.
var goldenNow = time.Date(2026, 7, 14, 9, 5, 3, 0, time.UTC)

// goldenCase is one conversation and what the reference makes of it.
type goldenCase struct {
	Name                string
	Messages            []*jinja.Object
	Tools               json.RawMessage
	AddGenerationPrompt bool `json:"add_generation_prompt"`
	ContinueFinal       bool `json:"continue_final_message"`
	Kwargs              *jinja.Object
	Expected            *string
	Error               string
	ErrorType           string   `json:"error_type"`
	Spans               [][2]int `json:"generation_byte_spans"`
}

// input makes the case's input; variables are those of the template.
func (c *goldenCase) input(t *testing.T, variables *jinja.Object) Input {
	t.Helper()
	in := Input{
		Messages: c.Messages, AddGenerationPrompt: c.AddGenerationPrompt, ContinueFinal: c.ContinueFinal, Now: goldenNow,
		Extra: variables.Clone(),
	}
	for _, key := range c.Kwargs.Keys() {
		v, _ := c.Kwargs.Get(key)
		in.Extra.Set(key, v)
	}
	if len(c.Tools) > 0 {
		tools, err := jinja.DecodeJSON(c.Tools)
		if err != nil {
			t.Fatal(err)
		}
		in.Tools, _ = tools.([]any)
	}
	return in
}

// check compares one outcome with the reference's.
func (c *goldenCase) check(t *testing.T, text string, spans []jinja.Span, err error) {
	t.Helper()
	var raised *jinja.RaisedError
	switch {
	case c.Expected != nil && err != nil:
		t.Errorf("error %v, want text", err)
	case c.Expected != nil && text != *c.Expected:
		t.Errorf("got  %q\nwant %q", text, *c.Expected)
	case c.Expected == nil && err == nil:
		t.Errorf("got text %q, want error %s", text, c.Error)
	case c.ErrorType == "raise_exception" && (!errors.As(err, &raised) || raised.Message != c.Error):
		t.Errorf("got error %v, want the template's own %q", err, c.Error)
	case c.ErrorType != "raise_exception" && errors.As(err, &raised):
		t.Errorf("got the template's own error %v, want a %s", err, c.ErrorType)
	}
	if c.Spans == nil {
		return
	}
	got := [][2]int{}
	for _, s := range spans {
		got = append(got, [2]int{s.Start, s.End})
	}
	if !reflect.DeepEqual(got, c.Spans) {
		t.Errorf("assistant spans %v, want %v", got, c.Spans)
	}
}

func TestGoldensChat(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(goldens(), "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index map[string]struct{ Variables *jinja.Object }
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	templates, err := filepath.Glob(filepath.Join(goldens(), "templates", "*.jinja"))
	if err != nil || len(templates) == 0 || len(templates) != len(index) {
		t.Fatalf("%d templates, %d in the index, %v", len(templates), len(index), err)
	}
	for _, path := range templates {
		name := strings.TrimSuffix(filepath.Base(path), ".jinja")
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			cases := goldenCases(t, name)
			tmpl, parseErr := Parse(string(source))
			for _, c := range cases {
				t.Run(c.Name, func(t *testing.T) {
					if parseErr != nil {
						c.check(t, "", nil, parseErr)
						return
					}
					text, spans, err := tmpl.RenderWithMask(c.input(t, index[name].Variables))
					c.check(t, text, spans, err)
				})
			}
		})
	}
}

func goldenCases(t *testing.T, name string) []goldenCase {
	t.Helper()
	f, err := os.Open(filepath.Join(goldens(), "cases", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []goldenCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c goldenCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	return cases
}
