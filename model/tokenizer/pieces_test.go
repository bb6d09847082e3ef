package tokenizer

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
)

// TestPieces: tokenizers put together at random encode and decode as the reference does, or are refused; see bench/tokenizer/pieces.py.
func TestPieces(t *testing.T) {
	charsmap := charsmapOf(t, "tiny-t5")
	lines := bytes.Split(bytes.TrimSpace(readGolden(t, "testdata/pieces.jsonl")), []byte("\n"))
	refused := 0
	for _, line := range lines {
		var g struct {
			File  json.RawMessage
			Cases [][3]json.RawMessage
		}
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		tok, err := Parse(bytes.ReplaceAll(g.File, []byte(`"T5"`), charsmap))
		if err != nil {
			refused++
			t.Logf("%v", err)
			continue
		}
		for _, c := range g.Cases {
			var text, decoded string
			var want []int
			for i, into := range []any{&text, &want, &decoded} {
				if err := json.Unmarshal(c[i], into); err != nil {
					t.Fatal(err)
				}
			}
			got := encoded(t, tok, text, false)
			if !slices.Equal(got, want) {
				t.Errorf("%s\non %+q: %v, want %v", g.File, text, got, want)
			} else if back := tok.Decode(got, true); back != decoded {
				t.Errorf("%s\n%v is %q, want %q", g.File, got, back, decoded)
			}
		}
	}
	if refused > len(lines)/10 {
		t.Errorf("%d of %d tokenizers are refused", refused, len(lines))
	}
}

// charsmapOf is the table of replacements of a tokenizer, as it stands in the file.
func charsmapOf(t *testing.T, name string) json.RawMessage {
	var f struct {
		Normalizer struct {
			Map         json.RawMessage `json:"precompiled_charsmap"`
			Normalizers []struct {
				Map json.RawMessage `json:"precompiled_charsmap"`
			}
		}
	}
	if err := json.Unmarshal(readGolden(t, filepath.Join("testdata", "tiny", name, "tokenizer.json")), &f); err != nil {
		t.Fatal(err)
	}
	for _, n := range f.Normalizer.Normalizers {
		if n.Map != nil {
			return n.Map
		}
	}
	return f.Normalizer.Map
}
