// Package report is what people read of a run: the table of its systems, the tables of turns and transitions, dialogues before and after
// training, and the figures (package figures). Everything comes from a [runs.Report] and what stands beside it in [Context]; nothing is
// measured here.
//
//	text.go        the report of one run
//	tables.go      its tables
//	dialogue.go    recorded dialogues
//	experiment.go  the report of several runs; variant.go has their means over seeds
package report

import (
	"fmt"
	"strings"

	"parley/internal/shell"
	"parley/runs"
	"parley/train/report/figures"
)

// A Context is what a report of one run tells beside its numbers.
type Context struct {
	Speakers []Speaker // who speaks with which base, where that is worth a word
	// Before and After are the same held-out dialogues of the untrained and the trained team; there is no After where nothing was trained.
	Before, After []runs.Dialogue
	Trained       bool
	Watched       bool   // training was watched: Diagnostics of the report are all that was found
	Dir           string // the run's folder; empty: nothing was written
}

// A Speaker is one agent's base.
type Speaker struct {
	Base   string
	Frozen bool
}

// Text is what a user reads at the end of a run: the table, dialogues before and after, where the run lies, what to do next.
func Text(r runs.Report, c Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s: %s on %d held-out problems of task %s, seed %d, %d updates\n\n", r.Recipe, r.Metric, r.Problems, r.Task, r.Seed, r.Updates)
	b.WriteString(speakers(c.Speakers))
	b.WriteString(table(r.Rows))
	if c.Trained {
		fmt.Fprintf(&b, "\ngain of training in the last turn: %+.3f   (%d tokens generated in training)\n", r.Gain, r.GeneratedTokens)
	}
	b.WriteString(notes(r.Rows, r.Metric))
	b.WriteString(comparisons(r.Comparisons) + turnTable(r.Rows) + transitionTable(r.Rows) + withoutHistory(r.WithoutHistory) + passAt(r.PassAt) + accuracyAt(r.AccuracyAt))
	if c.Watched {
		fmt.Fprintf(&b, "\nDiagnostics of training (parley run show --why says more):\n%s", findings(r.Diagnostics))
	}
	b.WriteString(dialogues(c))
	if c.Dir != "" {
		b.WriteString(next(c.Dir))
	}
	return b.String()
}

// Illustrated is a report as a file: the text, and below it the figures beside the file.
func Illustrated(text string, files map[string][]byte) string {
	var b strings.Builder
	b.WriteString(text)
	for _, p := range figures.Names {
		if _, drawn := files[p.Name+".png"]; drawn {
			fmt.Fprintf(&b, "\n![%s](%s.png)\n", p.Shows, p.Name)
		}
	}
	return b.String()
}

// findings lists what fired, one line each.
func findings(list []runs.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	if len(list) == 0 {
		b.WriteString("  nothing fired\n")
	}
	return b.String()
}

// speakers says who speaks with which base.
func speakers(list []Speaker) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	for agent, s := range list {
		frozen := ""
		if s.Frozen {
			frozen = ", frozen"
		}
		fmt.Fprintf(&b, "agent %d speaks with %s%s\n", agent+1, s.Base, frozen)
	}
	return b.String() + "\n"
}

// next says where the run lies and what to try.
func next(dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe run lies in %s\n\nNext:\n", dir)
	for _, words := range [][]string{{"run", "show", dir}, {"run", "export", dir, "--out", "adapters"}} {
		fmt.Fprintf(&b, "  parley %s\n", shell.Quote(words...))
	}
	fmt.Fprintf(&b, "  %s > mine.yaml && parley train mine.yaml\n", shell.Quote("parley", "recipe", "show", dir))
	return b.String()
}
