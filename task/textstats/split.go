package textstats

import "strings"

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
