package gguf

import (
	"errors"
	"strings"
	"testing"
)

// chatML writes messages as many models do; a system message is put before a dialogue that has none.
func chatML(messages []Message, speak bool) (string, error) {
	var b strings.Builder
	b.WriteString("<s>")
	if messages[0].Role != "system" {
		messages = append([]Message{{"system", "You are kind."}}, messages...)
	}
	for _, m := range messages {
		b.WriteString("<|im_start|>" + m.Role + "\n" + m.Content + "<|im_end|>\n")
	}
	if speak {
		b.WriteString("<|im_start|>assistant\n")
	}
	return b.String(), nil
}

// withoutSystem is a template that refuses system messages.
func withoutSystem(messages []Message, speak bool) (string, error) {
	if messages[0].Role == "system" {
		return "", errors.New("no system messages")
	}
	text, err := chatML(messages, speak)
	return strings.Replace(text, "<|im_start|>system\nYou are kind.<|im_end|>\n", "", 1), err
}

// numbered does more than to surround contents.
func numbered(messages []Message, speak bool) (string, error) {
	var b strings.Builder
	for i, m := range messages {
		b.WriteString(strings.Repeat("#", i) + m.Content)
	}
	return b.String(), nil
}

func TestTemplate(t *testing.T) {
	const said = `{{ range .Messages }}{{ if eq .Role "user" }}` + "<|im_start|>user\n{{ .Content }}<|im_end|>\n" +
		`{{ else if eq .Role "assistant" }}` + "<|im_start|>assistant\n{{ .Content }}<|im_end|>\n{{ end }}{{ end }}<|im_start|>assistant\n"
	quotes := func(messages []Message, speak bool) (string, error) {
		text, err := chatML(messages, speak)
		return `"""` + text, err
	}
	braces := func(messages []Message, speak bool) (string, error) {
		text, err := chatML(messages, speak)
		return `{{` + text, err
	}
	for name, c := range map[string]struct {
		render Render
		bos    string
		want   string
	}{
		"chatml":         {chatML, "<s>", "{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ else }}<|im_start|>system\nYou are kind.<|im_end|>\n{{ end }}" + said},
		"without system": {withoutSystem, "<s>", said},
		"bos is text":    {withoutSystem, "", "<s>" + said},
		"more":           {numbered, "", ""},
		"quotes":         {quotes, "", ""},
		"braces":         {braces, "", ""},
	} {
		if got := Template(c.render, c.bos); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestModelfile(t *testing.T) {
	f := Modelfile{From: "./model.gguf", Template: "{{ .Prompt }}", Stop: []string{"<|end|>", "a\n\"b", `\"`}, Temperature: 0.7, TopK: 0}
	want := "FROM ./model.gguf\nTEMPLATE \"\"\"{{ .Prompt }}\"\"\"\nPARAMETER stop \"<|end|>\"\nPARAMETER stop \"\"\"a\n\"b\"\"\"\nPARAMETER stop \"\\\"\"\n" +
		"PARAMETER temperature 0.7\nPARAMETER top_k 0\nPARAMETER top_p 1\nPARAMETER repeat_penalty 1\n"
	if f.String() != want {
		t.Errorf("%s", f)
	}
	f = Modelfile{From: "a", Adapter: "b"}
	if text := f.String(); !strings.HasPrefix(text, "FROM a\nADAPTER b\n# The chat template") {
		t.Errorf("%s", text)
	}
}
