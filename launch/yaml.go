package launch

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A field is a key with its value: a string, a script, an int, a bool, nothing, a mapping or a list.
type field struct {
	key   string
	value any
}

// A mapping has its fields in order.
type mapping []field

// A list has values of any kind.
type list []any

// A script is a text of several lines, which is written as a block where a reader can see it as it is.
type script string

// plainYAML matches words that are strings in every version of YAML, and nothing else.
var plainYAML = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)

// notStrings are words that some version of YAML takes for something else.
var notStrings = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)

// document writes a mapping as YAML.
func document(m mapping) string {
	var b strings.Builder
	m.write(&b, 0)
	return b.String()
}

func (m mapping) write(b *strings.Builder, depth int) {
	for _, f := range m {
		b.WriteString(strings.Repeat("  ", depth) + word(f.key) + ":")
		writeValue(b, depth, f.value)
	}
}

// writeValue writes what stands behind a colon or a dash, to the end of its last line.
func writeValue(b *strings.Builder, depth int, value any) {
	switch v := value.(type) {
	case mapping:
		if len(v) == 0 {
			b.WriteString(" {}\n")
			return
		}
		b.WriteByte('\n')
		v.write(b, depth+1)
	case list:
		if len(v) == 0 {
			b.WriteString(" []\n")
			return
		}
		b.WriteByte('\n')
		v.write(b, depth)
	case script:
		writeScript(b, depth, string(v))
	case string:
		b.WriteString(" " + word(v) + "\n")
	case nil:
		b.WriteString(" null\n")
	default: // numbers and truths
		fmt.Fprintf(b, " %v\n", v)
	}
}

func (l list) write(b *strings.Builder, depth int) {
	for _, value := range l {
		if m, is := value.(mapping); is && len(m) > 0 { // its first key stands behind the dash
			var inner strings.Builder
			m.write(&inner, depth+1)
			b.WriteString(strings.Repeat("  ", depth) + "- " + strings.TrimPrefix(inner.String(), strings.Repeat("  ", depth+1)))
			continue
		}
		b.WriteString(strings.Repeat("  ", depth) + "-")
		writeValue(b, depth, value)
	}
}

// writeScript writes a block, or a string in one line where a block would not hold it.
func writeScript(b *strings.Builder, depth int, text string) {
	if !blockHolds(text) {
		b.WriteString(" " + word(text) + "\n")
		return
	}
	b.WriteString(" |\n")
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(strings.Repeat("  ", depth+1))
		}
		b.WriteString(line)
	}
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
