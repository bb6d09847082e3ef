package model_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/model"
	"parley/model/chat"
	"parley/model/chat/jinja"
	"parley/team"
)

func openModel(t *testing.T, name string) *model.Model {
	t.Helper()
	m, err := model.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// TestPromptIsTheTemplatesText: a prompt is the tokens of what the chat template prints, up to where the model speaks.
func TestPromptIsTheTemplatesText(t *testing.T) {
	m := openModel(t, model.Shipped)
	got, err := m.Prompt([]team.Message{{Role: "user", Content: "2+2?"}, {Role: "assistant", Content: "4"}, {Role: "user", Content: "Sure?"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "<|user|>2+2?<|end|><|assistant|>4<|end|><|user|>Sure?<|end|><|assistant|>"
	if text := m.Tokenizer.Decode(got, true); text != want {
		t.Errorf("the prompt is %q, want %q", text, want)
	}
	if text := m.Text(got); text != "2+2?4Sure?" {
		t.Errorf("without special tokens the prompt is %q", text)
	}
}

// encoded are the tokens of a text.
func encoded(t interface{ Fatal(args ...any) }, m *model.Model, text string) []int {
	ids, err := m.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// TestCodecRoundTrip: the tokens of any answer give its text back, and hold no special tokens, whatever an answer spells.
func TestCodecRoundTrip(t *testing.T) {
	m := openModel(t, model.Shipped)
	rapid.Check(t, func(t *rapid.T) {
		answer := strings.ToValidUTF8(rapid.StringOf(rapid.RuneFrom([]rune("ab 0123é\n漢"))).Draw(t, "answer"), "")
		tokens := encoded(t, m, answer)
		if got := m.Text(tokens); got != answer {
			t.Fatalf("%q became %q", answer, got)
		}
		if slices.ContainsFunc(tokens, func(id int) bool { return slices.Contains(m.Stop(), id) }) {
			t.Fatalf("%q has an end token: %v", answer, tokens)
		}
	})
}

// TestPromptWithoutTemplate: a base model without a chat template reads messages as plain text, a blank line between them.
func TestPromptWithoutTemplate(t *testing.T) {
	m := openModel(t, copyBase(t, "config.json", "model.safetensors", "tokenizer.json"))
	got, err := m.Prompt([]team.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "2+2?"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := m.Tokenizer.Decode(got, true); text != "Be brief.\n\n2+2?" {
		t.Errorf("the prompt is %q", text)
	}
	if _, _, err := m.Mask(chat.Input{}); !errors.Is(err, chat.ErrNoTemplate) {
		t.Errorf("a mask without a template: %v", err)
	}
	if err := m.CheckPrefix(); err != nil {
		t.Errorf("plain text goes on from turn to turn: %v", err)
	}
}

// TestRefusedDialogue: what a template refuses is an error of the prompt, in the template's own words.
func TestRefusedDialogue(t *testing.T) {
	dir := copyBase(t, "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
	writeFile(t, filepath.Join(dir, "chat_template.jinja"), []byte("{{ raise_exception('roles must alternate') }}"))
	_, err := openModel(t, dir).Prompt(dialogue)
	var raised *jinja.RaisedError
	if !errors.As(err, &raised) || raised.Message != "roles must alternate" {
		t.Errorf("the error is %v", err)
	}
}

// TestCheckPrefix: a template that drops what was said before is one that later prompts do not continue.
func TestCheckPrefix(t *testing.T) {
	dir := copyBase(t, "config.json", "model.safetensors", "tokenizer.json")
	writeFile(t, filepath.Join(dir, "chat_template.jinja"), []byte("{{ messages[-1].content }}"))
	if err := openModel(t, dir).CheckPrefix(); !errors.Is(err, chat.ErrRewrites) {
		t.Errorf("the error is %v", err)
	}
}

// TestMaskOfChangedText: where the tokenizer changes a text, no place in it can be found in the tokens.
func TestMaskOfChangedText(t *testing.T) {
	dir := copyBase(t, "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
	path := filepath.Join(dir, "tokenizer.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var tok map[string]any
	unmarshal(t, text, &tok)
	tok["normalizer"] = map[string]any{"type": "NFC"}
	writeFile(t, path, marshal(t, tok))
	m := openModel(t, dir)
	for content, want := range map[string]error{"caf\u00e9": nil, "cafe\u0301": model.ErrNotReversible} {
		in := chat.Input{Messages: []chat.Message{jinja.NewObject("role", "user", "content", content), jinja.NewObject("role", "assistant", "content", "ok")}}
		if _, _, err := m.Mask(in); !errors.Is(err, want) {
			t.Errorf("%+q: error %v, want %v", content, err, want)
		}
	}
}

func unmarshal(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
