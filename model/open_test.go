package model

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/model/modeltest"
)

// TestOpenForeignTokenizer: a tokenizer with more tokens than the embedding has rows belongs to another model.
func TestOpenForeignTokenizer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "base")
	if err := os.CopyFS(dir, os.DirFS("../train/testdata/tiny-base")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "tokenizer.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const list = `"added_tokens": [`
	foreign := strings.Replace(string(text), list, list+`{"id": 4000, "content": "<foreign>", "special": true},`, 1)
	if foreign == string(text) {
		t.Fatal("no list of added tokens")
	}
	if err := os.WriteFile(path, []byte(foreign), 0o644); err != nil {
		t.Fatal(err)
	}
	if m, err := Open(dir); err == nil {
		m.Close()
		t.Error("a tokenizer of another model is accepted")
	} else if !strings.Contains(err.Error(), "embedding only") {
		t.Errorf("the error is: %v", err)
	}
}

// TestOpenDeclaredTokens: tokens that stand beside tokenizer.json get the next rows of the embedding. One without a row is refused by name.
func TestOpenDeclaredTokens(t *testing.T) {
	dir := modeltest.Padded(t, 600, 600)
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	size, rows := m.Tokenizer.Size(), m.embeddings()
	m.Close()
	if rows <= size {
		t.Fatalf("%d rows for %d tokens", rows, size)
	}
	declare := func(dir, tokens string) {
		if err := os.WriteFile(filepath.Join(dir, "special_tokens_map.json"), []byte(tokens), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	declare(dir, `{"pad_token":"<|padding|>","additional_special_tokens":["<|more|>"]}`)
	if m, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	ids, err := m.Encode("a")
	inside, err2 := m.Tokenizer.Encode("a<|padding|><|more|>", false)
	if want := append(ids, size, size+1); err != nil || err2 != nil || !slices.Equal(inside, want) {
		t.Errorf("ids %v, want %v; %v, %v", inside, want, err, err2)
	}
	if content, err := m.Encode("<|more|>"); err != nil || slices.Contains(content, size+1) {
		t.Errorf("content becomes the special token: %v, %v", content, err)
	}
	m.Close()

	dir = filepath.Join(t.TempDir(), "base")
	if err := os.CopyFS(dir, os.DirFS("../train/testdata/tiny-base")); err != nil {
		t.Fatal(err)
	}
	declare(dir, `{"eos_token":"<|none|>"}`)
	if m, err = Open(dir); err == nil {
		m.Close()
		t.Error("a token without a row is accepted")
	} else if !strings.Contains(err.Error(), `"<|none|>"`) {
		t.Errorf("the error is: %v", err)
	}
}
