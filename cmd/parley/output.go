package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// printJSON writes v as the one JSON value of a --json answer.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func (a *app) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}

// printText prints a text that may hold what a model wrote. Control characters, which could drive the reader's terminal, are
// replaced.
func (a *app) printText(text string) error {
	_, err := io.WriteString(a.stdout, strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return unicode.ReplacementChar
		}
		return c
	}, text))
	return err
}

// table prints rows of tab-separated cells in aligned columns.
func (a *app) table(write func(w io.Writer)) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	write(w)
	return w.Flush()
}

// row writes cells separated by tabs.
func row(w io.Writer, cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprint(w, c)
	}
	fmt.Fprintln(w)
}
