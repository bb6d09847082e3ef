package terminal

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Width is how many columns s takes on a line of a terminal.
func Width(s string) int { return uniseg.StringWidth(s) }

// Wrap breaks a line between words so that none of its lines is wider than columns. Lines behind the first begin with indent. A word that is
// wider than a line is broken anywhere.
func Wrap(s string, columns int, indent string) []string {
	columns = max(columns, Width(indent)+2) // a character of double width fits
	var lines []string
	line, empty := "", true
	flush := func() {
		lines, line, empty = append(lines, line), indent, true
	}
	for _, word := range strings.Fields(s) {
		if !empty && Width(line)+1+Width(word) > columns {
			flush()
		}
		if !empty {
			line += " "
		}
		for Width(line)+Width(word) > columns {
			head := Cut(word, columns-Width(line))
			line, word = line+head, word[len(head):]
			flush()
		}
		line, empty = line+word, empty && word == ""
	}
	if !empty || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// Cut returns as much of the beginning of s as fits into columns.
func Cut(s string, columns int) string {
	end, width, state := 0, 0, -1
	for rest := s; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if width+w > columns {
			return s[:end]
		}
		width, end = width+w, end+len(cluster)
	}
	return s
}

// Printable shows what of a text drives a terminal instead of being read as an escape, such as \u001b or \u202e: control characters but line ends and
// tabs, and what turns the direction of writing around. Who wrote the text may be a model, a program or a server.
func Printable(s string) string {
	if !strings.ContainsFunc(s, drives) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if drives(c) {
			fmt.Fprintf(&b, `\u%04x`, c) // as in JSON, which stays JSON
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

func drives(c rune) bool {
	return unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.Is(unicode.Bidi_Control, c)
}
