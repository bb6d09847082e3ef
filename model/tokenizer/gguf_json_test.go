package tokenizer

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoldensGGUFJSON: a GGUF file's tokenizer written as tokenizer.json gives the reference's ids too.
func TestGoldensGGUFJSON(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(goldens(), "real", "*", "vocab.gguf*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no GGUF files in %s/real", goldens())
	}
	written := 0
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			meta := readMetadata(t, readGolden(t, filepath.Join(dir, "vocab.gguf")))
			meta["tokenizer.ggml.add_bos_token"] = false
			text, err := GGUFJSON(meta)
			if meta["tokenizer.ggml.model"] != "gpt2" {
				if err == nil || !strings.Contains(err.Error(), "only gpt2 can") {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			written++
			if !bytes.HasSuffix(text, []byte("}\n")) {
				t.Error("the text does not end with a line")
			}
			tok, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			checkRecords(t, tok, readRecords(t, readGolden(t, filepath.Join(dir, "goldens.jsonl"))))
		})
	}
	if written == 0 {
		t.Error("no tokenizer was written")
	}
}
