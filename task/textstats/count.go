// Package textstats measures short texts: it is what the writing tasks of MAGRPO (§6) share.
//
//	count.go    words, characters, vocabulary, similarity of content words
//	markers.go  discourse markers in twelve categories, and how many categories a text uses
//	rubric.go   the four gated levels that turn two texts into a [Score]
//	robust.go   signs of gaming, and what each of them cancels
//
// Everything is a pure function of the texts. Two notions of a word are in use, as in the paper's own scorer: for lengths, a
// run of anything but white space; for vocabularies, a run of letters, digits and underscores, lower-cased.
package textstats

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count returns the number of words between white space.
func Count(text string) int { return len(strings.FieldsFunc(text, isSpace)) }

// isSpace is Unicode white space and the four separators U+001C to U+001F, which the published scorer splits at as well.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// Characters returns the number of Unicode code points of the raw text.
func Characters(text string) int { return utf8.RuneCountInString(text) }

// isWordRune is the class \w of Unicode regular expressions without combining marks.
func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// A token is a lower-cased run of word runes with its place in the text.
type token struct {
	word       string
	start, end int // byte offsets
}

func tokens(text string) []token {
	var found []token
	start := -1
	for i, r := range text {
		switch word := isWordRune(r); {
		case word && start < 0:
			start = i
		case !word && start >= 0:
			found = append(found, token{strings.ToLower(text[start:i]), start, i})
			start = -1
		}
	}
	if start >= 0 {
		found = append(found, token{strings.ToLower(text[start:]), start, len(text)})
	}
	return found
}

// A Set is a set of words.
type Set map[string]bool

// Vocabulary returns the distinct lower-cased words of a text, stop-words included.
func Vocabulary(text string) Set {
	set := Set{}
	for _, t := range tokens(text) {
		set[t.word] = true
	}
	return set
}

// Content returns the vocabulary of a text without stop-words.
func Content(text string) Set {
	set := Vocabulary(text)
	for w := range stopWords {
		delete(set, w)
	}
	return set
}

// Jaccard returns the size of the intersection over that of the union; two empty sets are equal, so 1.
func Jaccard(a, b Set) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	shared := common(a, b)
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// common counts the words of a that b has too.
func common(a, b Set) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// stopWords carry grammar, not content. No discourse marker of one word is among them.
var stopWords = setOf(`
	a an the this that these those
	i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
	myself yourself himself herself itself ourselves themselves
	am is are was were be been being do does did doing done have has had having
	can could will would shall should may might must
	and or but nor not no
	of in on at by for with from to into onto about as up down out off over under
	who whom whose which what where when how why
	there here then than so such if both each very just too only own same any some all s t`)

func setOf(list string) Set {
	set := Set{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Delimiter separates the two paragraphs of a single agent that writes for both roles (MAGRPO §6.3).
const Delimiter = "[PARAGRAPH_SPLIT]"

// Split cuts one response into two trimmed paragraphs at the first delimiter; ok is false when it is missing, and the
// response then earns nothing.
func Split(text string) (first, second string, ok bool) {
	first, second, ok = strings.Cut(text, Delimiter)
	return strings.TrimFunc(first, isSpace), strings.TrimFunc(second, isSpace), ok
}

// CompatSplit is the published way to cut: at the delimiter, else at the words "Paragraph 2:", else at one third of the
// characters, which gives any text a length ratio of about 2.
func CompatSplit(text string) (first, second string) {
	if first, second, ok := Split(text); ok {
		return first, second
	}
	if first, second, ok := strings.Cut(text, "Paragraph 2:"); ok {
		return strings.TrimFunc(first, isSpace), strings.TrimFunc(second, isSpace)
	}
	return CutThird(text)
}

// CutThird cuts a text at one third of its characters and trims both pieces.
func CutThird(text string) (first, second string) {
	runes := []rune(text)
	third := len(runes) / 3
	return strings.TrimFunc(string(runes[:third]), isSpace), strings.TrimFunc(string(runes[third:]), isSpace)
}
