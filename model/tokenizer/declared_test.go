package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// declaredCases are folders of files, and what transformers makes of them (bench/tokenizer/declared.py).
type declaredCases struct {
	Text  string
	Cases map[string]struct {
		Files   map[string]json.RawMessage
		IDs     []int
		Tokens  []string
		Decoded string
		Named   map[string]string
	}
}

func TestDeclaredTokens(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "declared.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all declaredCases
	if err := json.Unmarshal(data, &all); err != nil || len(all.Cases) < 30 {
		t.Fatalf("%d cases, %v", len(all.Cases), err)
	}
	for name, c := range all.Cases {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{}
			for file, text := range c.Files {
				folder[file] = &fstest.MapFile{Data: text}
			}
			tok, err := LoadFS(folder)
			if err != nil {
				t.Fatal(err)
			}
			var tokens []string
			for id := range tok.Size() {
				token, _ := tok.Token(id)
				tokens = append(tokens, token)
			}
			if !slices.Equal(tokens, c.Tokens) {
				t.Errorf("tokens %q, want %q", tokens, c.Tokens)
			}
			ids, err := tok.Encode(all.Text, false)
			if err != nil || !slices.Equal(ids, c.IDs) {
				t.Errorf("ids %v, want %v; %v", ids, c.IDs, err)
			}
			if got := tok.Decode(c.IDs, false); got != c.Decoded {
				t.Errorf("text %q, want %q", got, c.Decoded)
			}
			checkNames(t, folder, c.Named)
		})
	}
}

// checkNames compares the named tokens. The one that a tokenizer.json pads with is a name to transformers alone.
func checkNames(t *testing.T, folder fstest.MapFS, want map[string]string) {
	t.Helper()
	declared, err := ReadDeclared(folder, ".")
	if err != nil {
		t.Fatal(err)
	}
	got := declared.Texts()
	for name, text := range want {
		if got[name] != text && name != "pad_token" {
			t.Errorf("%s is %q, want %q", name, got[name], text)
		}
	}
	if _, ok := want["pad_token"]; len(got) != len(want) && !(ok && got["pad_token"] == "") {
		t.Errorf("names %v, want %v", got, want)
	}
}

// TestClassTokens: the tokens that come with a tokenizer's class are those that transformers' AutoTokenizer has (bench/tokenizer/classes.py).
func TestClassTokens(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "classes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct {
		Files  map[string]json.RawMessage
		Tokens []string
		Named  map[string]string
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all) < 25 {
		t.Fatalf("%d cases, %v", len(all), err)
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{}
			for file, text := range c.Files {
				folder[file] = &fstest.MapFile{Data: text}
			}
			for rows, want := range map[int][]string{0: c.Tokens, 5: c.Tokens[:min(5, len(c.Tokens))]} {
				tok, err := LoadRows(folder, rows)
				if err != nil {
					t.Fatal(err)
				}
				var tokens []string
				for id := range tok.Size() {
					token, _ := tok.Token(id)
					tokens = append(tokens, token)
				}
				if rows > 0 && statesTokens(folder) {
					continue // which are not left out
				}
				if !slices.Equal(tokens, want) {
					t.Errorf("%d rows: tokens %q, want %q", rows, tokens, want)
				}
			}
			checkNames(t, folder, c.Named)
		})
	}
}

// statesTokens reports whether the files name tokens of their own.
func statesTokens(folder fstest.MapFS) bool {
	config := folder["tokenizer_config.json"]
	return config != nil && strings.Contains(string(config.Data), `_token":`) || folder["special_tokens_map.json"] != nil
}
