package table

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown is the table with its title as a heading of the second level, in GitHub's extension of Markdown; nothing where it has no rows.
// Columns have one width, so that the source is a table for the eye too.
func (t *Table) Markdown() string {
	if t.Empty() {
		return ""
	}
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "\n## %s\n\n", EscapeMarkdown(t.Title))
	}
	if t.Note != "" {
		fmt.Fprintf(&b, "%s.\n\n", EscapeMarkdown(Capital(t.Note)))
	}
	grid := [][]string{escaped(t.Head)}
	for _, cells := range t.Rows {
		grid = append(grid, escaped(cells))
	}
	widths := make([]int, len(t.Head))
	for _, cells := range grid {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c), 3)
		}
	}
	for n, cells := range grid {
		for i, c := range cells {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if t.numeric(i) {
				fmt.Fprintf(&b, "| %s%s ", space, c)
			} else {
				fmt.Fprintf(&b, "| %s%s ", c, space)
			}
		}
		b.WriteString("|\n")
		if n == 0 {
			b.WriteString(t.rule(widths))
		}
	}
	return b.String()
}

// rule is the line below the heading line, which says at which side the cells of a column stand.
func (t *Table) rule(widths []int) string {
	var b strings.Builder
	for i, w := range widths {
		dashes := strings.Repeat("-", w)
		if t.numeric(i) {
			dashes = dashes[1:] + ":"
		}
		fmt.Fprintf(&b, "| %s ", dashes)
	}
	return b.String() + "|\n"
}

func escaped(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = EscapeMarkdown(c)
	}
	return out
}

// markdown are the characters that Markdown may read as a command within a line.
var markdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"|", `\|`, "~", `\~`, "$", `\$`)

// EscapeMarkdown writes a text so that it is shown as it is, on one line.
func EscapeMarkdown(text string) string { return markdown.Replace(oneLine(text)) }

// Capital makes the first letter of a sentence large.
func Capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
