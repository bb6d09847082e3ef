package tokenizer

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// chain is a BPE model over the letters a to d with merges of all kinds, among them two that make one token.
func chain(t testing.TB) *bpe {
	t.Helper()
	ids := map[string]int{}
	for i, token := range []string{"a", "b", "c", "d", "ab", "bc", "abc", "cd", "abcd", "aa", "aaaa", "da"} {
		ids[token] = i
	}
	v, err := newVocabulary(ids)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newBPE(bpeConfig{}, v, []mergePair{
		{"b", "c"}, {"a", "bc"}, {"a", "b"}, {"a", "a"}, {"ab", "c"}, {"aa", "aa"}, {"c", "d"}, {"abc", "d"}, {"ab", "cd"}, {"d", "a"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// naive is the definition: join the leftmost pair of the lowest rank until there is none.
func naive(t *pairTable, symbols []int32) []int32 {
	symbols = slices.Clone(symbols)
	for {
		best, at, joined := int32(math.MaxInt32), -1, int32(0)
		for i := range len(symbols) - 1 {
			if rank, into := t.get(symbols[i], symbols[i+1]); into >= 0 && rank < best {
				best, at, joined = rank, i, into
			}
		}
		if at < 0 {
			return symbols
		}
		symbols = slices.Replace(symbols, at, at+2, joined)
	}
}

// TestMergeAll: looking at all pairs and the heap both do what the definition says.
func TestMergeAll(t *testing.T) {
	m := chain(t)
	rapid.Check(t, func(r *rapid.T) {
		symbols := rapid.SliceOfN(rapid.Int32Range(0, 3), 2, 120).Draw(r, "symbols")
		want := naive(&m.pairs, symbols)
		var w worker
		if got := m.pairs.mergeScan(slices.Clone(symbols), &w); !slices.Equal(got, want) {
			r.Fatalf("scan: %v, want %v", got, want)
		}
		if got := m.pairs.mergeHeap(slices.Clone(symbols), &w); !slices.Equal(got, want) {
			r.Fatalf("heap: %v, want %v", got, want)
		}
	})
}

// TestSeparable: cutting a SentencePiece text before ▁ changes nothing, and is not done where a token goes on over a ▁.
func TestSeparable(t *testing.T) {
	tok := tiny(t, "tiny-llama2")
	m := tok.model.(*bpe)
	if !m.separable {
		t.Fatal("tiny-llama2 can be separated")
	}
	whole := *m
	whole.separable = false
	rapid.Check(t, func(r *rapid.T) {
		s := strings.ReplaceAll(strings.Repeat(texts().Draw(r, "text"), 3), " ", sentencePieceSpace)
		if s == "" {
			return
		}
		w := &worker{words: newWordCache()}
		if got, want := m.encode(nil, s, w), whole.encode(nil, s, w); !slices.Equal(got, want) {
			r.Fatalf("%q: %v, want %v", s, got, want)
		}
	})
	for merge, want := range map[mergePair]bool{{"▁", "▁a"}: true, {"a", "▁"}: false, {"▁a", "▁b"}: false} {
		if got := m.canSeparate([]mergePair{merge}); got != want {
			t.Errorf("merge %q: separable %v, want %v", merge, got, want)
		}
	}
}

func TestPairTable(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		type pair struct{ left, right int32 }
		want := rapid.MapOf(rapid.Custom(func(r *rapid.T) pair {
			return pair{rapid.Int32Range(0, 40).Draw(r, "left"), rapid.Int32Range(0, 1<<30).Draw(r, "right")}
		}), rapid.Int32Range(0, 1<<30)).Draw(r, "pairs")
		table := newPairTable(len(want))
		for p, into := range want {
			table.put(p.left, p.right, into/2, into)
		}
		for p, wanted := range want {
			if rank, into := table.get(p.left, p.right); into != wanted || rank != wanted/2 {
				r.Fatalf("%v: rank %d into %d, want into %d", p, rank, into, wanted)
			}
		}
		if rank, into := table.get(41, 0); rank != noMerge || into != -1 {
			r.Fatalf("a pair that was not put: rank %d into %d", rank, into)
		}
	})
}

// TestLongWord: a word of 400 kB without a place to cut it takes no time to speak of.
func TestLongWord(t *testing.T) {
	s := strings.Repeat("abcdaaaab", 45_000)
	for _, name := range []string{"tiny-gpt2", "tiny-llama2", "tiny-albert", "tiny-bert"} {
		tok := tiny(t, name)
		ids := encoded(t, tok, s, false)
		if len(ids) == 0 || name == "tiny-gpt2" && tok.Decode(ids, true) != s {
			t.Errorf("%s: %d ids", name, len(ids))
		}
	}
}

// BenchmarkEncode encodes prose and code that fill PARLEY_TEXT, or some of this package's own source, with SmolLM2's vocabulary.
func BenchmarkEncode(b *testing.B) {
	tok := loadGolden(b, filepath.Join(goldens(), "real", "smollm2"))
	text, err := os.ReadFile(os.Getenv("PARLEY_TEXT"))
	if err != nil {
		if text, err = os.ReadFile("scan.go"); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		encoded(b, tok, string(text), false)
	}
}

func BenchmarkParse(b *testing.B) {
	data := readGolden(b, "testdata/tiny/tiny-gpt2/tokenizer.json")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}
