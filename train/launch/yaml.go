package launch

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainYAML matches words that are strings in every version of YAML, and nothing else.
var plainYAML = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)

// notStrings are words that some version of YAML takes for something else.
var notStrings = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)

// literal writes a text of several lines as a block of YAML, where a reader can see it as it is, or as a string in one line where a block would not hold
// it. Its lines stand behind so many spaces.
func literal(indent int, text string) string {
	if !blockHolds(text) {
		return word(text)
	}
	var b strings.Builder
	b.WriteByte('|')
	for line := range strings.Lines(text) {
		b.WriteByte('\n')
		if line != "\n" {
			b.WriteString(strings.Repeat(" ", indent) + strings.TrimSuffix(line, "\n"))
		}
	}
	return b.String()
}

// blockHolds says that a text comes out of a block as it went in: it can be printed, begins with no space, and has one line end at its end.
func blockHolds(text string) bool {
	if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") || strings.ContainsAny(text[:1], " \t\n") || !utf8.ValidString(text) {
		return false
	}
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, " \t\n") == "" && line != "\n" {
			return false
		}
	}
	return strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) < 0
}

// word writes a string so that every reader of YAML takes it for that string.
func word(s string) string {
	if plainYAML.MatchString(s) && !notStrings.MatchString(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
