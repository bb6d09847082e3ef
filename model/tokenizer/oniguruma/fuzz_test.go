package oniguruma

import (
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzCompile: an expression is read or refused, and what it finds lies in the text, in order.
func FuzzCompile(f *testing.F) {
	for _, expr := range []string{`(?i:'s|'t)|[^\r\n\p{L}]?\p{L}+|\s+(?!\S)`, "a{,2}+?", "[a-c&&[^b]d]", "(?m:^a$)", `(?<=\b[[:alpha:]])\x{61}`, "((((", `[]-]`} {
		f.Add(expr, "ab c\n1é")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := Compile(expr)
		if err != nil || !utf8.ValidString(text) || len(text) > 100 {
			return
		}
		last := 0
		_ = re.Find(text, time.Now().Add(time.Minute), func(start, end int) {
			if start < last || end < start || end > len(text) {
				t.Fatalf("%q on %q: a match from %d to %d behind %d", expr, text, start, end, last)
			}
			last = end
		})
	})
}
