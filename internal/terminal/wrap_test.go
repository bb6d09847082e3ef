package terminal

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    []string
	}{
		{"", 10, []string{""}},
		{"one two three", 80, []string{"one two three"}},
		{"one two three", 8, []string{"one two", "  three"}},
		{"one two three", 7, []string{"one two", "  three"}},
		{"unbreakable", 5, []string{"unbre", "  aka", "  ble"}},
		{"日本語 日本", 6, []string{"日本語", "  日本"}},
		{"x", 0, []string{"x"}},
	} {
		if got := Wrap(c.text, c.columns, "  "); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

// TestWrapKeepsText: nothing is lost but spaces between words, and no line is too wide.
func TestWrapKeepsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab é日👍🏽 -\t"))).Draw(t, "text")
		columns := rapid.IntRange(4, 30).Draw(t, "columns")
		var got strings.Builder
		for i, line := range Wrap(text, columns, "  ") {
			if Width(line) > columns {
				t.Errorf("line %q takes %d columns of %d", line, Width(line), columns)
			}
			if i > 0 {
				line = strings.TrimPrefix(line, "  ")
			}
			got.WriteString(line)
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(got.String()) != squeeze(text) {
			t.Errorf("%q became %q", text, got.String())
		}
	})
}

func TestPrintable(t *testing.T) {
	if got := Printable("a\tb\n\x1b[2Jé\r\x07\u009b\u202e"); got != "a\tb\n\\u001b[2Jé\\u000d\\u0007\\u009b\\u202e" {
		t.Errorf("%q", got)
	}
}
