package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"parley/internal/terminal"
)

// PrintReport prints a report about what is in a folder. On a terminal its lines break between words, and its pictures are named by their files; elsewhere it is
// as it is.
func (a *App) PrintReport(text, dir string) error {
	if out, ok := a.Stdout.(*os.File); ok && terminal.Is(out) {
		if columns, _, err := terminal.Size(out); err == nil && columns > 0 {
			text = onTerminal(text, dir, columns)
		}
	}
	return a.PrintText(text)
}

// picture matches one of Markdown.
var picture = regexp.MustCompile(`!\[([^\]\n]*)\]\(([^)\n]*)\)`)

// onTerminal is a text for a terminal of so many columns.
func onTerminal(text, dir string, columns int) string {
	text = picture.ReplaceAllStringFunc(text, func(s string) string {
		m := picture.FindStringSubmatch(s)
		return m[1] + ": " + filepath.Join(dir, m[2])
	})
	var b strings.Builder
	for line := range strings.Lines(text) {
		text, end := strings.CutSuffix(line, "\n")
		b.WriteString(strings.Join(fold(terminal.Printable(text), columns), "\n"))
		if end {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// fold breaks a line between words, so that none is wider than columns. Lines behind the first are indented by two more than it is. Spaces within a line stay:
// they may be those of a table. A word that is wider than a line is broken anywhere.
func fold(line string, columns int) (lines []string) {
	lead := len(line) - len(strings.TrimLeft(line, " "))
	indent := strings.Repeat(" ", lead+2)
	if len(indent) > columns/2 {
		indent = ""
	}
	for terminal.Width(line) > max(columns, 2) {
		at := len(terminal.Cut(line, max(columns, 2)))
		if space := strings.LastIndexByte(line[:at], ' '); line[at] != ' ' && space > lead {
			at = space
		}
		lines = append(lines, strings.TrimRight(line[:at], " "))
		line, lead = indent+strings.TrimLeft(line[at:], " "), len(indent)
	}
	return append(lines, line)
}
