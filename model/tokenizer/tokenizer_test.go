package tokenizer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// tiny loads one of the small tokenizers.
func tiny(t testing.TB, name string) *Tokenizer {
	t.Helper()
	return parseGolden(t, filepath.Join("testdata", "tiny", name))
}

// encoded are the ids of a text, which no honest tokenizer refuses.
func encoded(t interface{ Fatal(args ...any) }, tok *Tokenizer, text string, special bool) []int {
	ids, err := tok.Encode(text, special)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// TestByteLevelIsLossless: byte-level BPE gives back any text, special tokens in it included.
func TestByteLevelIsLossless(t *testing.T) {
	for _, name := range []string{"tiny-gpt2", "tiny-llama3", "tiny-deepseek", "tiny-smollm"} {
		tok := tiny(t, name)
		rapid.Check(t, func(r *rapid.T) {
			s := rapid.OneOf(texts(), rapid.String()).Draw(r, "text")
			if got := tok.Decode(encoded(t, tok, s, false), true); got != validUTF8(s) {
				r.Fatalf("%s: decode(encode(%q)) = %q", name, s, got)
			}
		})
	}
}

// TestStreamJoins: what a stream releases joins to the decoded text, and no part of it ends in half a character.
func TestStreamJoins(t *testing.T) {
	for _, name := range []string{"tiny-gpt2", "tiny-llama2", "tiny-t5", "tiny-bert"} {
		tok := tiny(t, name)
		rapid.Check(t, func(r *rapid.T) {
			ids := encoded(t, tok, texts().Draw(r, "text"), true)
			s := tok.Stream()
			s.KeepSpecial = true
			var sent strings.Builder
			for _, id := range ids {
				chunk := s.Push(id)
				if strings.HasSuffix(chunk, replacement) {
					r.Fatalf("%s: half a character in %q", name, chunk)
				}
				sent.WriteString(chunk)
			}
			sent.WriteString(s.Flush())
			if want := tok.Decode(ids, true); sent.String() != want {
				r.Fatalf("%s: sent %q, want %q", name, sent.String(), want)
			}
		})
	}
}

func TestStreamFlushStartsAnew(t *testing.T) {
	tok := tiny(t, "tiny-gpt2")
	s := tok.Stream()
	ids := encoded(t, tok, "é", false)
	if len(ids) != 2 {
		t.Fatalf("é has %d ids; the test wants a character of two", len(ids))
	}
	if got := s.Push(ids[0]); got != "" {
		t.Errorf("half a character released: %q", got)
	}
	if got := s.Flush(); got != replacement {
		t.Errorf("flushed %q", got)
	}
	if got := s.Push(ids[0]) + s.Push(ids[1]); got != "é" {
		t.Errorf("after the flush: %q", got)
	}
}

// TestConcurrentUse: one tokenizer serves many goroutines, and what it has seen does not change results.
func TestConcurrentUse(t *testing.T) {
	tok := tiny(t, "tiny-qwen")
	text := func(i int) string { return strings.Repeat(fmt.Sprint("word", i, " naïve "), 40) }
	want := make([][]int, 8)
	for i := range want {
		want[i] = encoded(t, tiny(t, "tiny-qwen"), text(i), true)
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for k := range 4 * len(want) {
				i := (k + g) % len(want)
				if got := encoded(t, tok, text(i), true); !slices.Equal(got, want[i]) {
					t.Errorf("text %d: other ids", i)
				}
			}
		})
	}
	all.Wait()
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tokenizer.json")
	if err := os.WriteFile(path, readGolden(t, "testdata/tiny/tiny-gpt2/tokenizer.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{dir, path} {
		tok, err := Load(from)
		if err != nil {
			t.Fatal(err)
		}
		if tok.Size() != 900 {
			t.Errorf("size %d", tok.Size())
		}
	}
	if _, err := Load(filepath.Join(dir, "nothing")); err == nil {
		t.Error("no error for a missing file")
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), dir+": tokenizer.json") {
		t.Errorf("error %v does not name the file", err)
	}
}

func TestTokenAndID(t *testing.T) {
	tok := tiny(t, "tiny-qwen")
	for id := range tok.Size() {
		token, ok := tok.Token(id)
		if !ok {
			t.Fatalf("no token %d of %d", id, tok.Size())
		}
		if back, ok := tok.ID(token); !ok || back != id {
			t.Errorf("ID(%q) = %d, want %d", token, back, id)
		}
	}
	for _, id := range []int{-1, tok.Size()} {
		if token, ok := tok.Token(id); ok {
			t.Errorf("token %d is %q", id, token)
		}
	}
	end, _ := tok.ID("<|im_end|>")
	think, _ := tok.ID("<think>")
	if !tok.Special(end) || tok.Special(think) || tok.Special(0) || tok.Special(-1) {
		t.Error("Special: <|im_end|> is, <think>, 0 and -1 are not")
	}
	if got := tok.Decode([]int{end, 0, -5, 1 << 40, think}, false); got != "!<think>" {
		t.Errorf("Decode = %q", got)
	}
}

func TestWords(t *testing.T) {
	got, err := tiny(t, "tiny-smollm").Words("<|im_start|>user has 42 é")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"user", " has", " ", "4", "2", " é"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestValidUTF8: one U+FFFD for each maximal part of an invalid sequence (Unicode 3.9, table 3-8 and others).
func TestValidUTF8(t *testing.T) {
	const r = replacement
	for in, want := range map[string]string{
		"a\xF1\x80\x80\xE1\x80\xC2b\x80c\x80\xBFd": "a" + r + r + r + "b" + r + "c" + r + r + "d",
		"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82A":        strings.Repeat(r, 8) + "A",
		"\xED\xA0\x80\xED\xBF\xBF\xED\xAFA":        strings.Repeat(r, 8) + "A",
		"\xF4\x91\x92\x93\xFFA\x80\xBFB":           strings.Repeat(r, 5) + "A" + r + r + "B",
		"\xE1\x80\xE2\xF0\x91\x92\xF1\xBFA":        strings.Repeat(r, 4) + "A",
		"é\xC3":                                    "é" + r,
		"fine":                                     "fine",
	} {
		if got := validUTF8(in); got != want {
			t.Errorf("validUTF8(%q) = %q, want %q", in, got, want)
		}
	}
}
