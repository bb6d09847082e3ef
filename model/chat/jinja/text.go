package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Python's functions on strings, where Go's own differ.

// upper and lower map all of Unicode, one character to several where the language does.
func upper(s string) string { return cases.Upper(language.Und).String(s) }
func lower(s string) string { return cases.Lower(language.Und).String(s) }

// capitalize makes the first character upper case and all others lower.
func capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return titleChar(s[:n]) + lower(s[n:])
}

// titleChar is the form of a character that begins a word.
func titleChar(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	if n < len(s) || s == "" {
		return upper(s)
	}
	if t := unicode.ToTitle(c); t != c {
		return string(t)
	}
	return cases.Title(language.Und).String(s)
}

// titleMethod is str.title(): a letter is upper case exactly when none precedes it.
func titleMethod(s string) string {
	var b strings.Builder
	inWord := false
	for _, c := range s {
		if inWord {
			b.WriteString(lower(string(c)))
		} else {
			b.WriteString(titleChar(string(c)))
		}
		inWord = unicode.IsLetter(c)
	}
	return b.String()
}

// titleFilter is Jinja's filter title: words begin at white space and opening brackets only, not at an apostrophe.
func titleFilter(s string) string {
	var b strings.Builder
	start := true
	for _, c := range s {
		if start {
			b.WriteString(upper(string(c)))
		} else {
			b.WriteString(lower(string(c)))
		}
		start = IsSpace(c) || strings.ContainsRune("-({[<", c)
	}
	return b.String()
}

// cutset says which characters strip removes: white space, or those of chars.
func cutset(chars string, given bool) func(rune) bool {
	if !given {
		return IsSpace
	}
	return func(c rune) bool { return strings.ContainsRune(chars, c) }
}

// isLineEnd says whether str.splitlines() splits at c.
func isLineEnd(c rune) bool {
	switch c {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// splitLines is str.splitlines(): \r\n is one end, and an end at the end makes no empty line.
func splitLines(s string, keepEnds bool) []string {
	var lines []string
	for s != "" {
		at := strings.IndexFunc(s, isLineEnd)
		if at < 0 {
			return append(lines, s)
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		if strings.HasPrefix(s[at:], "\r\n") {
			n = 2
		}
		if keepEnds {
			lines = append(lines, s[:at+n])
		} else {
			lines = append(lines, s[:at])
		}
		s = s[at+n:]
	}
	return lines
}

// replace is str.replace; count below 0 means all.
func replace(r *run, s, old, new string, count int64) (any, error) {
	n := int64(strings.Count(s, old))
	if count >= 0 {
		n = min(n, count)
	}
	if int64(len(s))+n*int64(len(new)) > maxOutput {
		return nil, errOutput
	}
	if err := r.charge((len(s) + int(n)*len(new)) / 64); err != nil {
		return nil, err
	}
	return strings.Replace(s, old, new, int(n)), nil
}
