package tokenizer

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// bertNormalizer cleans a text as BERT does.
type bertNormalizer struct {
	CleanText    bool  `json:"clean_text"`           // no control characters, all white space is ' '
	Chinese      bool  `json:"handle_chinese_chars"` // spaces around each ideograph
	StripAccents *bool `json:"strip_accents"`        // null: as Lowercase
	Lowercase    bool  `json:"lowercase"`
}

func (n *bertNormalizer) normalize(s string, b *budget) string {
	if n.CleanText {
		s = strings.Map(cleanRune, s)
	}
	if n.Chinese {
		s = spaceIdeographs(s)
	}
	if n.StripAccents != nil && *n.StripAccents || n.StripAccents == nil && n.Lowercase {
		s = unicodeForm{norm.NFD}.normalize(s, b)
		s = without(s, isBertMark)
	}
	if n.Lowercase {
		s = lowercase{}.normalize(s, b)
	}
	return s
}

func isBertMark(r rune) bool {
	return unicode.Is(unicode.Mn, r) && !unicode.Is(lateBertMarks, r) || unicode.Is(earlyBertMarks, r)
}

func cleanRune(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == 0 || r == 0xFFFD || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) && !unicode.Is(lateFormats, r):
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

func spaceIdeographs(s string) string {
	if strings.IndexFunc(s, isIdeograph) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isIdeograph(r) {
			b.WriteRune(' ')
			b.WriteRune(r)
			b.WriteRune(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isIdeograph reports whether r is in one of the blocks of CJK ideographs that BERT names.
func isIdeograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
