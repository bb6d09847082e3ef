package answer

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Boxed returns the content of the last box without the markup that only changes its looks, such as \text{…}.
func Boxed(text string) (content string, ok bool) { return boxed(text) }

// Squad is a text as SQuAD compares texts: in lower case, without punctuation and the articles a, an and the, with single spaces.
// It goes beyond SQuAD in two ways. Letters are compared by Unicode's NFKC and case folding, and invisible characters do not count. The
// point of a number and the sign before it stay, so that 1.5 is not 15 and -5 not 5. A text that would be nothing, such as the letter A or
// the sign +, keeps what it is.
func Squad(text string) string {
	// Folding alone swaps the cases of Cherokee.
	folded := norm.NFKC.String(strings.ToLower(cases.Fold().String(norm.NFKC.String(strings.Map(visible, norm.NFC.String(text))))))
	folded = strings.Join(strings.Fields(folded), " ")
	bare := strings.Join(strings.Fields(articles.ReplaceAllString(withoutPunctuation(folded), " ")), " ")
	if bare == "" {
		return folded
	}
	return bare
}

var articles = regexp.MustCompile(`\b(?:a|an|the)\b`)

// visible drops characters that are not seen.
func visible(c rune) rune {
	switch {
	case c == '−':
		return '-'
	case unicode.Is(unicode.Cf, c), unicode.Is(unicode.Variation_Selector, c):
		return -1
	}
	return c
}

// withoutPunctuation leaves punctuation out, but for what makes another number.
func withoutPunctuation(text string) string {
	runes := []rune(text)
	digit := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsDigit(runes[i]) }
	var b strings.Builder
	for i, c := range runes {
		point := c == '.' && digit(i+1) && (digit(i-1) || i == 0 || unicode.IsSpace(runes[i-1]))
		sign := c == '-' && (digit(i+1) || i+2 < len(runes) && runes[i+1] == '.' && digit(i+2)) && (i == 0 || unicode.IsSpace(runes[i-1]))
		if point || sign || !punctuation(c) {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// punctuation is Unicode's, and the signs that Python counts too.
func punctuation(c rune) bool { return unicode.IsPunct(c) || strings.ContainsRune("$+<=>^`|~", c) }
