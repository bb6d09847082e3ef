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

// Printf prints to stdout, as [App.PrintText] does: names in it may be anybody's.
func (a *App) Printf(format string, args ...any) error {
	return a.PrintText(fmt.Sprintf(format, args...))
}

// PrintText prints a text that may hold what a model wrote. What could drive the reader's terminal is
// shown as an escape.
func (a *App) PrintText(text string) error {
	_, err := io.WriteString(a.Stdout, terminal.Printable(text))
	return err
}

// Say prints a line to stderr, as [App.PrintText] does to stdout: it may quote names and words of anybody.
func (a *App) Say(words ...any) { fmt.Fprintln(printable{a.Stderr}, words...) }

// Sayf is [App.Say] of a format.
func (a *App) Sayf(format string, args ...any) { fmt.Fprintf(printable{a.Stderr}, format, args...) }

// Table prints rows of tab-separated cells in aligned columns, with escapes as [App.PrintText] does.
func (a *App) Table(write func(w io.Writer)) error {
	w := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	write(printable{w})
	return w.Flush()
}

// printable writes texts with escapes for what could drive the reader's terminal. A text comes in one piece.
type printable struct{ w io.Writer }

func (p printable) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.w, terminal.Printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
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
