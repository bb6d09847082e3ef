package tokenizer

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ggufFile reads the metadata of a GGUF file, as far as the goldens need it.
type ggufFile struct {
	t    testing.TB
	data []byte
}

func (f *ggufFile) take(n int) []byte {
	if n > len(f.data) {
		f.t.Fatal(io.ErrUnexpectedEOF)
	}
	b := f.data[:n]
	f.data = f.data[n:]
	return b
}

func (f *ggufFile) u32() uint32 { return binary.LittleEndian.Uint32(f.take(4)) }
func (f *ggufFile) u64() uint64 { return binary.LittleEndian.Uint64(f.take(8)) }
func (f *ggufFile) str() string { return string(f.take(int(f.u64()))) }

func (f *ggufFile) value() any {
	switch kind := f.u32(); kind {
	case 9:
		return f.array()
	default:
		return f.scalar(kind)
	}
}

func (f *ggufFile) scalar(kind uint32) any {
	switch kind {
	case 4:
		return f.u32()
	case 5:
		return int32(f.u32())
	case 6:
		return math.Float32frombits(f.u32())
	case 7:
		return f.take(1)[0] == 1
	case 8:
		return f.str()
	}
	f.t.Fatalf("GGUF value of type %d", kind)
	return nil
}

func (f *ggufFile) array() any {
	kind, n := f.u32(), int(f.u64())
	switch kind {
	case 5:
		return readList[int32](f, kind, n)
	case 6:
		return readList[float32](f, kind, n)
	case 8:
		return readList[string](f, kind, n)
	}
	f.t.Fatalf("GGUF array of type %d", kind)
	return nil
}

func readList[T any](f *ggufFile, kind uint32, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f.scalar(kind).(T)
	}
	return out
}

func readMetadata(t testing.TB, data []byte) map[string]any {
	f := &ggufFile{t, data[16:]} // magic, version, number of tensors
	meta := map[string]any{}
	for range f.u64() {
		key := f.str()
		meta[key] = f.value()
	}
	return meta
}

// TestGoldensGGUF compares the tokenizers that GGUF files carry with the same references.
func TestGoldensGGUF(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(goldens(), "real", "*", "vocab.gguf*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no GGUF files in %s/real", goldens())
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			meta := readMetadata(t, readGolden(t, filepath.Join(dir, "vocab.gguf")))
			records := readRecords(t, readGolden(t, filepath.Join(dir, "goldens.jsonl")))
			// The goldens' tokenizer.json add no BOS.
			meta["tokenizer.ggml.add_bos_token"] = false
			tok, err := FromGGUF(meta)
			if err != nil {
				t.Fatal(err)
			}
			checkRecords(t, tok, records)
		})
	}
}

// TestGoldensLlamacpp compares with the ids that llama.cpp expects for its own texts: an independent reference.
func TestGoldensLlamacpp(t *testing.T) {
	tokenizers := map[string]string{
		"qwen2": "qwen3", "llama-bpe": "llama3.1", "llama-spm": "llama2-phi3", "phi-3": "llama2-phi3", "gpt-2": "gpt2",
	}
	files, err := filepath.Glob(filepath.Join(goldens(), "llamacpp", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no records in %s/llamacpp", goldens())
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			tok := loadGolden(t, filepath.Join(goldens(), "real", tokenizers[name]))
			for _, g := range readRecords(t, readGolden(t, file)) {
				if got := encoded(t, tok, *g.Text, false); !slices.Equal(got, g.IDs) {
					t.Errorf("Encode(%q) = %v, want %v", *g.Text, got, g.IDs)
				}
			}
		})
	}
}

// loadGolden loads the tokenizer of a folder, from its tokenizer.json or from its GGUF file.
func loadGolden(t testing.TB, dir string) *Tokenizer {
	t.Helper()
	if exists(filepath.Join(dir, "tokenizer.json")) {
		return parseGolden(t, dir)
	}
	tok, err := FromGGUF(readMetadata(t, readGolden(t, filepath.Join(dir, "vocab.gguf"))))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestGoldensSmolLM2 checks the vectors that were made for the SmolLM2-135M-Instruct GGUF file.
func TestGoldensSmolLM2(t *testing.T) {
	path := "testdata/smollm2-135m.json"
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		path = filepath.Join(dir, "smollm2-135m.json")
	}
	var want struct {
		Tokenizer struct{ Vectors []golden }
	}
	if err := json.Unmarshal(readGolden(t, path), &want); err != nil {
		t.Fatal(err)
	}
	tok, err := FromGGUF(readMetadata(t, readGolden(t, filepath.Join(goldens(), "real", "smollm2", "vocab.gguf"))))
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Tokenizer.Vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, g := range want.Tokenizer.Vectors {
		if got := encoded(t, tok, *g.Text, true); !slices.Equal(got, g.IDs) {
			t.Errorf("Encode(%q) = %v, want %v", *g.Text, got, g.IDs)
		}
		if got := tok.Decode(g.IDs, true); got != *g.Text {
			t.Errorf("Decode(%v) = %q, want %q", g.IDs, got, *g.Text)
		}
	}
}

// spm is a small SentencePiece vocabulary: "ab" and "bc" are merges, the better one first.
func spm() map[string]any {
	return map[string]any{
		"tokenizer.ggml.model":            "llama",
		"tokenizer.ggml.tokens":           []string{"<unk>", "<s>", "</s>", "▁", "a", "b", "c", "ab", "bc", "▁a", "<0xC3>", "<0xA9>"},
		"tokenizer.ggml.scores":           []float32{0, 0, 0, -1, -1, -1, -1, -3, -2, -4, 0, 0},
		"tokenizer.ggml.token_type":       []int32{2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 6, 6},
		"tokenizer.ggml.bos_token_id":     uint32(1),
		"tokenizer.ggml.eos_token_id":     uint32(2),
		"tokenizer.ggml.unknown_token_id": uint32(0),
	}
}

func TestGGUFSentencePiece(t *testing.T) {
	tok, err := FromGGUF(spm())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		ids  []int
	}{
		{"abc", []int{1, 9, 8}},           // bc before ab, then ▁a
		{"ab", []int{1, 3, 7}},            // ab before ▁a
		{"é", []int{1, 3, 10, 11}},        // bytes
		{"xyb</s>", []int{1, 3, 0, 5, 2}}, // one unknown token for two characters
		{" a", []int{1, 3, 9}},            // the space stays
		{"", []int{1}},
	} {
		if got := encoded(t, tok, c.text, true); !slices.Equal(got, c.ids) {
			t.Errorf("Encode(%q) = %v, want %v", c.text, got, c.ids)
		}
	}
	meta := spm()
	meta["tokenizer.ggml.add_bos_token"] = false
	meta["tokenizer.ggml.add_eos_token"] = true
	meta["tokenizer.ggml.add_space_prefix"] = false
	if tok, err = FromGGUF(meta); err != nil {
		t.Fatal(err)
	}
	if got := encoded(t, tok, "abc", true); !slices.Equal(got, []int{4, 8, 2}) {
		t.Errorf("without prefix, with EOS: %v", got)
	}
}

// TestGGUFErrors: what is missing or wrong is named.
func TestGGUFErrors(t *testing.T) {
	for want, change := range map[string]func(m map[string]any){
		"tokenizer.ggml.tokens is missing":      func(m map[string]any) { delete(m, "tokenizer.ggml.tokens") },
		"tokenizer.ggml.model is missing":       func(m map[string]any) { delete(m, "tokenizer.ggml.model") },
		`tokenizer.ggml.model "rwkv" is not`:    func(m map[string]any) { m["tokenizer.ggml.model"] = "rwkv" },
		"tokenizer.ggml.scores has 1 entries":   func(m map[string]any) { m["tokenizer.ggml.scores"] = []float32{1} },
		"tokenizer.ggml.token_type has 1 entri": func(m map[string]any) { m["tokenizer.ggml.token_type"] = []int32{1} },
		"BOS or EOS is token 99 of 12":          func(m map[string]any) { m["tokenizer.ggml.bos_token_id"] = uint32(99) },
		`tokenizer.ggml.pre "nonsense" is not`: func(m map[string]any) {
			m["tokenizer.ggml.model"], m["tokenizer.ggml.pre"] = "gpt2", "nonsense"
		},
		`tokenizer.ggml.merges[0]: "a b c"`: func(m map[string]any) {
			m["tokenizer.ggml.model"], m["tokenizer.ggml.merges"] = "gpt2", []string{"a b c"}
		},
	} {
		meta := spm()
		change(meta)
		if _, err := FromGGUF(meta); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestGGUFSplits: every known value of tokenizer.ggml.pre compiles.
func TestGGUFSplits(t *testing.T) {
	for name, split := range ggufSplits {
		if _, err := split.preTokenizer(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
