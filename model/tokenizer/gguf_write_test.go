package tokenizer

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// inGGUF says what tokenizer.ggml.pre each tokenizer of the tests has in a GGUF file; the others cannot be in one.
var inGGUF = map[string]string{
	"tiny-gpt2": "gpt-2", "tiny-llama3": "llama-bpe", "tiny-qwen": "qwen2", "tiny-smollm": "smollm", "tiny-deepseek": "deepseek-v3",
	"tiny-llama2": "default", "tiny-mistral": "default", "tiny-gemma": "default", "tiny-phi3": "default",
	"gpt2": "gpt-2", "llama3.1": "llama-bpe", "qwen3": "qwen2", "smollm2": "smollm", "deepseek-v3": "deepseek-v3",
	"llama2-phi3": "default", "mistral-v1": "default",
}

// TestGoldensGGUFMetadata: a tokenizer.json that is written into a GGUF file and read again gives the reference's ids.
func TestGoldensGGUFMetadata(t *testing.T) {
	for _, group := range []string{"tiny", "real"} {
		dirs, err := filepath.Glob(filepath.Join(goldens(), group, "*"))
		if err != nil || len(dirs) == 0 {
			t.Fatalf("no tokenizers in %s/%s", goldens(), group)
		}
		for _, dir := range dirs {
			if exists(filepath.Join(dir, "tokenizer.json")) {
				t.Run(group+"/"+filepath.Base(dir), func(t *testing.T) { checkGGUFMetadata(t, dir) })
			}
		}
	}
}

func checkGGUFMetadata(t *testing.T, dir string) {
	name := filepath.Base(dir)
	from := parseGolden(t, dir)
	meta, note, err := GGUFMetadata(only(readGolden(t, filepath.Join(dir, "tokenizer.json"))), from.Size()+3)
	if want, ok := inGGUF[name]; !ok || err != nil || meta["tokenizer.ggml.pre"] != want {
		if ok || err == nil || !strings.Contains(err.Error(), "tokenizer.json") {
			t.Errorf("words are cut as %v, want %q: %v", meta["tokenizer.ggml.pre"], want, err)
		}
		return
	}
	// Two were made from scratch: the list of merges of one is none of SentencePiece, and the other puts no second space before a text.
	if (note != "") != (name == "tiny-gemma" || name == "tiny-mistral") {
		t.Errorf("note %q", note)
	}
	tok, err := FromGGUF(meta)
	if err != nil {
		t.Fatal(err)
	}
	if tok.Size() != from.Size()+3 || tok.Used(from.Size()) || !tok.Used(from.Size()-1) {
		t.Errorf("%d tokens of %d and 3; the last ones are used: %v %v", tok.Size(), from.Size(), tok.Used(from.Size()-1), tok.Used(from.Size()))
	}
	var texts []golden
	for _, g := range readRecords(t, readGolden(t, filepath.Join(dir, "goldens.jsonl"))) {
		if g.Kind == "text" && !lostInGGUF(name, meta, g) {
			texts = append(texts, g)
		}
	}
	checkRecords(t, tok, texts)
}

// lostInGGUF reports texts that a GGUF file's tokenizer may read in another way: it has no flags of added tokens, SentencePiece's unknown token is none
// that is looked for, and it puts a space before a text, and after a special token, that begins with one.
func lostInGGUF(name string, meta map[string]any, g golden) bool {
	if meta["tokenizer.ggml.model"] == "gpt2" {
		return false
	}
	spaces := strings.HasPrefix(*g.Text, " ") || strings.HasPrefix(*g.Text, sentencePieceSpace) || strings.Contains(*g.Text, "  ")
	return strings.Contains(*g.Text, "<unk>") || strings.HasPrefix(name, "tiny-") && (spaces || g.Tag == "special")
}

// TestGGUFMetadataRefuses names what cannot be in a GGUF file.
func TestGGUFMetadataRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{":  "tokenizer.json",
		"{}": "there is no model",
		`{"model":{"type":"WordLevel","vocab":{"a":0},"unk_token":"a"}}`:                                                          "only byte-level BPE",
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":[],"end_of_word_suffix":"/","byte_fallback":true}}`:                      "only byte-level BPE",
		`{"model":{"type":"BPE","vocab":{"a":0,"Ġ":1},"merges":[]},"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true}}`: "no name",
	} {
		if _, _, err := GGUFMetadata(only([]byte(text)), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %s", text, err, want)
		}
	}
}

// FuzzGGUFMetadata: what is written into a GGUF file is a tokenizer with as many tokens as were asked for, whatever the tokenizer.json says.
func FuzzGGUFMetadata(f *testing.F) {
	const bytes = `{"added_tokens":[{"content":"<e>","special":true}],"model":{"vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]},"pre_tokenizer":{"type":"ByteLevel"}}`
	const pieces = `{"model":{"vocab":{"<0x41>":0,"▁":1,"a":2,"▁a":3},"merges":["▁ a"],"byte_fallback":true},"normalizer":{"type":"Prepend","prepend":"▁"}}`
	f.Add([]byte(bytes), 9)
	f.Add([]byte(pieces), 9)
	f.Add([]byte(`{"model":{"vocab":{"a":0,"b":2},"merges":[]},"pre_tokenizer":{"type":"ByteLevel"}}`), 0)
	f.Fuzz(func(t *testing.T, data []byte, rows int) {
		rows = max(0, min(rows, 1<<12))
		meta, _, err := GGUFMetadata(only(data), rows)
		if err != nil {
			return
		}
		tok, err := FromGGUF(meta)
		if err != nil {
			t.Fatal(err)
		}
		if tokens := meta["tokenizer.ggml.tokens"].([]string); len(tokens) < rows || tok.Size() != len(tokens) {
			t.Fatalf("%d tokens in the list, %d in the tokenizer, want %d", len(tokens), tok.Size(), rows)
		}
	})
}

// only is a folder with a tokenizer.json alone.
func only(data []byte) fs.FS { return fstest.MapFS{"tokenizer.json": {Data: data}} }
