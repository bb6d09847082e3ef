package tokenizer

import (
	"slices"
	"strings"
	"testing"

	"parley/model/tokenizer/oniguruma"
	"pgregory.net/rapid"
)

// words returns what a finder's isolated matches cut s into.
func words(find finder, s string) []string {
	var out []string
	for _, seg := range find(s, nil, newBudget(len(s))) {
		out = append(out, s[seg.start:seg.end])
	}
	return out
}

func TestPatterns(t *testing.T) {
	const text = "ab12 中ü3456789fAü pL"
	for expr, want := range map[string][]string{
		`\p{N}{1,3}+`:            {"ab", "12", " 中ü", "3456789", "fAü pL"},
		`[^\r\n]?+\p{L}`:         {"ab", "12", " 中", "ü345678", "9f", "Aü", " p", "L"},
		`\h+`:                    {"ab12", " 中ü", "3456789fA", "ü pL"},
		`[\p{L}&&[^\p{Han}]]+`:   {"ab", "12 中", "ü", "3456789", "fAü", " ", "pL"},
		`\p{Han}+`:               {"ab12 ", "中", "ü3456789fAü pL"},
		`[a-z]++`:                {"ab", "12 中ü3456789", "f", "Aü ", "p", "L"},
		`\p{^L}+`:                {"ab", "12 ", "中ü", "3456789", "fAü", " ", "pL"},
		`(?i:A)`:                 {"a", "b12 中ü3456789f", "A", "ü pL"},
		`[]a]`:                   {"a", "b12 中ü3456789fAü pL"},
		`\s+(?!\S)|\s`:           {"ab12", " ", "中ü3456789fAü", " ", "pL"},
		`[^\s\p{L}\p{N}]+|\p{N}`: {"ab", "1", "2", " 中ü", "3", "4", "5", "6", "7", "8", "9", "fAü pL"},
	} {
		var p pattern
		if err := p.compile(expr); err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if got := words(p.find, text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for _, expr := range []string{`[[:nonsense:]]`, `(?i)ss`, `a**`, `[a`, `a\`, `(`, `\p{Nonsense}`, `(a)\1`} {
		var p pattern
		if err := p.compile(expr); err == nil || !strings.Contains(err.Error(), "regular expression") {
			t.Errorf("%s: error %v, want one that names the expression", expr, err)
		}
	}
}

// texts draws strings rich in what split patterns look at.
func texts() *rapid.Generator[string] {
	parts := []string{
		"a", "B", "'s", "'S", "'ſ", "'RE", "'ll", "é", "ſ", "中", "あ", "ー", "1", "23", "٣", "½", " ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2003",
		"!", "...", "-", "_", "$", "+", "=", "€", "\u0301", "\u200d", "🙂", "\x00", "\u0085", "𝒳", "𝟘", "'", "\"", "word", "¿",
	}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 24).Draw(t, "parts"), "")
	})
}

// TestScanners: each hand-written scanner cuts as the regular expression that it stands for.
func TestScanners(t *testing.T) {
	for expr, scan := range scanners {
		re, err := oniguruma.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(r *rapid.T) {
			s := texts().Draw(r, "text")
			got := words(findScanned(scan), s)
			want := words(func(s string, segs []segment, b *budget) []segment { return findRegexp(re, s, segs, b) }, s)
			if !slices.Equal(got, want) {
				r.Fatalf("%s on %q: %q, want %q", expr, s, got, want)
			}
		})
	}
}

func TestBehaviors(t *testing.T) {
	for b, want := range map[behavior][]string{
		removed:            {"a", "b"},
		isolated:           {"-", "a", "-", "-", "b", "-"},
		mergedWithPrevious: {"-", "a-", "-", "b-"},
		mergedWithNext:     {"-a", "-", "-b", "-"},
		contiguous:         {"-", "a", "--", "b", "-"},
	} {
		p := &splitter{find: findRunes(isPunctuation), behavior: b}
		if got := stagePieces(p, "-a--b-"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", b, got, want)
		}
	}
	if err := behavior("Nonsense").check(); err == nil {
		t.Error("no error for an unknown behavior")
	}
}

// stagePieces returns the texts of the pieces that a pre-tokenizer cuts s into.
func stagePieces(p preTokenizer, s string) []string {
	var out []string
	p.stage(func(p piece) { out = append(out, p.text) }, newBudget(len(s)))(piece{s, len(s)})
	return out
}
