package task

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Key is the same for questions that say the same to a reader: see [Normal]. Problems with one key are
// one problem, wherever they come from: splits, and the problems of a verifier and of policies, never share a key.
func Key(question string) string {
	sum := sha256.Sum256([]byte(Normal(question)))
	return hex.EncodeToString(sum[:8])
}

// Normal is a text without what a reader does not see or does not mind: letter case, white space, final punctuation, how accents are
// composed and letters are shaped (Unicode's NFKC), invisible characters such as the zero-width space, and the forms of quotes and dashes.
func Normal(text string) string {
	if ascii(text) {
		return normalASCII(text)
	}
	return normalAny(text)
}

// normalAny is [Normal] for texts in any script.
func normalAny(text string) string {
	// Folding alone swaps the cases of Cherokee.
	folded := norm.NFKC.String(strings.ToLower(cases.Fold().String(norm.NFKC.String(strings.Map(plain, norm.NFC.String(text))))))
	return strings.TrimRight(strings.Join(strings.Fields(strings.Map(plain, folded)), " "), " .?!")
}

// plain is the usual form of a character: one that is invisible is dropped.
func plain(c rune) rune {
	switch c {
	case '‘', '’', '‚', '‛', '′', '`', '´', 'ʼ':
		return '\''
	case '“', '”', '„', '‟', '″', '«', '»':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	case '\t', '\n', '\r', '\v', '\f', '\u0085':
		return ' '
	}
	if unicode.In(c, unicode.Cf, unicode.Cc) || unicode.Is(unicode.Variation_Selector, c) || c == '\u034f' {
		return -1
	}
	return c
}

// ascii says that a text has nothing of Unicode but ASCII.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// normalASCII is [Normal] for texts in ASCII, of which data sets have hundreds of thousands.
func normalASCII(text string) string {
	out := make([]byte, 0, len(text))
	space := false // owed before the next character
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			space = len(out) > 0
			continue
		case c < ' ' || c == 0x7f:
			continue
		case c == '`':
			out, space = spaced(out, space), false
			out = append(out, '\'')
		case c >= 'A' && c <= 'Z':
			out, space = spaced(out, space), false
			out = append(out, c+'a'-'A')
		default:
			out, space = spaced(out, space), false
			out = append(out, c)
		}
	}
	return strings.TrimRight(string(out), " .?!")
}

func spaced(out []byte, space bool) []byte {
	if space {
		return append(out, ' ')
	}
	return out
}
