package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
