package chat

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTurnEncoding: a message without calls is stored as it was before there were any.
func TestTurnEncoding(t *testing.T) {
	for want, turn := range map[string]Turn{
		`{"role":"user","content":"x"}`: {Role: "user", Content: "x"},
		`{"role":"assistant","content":"","tool_calls":[{"id":"c","name":"f","arguments":"{}"}]}`: {Role: "assistant", ToolCalls: []Call{{"c", "f", "{}"}}},
		`{"role":"tool","content":"34","tool_call_id":"c"}`:                                       {Role: "tool", Content: "34", ToolCallID: "c"},
	} {
		got, err := json.Marshal(turn)
		var back Turn
		if err != nil || string(got) != want || json.Unmarshal(got, &back) != nil || !back.Equal(turn) {
			t.Errorf("%+v is %s, %v, expected %s", turn, got, err, want)
		}
	}
}

// goldenTemplate is one of testdata.
func goldenTemplate(t *testing.T, name string) *Template {
	t.Helper()
	folder := filepath.Join("testdata", "templates")
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		folder = filepath.Join(dir, "chat", "templates")
	}
	data, err := os.ReadFile(filepath.Join(folder, name+".jinja"))
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := Parse(string(data))
	if err != nil {
		t.Fatal(err)
	}
	tmpl.Tokens = map[string]string{"bos_token": "<s>", "eos_token": "</s>"}
	return tmpl
}

// TestCallStyles: each template has the first style that prints a call's name, or none.
func TestCallStyles(t *testing.T) {
	styles := map[string]string{
		"qwen2.5": "null, object", "qwen3": "null, object", "mistral-v0.3": "null, object", "mistral-nemo": "null, object", "gpt-oss": "empty, object",
		"chatml": "none", "smollm2": "none",
	}
	if os.Getenv("PARLEY_GOLDENS") != "" { // whose licences keep them out of testdata
		maps.Copy(styles, map[string]string{"llama3.1": "null, object", "llama2": "none", "gemma2": "none", "smollm3": "none", "deepseek-v3": "null, text"})
	}
	for name, want := range styles {
		t.Run(name, func(t *testing.T) {
			tmpl := goldenTemplate(t, name)
			got := "none"
			if style, ok := tmpl.callStyle(); ok {
				got = map[bool]string{true: "empty", false: "null"}[style.empty] + ", " + map[bool]string{true: "text", false: "object"}[style.text]
			}
			if got != want {
				t.Errorf("%s, expected %s", got, want)
			}
		})
	}
}

// TestCallTexts: a conversation with calls is rendered as the template renders it; a template that drops them refuses it.
func TestCallTexts(t *testing.T) {
	const source = `{% for m in messages %}[{{ m.role }}]{{ m.content or '-' }}{% for c in m.tool_calls or [] %}<{{ c.id }} {{ c.function.name }}{% for k, v in c.function.arguments|items %} {{ k }}={{ v }}{% endfor %}>{% endfor %}{{ m.tool_call_id }}{% endfor %}`
	tmpl, err := Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	call := func(arguments string) []Turn {
		return []Turn{
			{Role: "user", Content: "Time?"},
			{Role: "assistant", ToolCalls: []Call{{"c1", "time_in", arguments}, {"c2", "time_in", "{}"}}},
			{Role: "tool", ToolCallID: "c1", Content: "12:04"},
		}
	}
	for arguments, want := range map[string]string{
		`{"tz":"UTC","n":2}`: "[user]Time?[assistant]-<c1 time_in tz=UTC n=2><c2 time_in>[tool]12:04c1",
		"":                   "[user]Time?[assistant]-<c1 time_in><c2 time_in>[tool]12:04c1",
	} {
		in, err := tmpl.Input(Dialogue{Turns: call(arguments)}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tmpl.Render(in); err != nil || got != want {
			t.Errorf("%q: %q, %v", arguments, got, err)
		}
	}
	for _, arguments := range []string{"[1,2]", "not json"} { // which this template cannot go through
		if _, err := tmpl.Input(Dialogue{Turns: call(arguments)}, time.Time{}); err == nil {
			t.Errorf("%q was taken", arguments)
		}
	}
	first, err := Parse(strings.Replace(source, "m.tool_calls or []", "(m.tool_calls or [])[:1]", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Input(Dialogue{Turns: call("{}")}, time.Time{}); !errors.Is(err, ErrNoCalls) {
		t.Errorf("a template that prints the first of two calls: %v", err)
	}
	if _, err := goldenTemplate(t, "chatml").Input(Dialogue{Turns: call("{}")}, time.Time{}); !errors.Is(err, ErrNoCalls) {
		t.Errorf("a template without calls: %v", err)
	}
}

// TestToolControl: what a definition writes like a control token is content too.
func TestToolControl(t *testing.T) {
	tools, err := ToolsOf([]json.RawMessage{json.RawMessage(`{"type":"function","function":{"name":"f","description":"<|im_end|> & more"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	tmpl := goldenTemplate(t, "qwen2.5")
	in, err := tmpl.Input(Dialogue{Turns: []Turn{{Role: "user", Content: "x"}}, Tools: tools}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	text, at, err := tmpl.RenderContent(in, NewControl([]string{"<|im_start|>", "<|im_end|>"}))
	if own := strings.Index(text, "<|im_end|> & more"); err != nil || own < 0 || len(at) == 0 || at[0] != own {
		t.Errorf("content at %v, %v, in %q", at, err, text)
	}
}
