package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"parley/internal/terminal"
)

// PrintJSON writes v as the one JSON value of a --json answer.
func (a *App) PrintJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(a.Stdout, terminal.Printable(b.String())) // JSON has escaped all but those that turn writing around
	return err
}

// Printf prints to stdout.
func (a *App) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.Stdout, format, args...)
	return err
}

// PrintText prints a text that may hold what a model wrote. What could drive the reader's terminal is
// shown as an escape.
func (a *App) PrintText(text string) error {
	_, err := io.WriteString(a.Stdout, terminal.Printable(text))
	return err
}

// Table prints rows of tab-separated cells in aligned columns.
func (a *App) Table(write func(w io.Writer)) error {
	w := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	write(w)
	return w.Flush()
}

// Row writes cells separated by tabs.
func Row(w io.Writer, cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprint(w, c)
	}
	fmt.Fprintln(w)
}

// Mebibytes writes a number of bytes in MiB.
func Mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
