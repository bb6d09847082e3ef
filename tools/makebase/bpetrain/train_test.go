package bpetrain

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/model/tokenizer"
)

var corpus = []string{
	"<|user|>Ann has 12 apples and buys 30 more apples. How many apples has she now?",
	"Bob has 7 pens. Bob gives 3 pens to Ann. How many pens has Bob now?",
	"It's naïve — they'll pay 9 € for 2 cafés.\n\n  The end",
}

func train(t *testing.T, texts []string, vocab int, special ...string) *tokenizer.Tokenizer {
	t.Helper()
	data, err := Train(slices.Values(texts), vocab, special)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestTrain(t *testing.T) {
	tok := train(t, corpus, 300, "<|end|>", "<|user|>")
	if tok.Size() != 300 {
		t.Errorf("size %d, want 300", tok.Size())
	}
	for id, want := range []string{"<|end|>", "<|user|>", "!"} {
		if got, _ := tok.Token(id); got != want {
			t.Errorf("token %d = %q, want %q", id, got, want)
		}
	}
	for _, text := range corpus {
		ids, err := tok.Encode(text, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.Decode(ids, true); got != text {
			t.Errorf("decode(encode(%q)) = %q", text, got)
		}
		if len(ids) >= len(text)*3/4 {
			t.Errorf("%d ids for %d bytes: merges do not apply", len(ids), len(text))
		}
	}
}

// Counts decide, then the order of bytes: a+b stands 4 times, then ab+ab and c+d twice each, then abab+ab and b+a once.
func TestMergeOrder(t *testing.T) {
	tok := train(t, []string{"ababab", "ab", "cd", "cd", "ba"}, 256+4)
	for i, want := range []string{"ab", "abab", "cd", "ababab"} {
		if got, _ := tok.Token(256 + i); got != want {
			t.Errorf("merge %d makes %q, want %q", i, got, want)
		}
	}
}

func TestDigitsStandAlone(t *testing.T) {
	tok := train(t, []string{strings.Repeat("2024 2024 ", 50)}, 280)
	for id := range tok.Size() {
		if token, _ := tok.Token(id); len(token) > 1 && strings.ContainsAny(token, "0123456789") {
			t.Errorf("token %d = %q joins a digit", id, token)
		}
	}
}

func TestTrainIsDeterministic(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		texts := rapid.SliceOf(rapid.String()).Draw(r, "texts")
		vocab := rapid.IntRange(257, 300).Draw(r, "vocab")
		first, err := Train(slices.Values(texts), vocab, []string{"<s>"})
		if err != nil {
			r.Fatal(err)
		}
		slices.Reverse(texts)
		again, err := Train(slices.Values(texts), vocab, []string{"<s>"})
		if err != nil {
			r.Fatal(err)
		}
		if !bytes.Equal(first, again) {
			r.Fatal("the order of the texts changes the tokenizer")
		}
		tok, err := tokenizer.Parse(first)
		if err != nil {
			r.Fatal(err)
		}
		for _, text := range texts {
			ids, err := tok.Encode(text, true)
			if err != nil {
				r.Fatal(err)
			}
			if got := tok.Decode(ids, true); got != strings.ToValidUTF8(text, "\uFFFD") {
				r.Fatalf("decode(encode(%q)) = %q", text, got)
			}
		}
	})
}

func TestTrainErrors(t *testing.T) {
	for name, c := range map[string]struct {
		vocab   int
		special []string
	}{
		"too small": {257, []string{"<a>", "<b>"}},
		"empty":     {300, []string{""}},
		"twice":     {300, []string{"<a>", "<a>"}},
		"a byte":    {300, []string{"a"}},
	} {
		if _, err := Train(slices.Values(corpus), c.vocab, c.special); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
