package tokenizer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// unicodeForm is one of Unicode's normalisation forms.
type unicodeForm struct{ form norm.Form }

// longestMarks is the longest run of marks that x/text normalises without putting a joiner (U+034F) in, as its "stream-safe"
// rule asks after 30 of them.
const longestMarks = 12

func (f unicodeForm) normalize(s string, _ *budget) string {
	first := strings.IndexFunc(s, isLate)
	if first < 0 {
		return f.standard(s)
	}
	var b strings.Builder
	for ; first >= 0; first = strings.IndexFunc(s, isLate) {
		_, n := utf8.DecodeRuneInString(s[first:])
		b.WriteString(f.standard(s[:first]))
		b.WriteString(s[first : first+n])
		s = s[first+n:]
	}
	b.WriteString(f.standard(s))
	return b.String()
}

func isLate(r rune) bool { return r >= 0x7FD && unicode.Is(lateNormal, r) }

// standard normalises by the present tables.
func (f unicodeForm) standard(s string) string {
	if f.form.IsNormalString(s) || !manyMarks(s) {
		return f.form.String(s)
	}
	runes := f.decompose(s)
	order(runes)
	if f.form == norm.NFC || f.form == norm.NFKC {
		runes = compose(runes)
	}
	return string(runes)
}

// manyMarks reports whether s has a run of more marks than x/text handles as the standard says.
func manyMarks(s string) bool {
	n := 0
	for _, r := range s {
		if r < utf8.RuneSelf || !unicode.IsMark(r) {
			n = 0
		} else if n++; n > longestMarks {
			return true
		}
	}
	return false
}

// decompose returns the full decomposition of each character of s.
func (f unicodeForm) decompose(s string) []rune {
	d := norm.NFD
	if f.form == norm.NFKC || f.form == norm.NFKD {
		d = norm.NFKD
	}
	var out []rune
	for _, r := range s {
		out = append(out, []rune(d.String(string(r)))...)
	}
	return out
}

func combiningClass(r rune) uint8 { return norm.NFD.PropertiesString(string(r)).CCC() }

// order sorts each run of characters with a combining class by that class (Unicode 3.11, canonical ordering).
func order(runes []rune) {
	for i := 0; i < len(runes); i++ {
		end := i
		for end < len(runes) && combiningClass(runes[end]) != 0 {
			end++
		}
		slices.SortStableFunc(runes[i:end], func(a, b rune) int {
			return int(combiningClass(a)) - int(combiningClass(b))
		})
		i = end
	}
}

// compose joins characters with the starter before them, where nothing of the same or a higher class lies between (Unicode
// 3.11, canonical composition).
func compose(runes []rune) []rune {
	var out []rune
	starter, last := -1, -1 // place of the starter in out; class of the last character since, -1: none
	for _, r := range runes {
		class := int(combiningClass(r))
		if starter >= 0 && last < class {
			if joined, ok := composePair(out[starter], r); ok {
				out[starter] = joined
				continue
			}
		}
		out = append(out, r)
		if class == 0 {
			starter, last = len(out)-1, -1
		} else {
			last = class
		}
	}
	return out
}

// composePair returns the primary composite of two characters.
func composePair(a, b rune) (rune, bool) {
	s := norm.NFC.String(string([]rune{a, b}))
	r, n := utf8.DecodeRuneInString(s)
	return r, n == len(s)
}
