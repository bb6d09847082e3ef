package chat

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/model/chat/jinja"
)

func golden(t *testing.T, name string) *Template {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(goldens(), "templates", name+".jinja"))
	if err != nil {
		t.Fatal(err)
	}
	return mustParse(t, string(source))
}

// Published templates that keep what they printed, drop reasoning, and keep it.
func TestCheckPrefix(t *testing.T) {
	for name, rewrites := range map[string]string{"chatml": "", "smollm2": "", "qwen2.5": "", "qwen3": "the reasoning of answers", "mistral-nemo": ""} {
		err := golden(t, name).CheckPrefix()
		if (rewrites != "") != errors.Is(err, ErrRewrites) || rewrites != "" && !strings.HasSuffix(err.Error(), rewrites) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := mustParse(t, "{{ messages|length }}").CheckPrefix(); !errors.Is(err, ErrRewrites) {
		t.Errorf("a template that begins with the number of messages: %v", err)
	}
	if err := mustParse(t, "{{ raise_exception('no') }}").CheckPrefix(); err == nil || errors.Is(err, ErrRewrites) {
		t.Errorf("a template that refuses: %v", err)
	}
}

// Without generation blocks the turns come out as the template with such blocks has them.
func TestRenderTurns(t *testing.T) {
	plain := mustParse(t, strings.NewReplacer("{%- generation %}", "", "{% endgeneration %}", "").Replace(ChatML))
	in := Input{Messages: []Message{
		jinja.NewObject("role", "user", "content", "é"), jinja.NewObject("role", "assistant", "content", "ü!"),
		jinja.NewObject("role", "user", "content", "b"), jinja.NewObject("role", "assistant", "content", "c"),
	}}
	text, spans, err := plain.RenderTurns(in)
	want, wanted, err2 := mustParse(t, ChatML).RenderTurns(in)
	if err != nil || err2 != nil || text != want || len(spans) != 2 || spans[0] != wanted[0] || spans[1] != wanted[1] {
		t.Fatalf("%q %v %v, want %q %v %v", text, spans, err, want, wanted, err2)
	}
	if got := text[spans[0].Start:spans[0].End]; got != "ü!<|im_end|>" {
		t.Errorf("turn %q", got)
	}
	_, _, err = mustParse(t, "{{ messages|length }}").RenderTurns(in)
	if !errors.Is(err, ErrRewrites) || !strings.Contains(err.Error(), "message 1") {
		t.Errorf("error %v", err)
	}
}

var generationTag = regexp.MustCompile(`(\{%-?\s*)(end|)generation(\s*-?%\})`)

// Without their generation blocks, golden templates give the golden spans by comparison, but for white space at their ends: the
// block of this template begins with the last character of the prompt.
func TestGoldensTurns(t *testing.T) {
	const name = "qwen2.5-training"
	source, err := os.ReadFile(filepath.Join(goldens(), "templates", name+".jinja"))
	if err != nil {
		t.Fatal(err)
	}
	tmpl := mustParse(t, generationTag.ReplaceAllStringFunc(string(source), func(tag string) string {
		parts := generationTag.FindStringSubmatch(tag)
		if parts[2] == "end" {
			return parts[1] + "endif" + parts[3]
		}
		return parts[1] + "if true" + parts[3]
	}))
	compared := 0
	for _, c := range goldenCases(t, name) {
		if len(c.Spans) == 0 || c.Name == "starts_assistant" { // the template refuses the empty beginning
			continue
		}
		text, spans, err := tmpl.RenderTurns(c.input(t, jinja.NewObject()))
		if errors.Is(err, ErrRewrites) {
			continue
		}
		if err != nil || len(spans) != len(c.Spans) {
			t.Errorf("%s: spans %v, want %v; %v", c.Name, spans, c.Spans, err)
			continue
		}
		for i, s := range spans {
			want := strings.TrimPrefix(strings.TrimRightFunc(text[c.Spans[i][0]:c.Spans[i][1]], jinja.IsSpace), "\n")
			if text[s.Start:s.End] != want {
				t.Errorf("%s: turn %q, want %q", c.Name, text[s.Start:s.End], want)
			}
		}
		compared++
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}
