package tokenizer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBytes: the bytes of tokens, one after another, are the text of all.
func TestBytes(t *testing.T) {
	folders, err := os.ReadDir("testdata/tiny")
	if err != nil {
		t.Fatal(err)
	}
	spelled := 0
	for _, folder := range folders {
		tok, err := Parse(readGolden(t, filepath.Join("testdata/tiny", folder.Name(), "tokenizer.json")))
		if err != nil {
			t.Fatal(err)
		}
		if !tok.Spells() {
			if _, ok := tok.Spelling(5); ok {
				t.Errorf("%s: a token has bytes", folder.Name())
			}
			continue
		}
		spelled++
		const text = "x\n{\"é\": [1, 25], \"a漢😀b\": \"the  end\"}"
		var joined []byte
		for _, id := range encoded(t, tok, text, false) {
			b, ok := tok.Spelling(id)
			if !ok && !tok.Special(id) {
				t.Errorf("%s: token %d has no bytes", folder.Name(), id)
			}
			joined = append(joined, b...)
		}
		want := tok.Decode(encoded(t, tok, text, false), false)
		if got := strings.TrimPrefix(validUTF8(string(joined)), " "); got != strings.TrimPrefix(want, " ") { // of the text's beginning a space may be taken
			t.Errorf("%s: %q, want %q", folder.Name(), got, want)
		}
	}
	if spelled < 5 {
		t.Errorf("only %d of %d tokenizers tell the bytes of their tokens", spelled, len(folders))
	}
}

func TestBytesOfTokens(t *testing.T) {
	tok, err := Parse([]byte(`{"model": {"type": "BPE", "byte_fallback": true, "vocab": {"<0x0A>": 0, "▁a": 1, "b": 2, "</s>": 3, "<x>": 4}, "merges": []},
		"added_tokens": [{"id": 3, "content": "</s>", "special": true}, {"id": 4, "content": "<x>", "special": false}],
		"decoder": {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int]string{0: "\n", 1: " a", 2: "b", 3: "none", 4: "<x>", 5: "none"} {
		got, ok := tok.Spelling(id)
		if !ok {
			got = []byte("none")
		}
		if string(got) != want {
			t.Errorf("token %d: %q, want %q", id, got, want)
		}
	}
}
