// Package cli is what the verbs of the program parley share. It knows the streams, the exit codes and the forms of answers; it knows no verb.
//
//	exit.go       exit codes, and which error has which; mistakes on the command line
//	output.go     JSON objects, tables, and text that may not control the terminal; the world as a verb sees it, and a note where no kernel set fits the processor
//	jsonlines.go  JSON lines in, JSON lines out, in the same order
//	events.go     what goes on, as JSON lines for the program that started this one
//	findrun.go    runs and recipes by the names that users type; loadrecipe.go reads recipes
//	build.go      which build this is
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"parley/engine/native/kernel"
	"parley/internal/terminal"
	"parley/recipe"
	"parley/train"
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

// Ready prints where a server listens as one line of JSON, for the program that started it.
func (a *App) Ready(listener net.Listener, token string) error {
	return WriteLines(a.Stdout, []map[string]string{{"url": "http://" + listener.Addr().String(), "token": token}})
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

// OneLine is the beginning of a text in one line, for a cell of a table.
func OneLine(text string) string {
	return terminal.Cut(strings.Join(strings.Fields(terminal.Printable(text)), " "), 60)
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

// An App is what a verb may use of the world.
type App struct {
	Ctx            context.Context
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Language       *recipe.Language  // of recipes
	Progress       func(train.Event) // gets what goes on in a run, from one goroutine at a time; nil: nobody wants to know
}

// Tell passes an event on to who wants to know what goes on.
func (a *App) Tell(e train.Event) {
	if a.Progress != nil {
		a.Progress(e)
	}
}

// NoteSlow says where plain Go computes.
func (a *App) NoteSlow() {
	if why := kernel.Slow(os.Getenv("PARLEY_CPU")); why != "" {
		a.Say("note:", why)
	}
}

// longestMessage bounds what is printed of an error: a program or a server that it quotes may have said anything.
const longestMessage = 4 << 10

// Bounded is a message, cut where it is too long to read; the whole of it is then in a file, which the end of the message names.
func Bounded(text string) string {
	if len(text) <= longestMessage {
		return text
	}
	cut := longestMessage
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s…\n(%d bytes in all%s)", text[:cut], len(text), Kept(text))
}

// Kept writes a text that is not for the terminal into a new file, and says where it is; where that fails, nothing.
func Kept(text string) string {
	f, err := os.CreateTemp("", "parley-error-*.txt")
	if err != nil {
		return ""
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err != nil || closed != nil {
		return ""
	}
	return "; the whole text is in " + f.Name()
}

// Plural is a number of things: 1 agent, 2 agents.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
