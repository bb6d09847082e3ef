// Package table lays out one table for every place where people read it: a terminal, a Markdown file, a spreadsheet, a paper.
//
// A [Table] holds cells of text. [Table.Text] aligns them with spaces, [Table.Markdown] writes a table as GitHub shows it, [Table.LaTeX] one
// of the package booktabs, [Table.CSV] the cells as they are. Each escapes what its format would read as a command, so that a name in a cell
// can hold any character.
package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"
)

// A Table is a heading line and rows of as many cells.
type Table struct {
	Title string // what it shows, without a full stop; empty: it needs no words
	Note  string // how to read it
	Head  []string
	Rows  [][]string
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Empty reports whether there is nothing to show.
func (t *Table) Empty() bool { return len(t.Rows) == 0 }

// Text is the table with its title for a terminal; nothing where it has no rows.
func (t *Table) Text() string {
	if t.Empty() {
		return ""
	}
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "\n%s:\n\n", t.titled())
	}
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	for _, cells := range append([][]string{t.Head}, t.Rows...) {
		line := make([]string, len(cells))
		for i, c := range cells {
			line[i] = oneLine(c)
		}
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	w.Flush()
	return b.String()
}

func (t *Table) titled() string {
	if t.Note == "" {
		return t.Title
	}
	return fmt.Sprintf("%s (%s)", t.Title, t.Note)
}

// CSV is the heading line and the rows as comma-separated values (RFC 4180).
func (t *Table) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.WriteAll(append([][]string{t.Head}, t.Rows...)) // a buffer takes everything
	return b.Bytes()
}

// numeric reports whether a column holds numbers only, beside cells that are empty or a dash. They stand at the right.
func (t *Table) numeric(column int) bool {
	some := false
	for _, cells := range t.Rows {
		cell := strings.TrimLeft(cells[column], "+-−[(<")
		first, _ := utf8.DecodeRuneInString(cell)
		switch {
		case cell == "":
		case unicode.IsDigit(first):
			some = true
		default:
			return false
		}
	}
	return some
}

// oneLine puts spaces in the place of line breaks, tabs and other characters that control instead of being shown.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, text)
}
