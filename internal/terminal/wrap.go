package terminal

import (
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

// Printable replaces the control characters of a text but line ends and tabs: those of a text that a model wrote could drive the reader's
// terminal.
func Printable(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return unicode.ReplacementChar
		}
		return c
	}, s)
}
