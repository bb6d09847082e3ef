package oniguruma

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// A golden is what Oniguruma makes of an expression; see bench/tokenizer/regexes.py.
type golden struct {
	Expr  string
	Cases [][2]string // a text, and the same with every match replaced
	Set   string
	Hash  string // of the characters that the set has
}

func goldens(t *testing.T) []golden {
	file, err := os.Open("testdata/goldens.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []golden
	for lines := bufio.NewScanner(z); lines.Scan(); {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	return out
}

// replaced is a text with a dash for every match.
func replaced(re *Regexp, text string) (string, error) {
	var b strings.Builder
	done := 0
	err := re.Find(text, time.Now().Add(time.Minute), func(start, end int) {
		b.WriteString(text[done:start] + "-")
		done = end
	})
	return b.String() + text[done:], err
}

// TestExpressions: an expression that is not refused matches what Oniguruma matches with it, and few are refused.
func TestExpressions(t *testing.T) {
	all, refused := 0, 0
	for _, g := range goldens(t) {
		if g.Expr == "" {
			continue
		}
		all++
		re, err := Compile(g.Expr)
		if err != nil {
			refused++
			t.Logf("%v", err)
			continue
		}
		for _, c := range g.Cases {
			if got, err := replaced(re, c[0]); err != nil || got != c[1] {
				t.Errorf("%q on %q: %q, %v, want %q", g.Expr, c[0], got, err, c[1])
			}
		}
	}
	if all < 600 || refused*5 > all {
		t.Errorf("%d of %d expressions are refused", refused, all)
	}
}

// TestSets: a name stands for the characters that it stands for in Oniguruma, each of them.
func TestSets(t *testing.T) {
	for _, g := range goldens(t) {
		if g.Set == "" {
			continue
		}
		re, err := Compile(g.Set)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := sha256.Sum256([]byte(members(t, re))); hex.EncodeToString(got[:]) != g.Hash {
			t.Errorf("%s has other characters", g.Set)
		}
	}
}

// members writes the characters that an expression matches as ranges.
func members(t *testing.T, re *Regexp) string {
	var all []byte
	for r := range rune(0x38000 + 0x8000) { // where characters are
		if r >= 0x38000 {
			r += 0xE0000 - 0x38000
		}
		if utf8.ValidRune(r) {
			all = utf8.AppendRune(all, r)
		}
	}
	var spans set
	err := re.Find(string(all), time.Now().Add(time.Minute), func(start, end int) {
		r, _ := utf8.DecodeRune(all[start:end])
		spans = append(spans, span{r, r})
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range setOf(spans...) {
		out = append(out, fmt.Sprintf("%X-%X", s.lo, s.hi))
	}
	return strings.Join(out, " ")
}
