package tokenizer

import (
	"strings"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// ValidUTF8 returns s with every maximal part of an invalid sequence replaced by U+FFFD, as the Unicode standard (3.9,
// "substitution of maximal subparts") and Rust do: "\xe2\x82" becomes one U+FFFD, not two.
// ValidUTF8 returns a text as Encode reads it: bytes that are not UTF-8 are U+FFFD.
func ValidUTF8(s string) string { return validUTF8(s) }

func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			n = truncated(s)
			b.WriteString(replacement)
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// truncated returns how many bytes at the start of s, which does not begin with a whole character, belong to one that was
// begun; at least 1.
func truncated(s string) int {
	want, low, high := 0, byte(0x80), byte(0xBF)
	switch c := s[0]; {
	case c >= 0xC2 && c <= 0xDF:
		want = 2
	case c >= 0xE0 && c <= 0xEF:
		want = 3
		switch c {
		case 0xE0:
			low = 0xA0
		case 0xED:
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		want = 4
		switch c {
		case 0xF0:
			low = 0x90
		case 0xF4:
			high = 0x8F
		}
	}
	n := 1
	for n < want && n < len(s) && s[n] >= low && s[n] <= high {
		low, high = 0x80, 0xBF
		n++
	}
	return n
}
