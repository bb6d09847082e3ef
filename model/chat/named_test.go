package chat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"parley/model/chat/jinja"
)

// TestNamedTemplates: of several templates the one that transformers takes is taken, and it has the same tokens (bench/templates/named.py).
func TestNamedTemplates(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "named.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]struct {
		Files map[string]string
		Texts map[string]*string
	}
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	tools := map[string][]any{"plain": nil, "no tools": {}, "tools": {jinja.NewObject("type", "function")}}
	for name, c := range cases {
		folder := fstest.MapFS{}
		for file, text := range c.Files {
			folder[file] = &fstest.MapFile{Data: []byte(text)}
		}
		tmpl, err := LoadFS(folder, ".")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for given, want := range c.Texts {
			got, err := tmpl.Render(Input{Messages: []Message{NewMessage("user", "x")}, Tools: tools[given]})
			if (want == nil) != (err != nil) || want != nil && got != *want {
				t.Errorf("%s, %s: %q, %v", name, given, got, err)
			}
		}
	}
}

// TestToolsTemplate: a template for tools that cannot be read fails conversations with tools alone; GGUF files have one too.
func TestToolsTemplate(t *testing.T) {
	tmpl, err := FromGGUF(map[string]any{
		"tokenizer.chat_template": "D{{ pad_token }}", "tokenizer.chat_template.tool_use": "{% if",
		"tokenizer.ggml.tokens": []string{"<a>", "<p>"}, "tokenizer.ggml.padding_token_id": uint32(1),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tmpl.Render(Input{}); err != nil || got != "D<p>" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := tmpl.Render(Input{Tools: []any{}}); err == nil {
		t.Error("a template that is none renders")
	}
}
