// Package report is what people read of a run: the table of its systems, the tables of turns and transitions, dialogues before and after
// training, and the figures (package figures). Everything comes from a [runs.Report] and what stands beside it in [Context]; nothing is
// measured here.
//
//	text.go        the report of one run, for a terminal
//	markdown.go    the same as report.md, with pictures; of an experiment too; tables for a paper
//	csv.go         report.csv
//	tables.go      the tables of all these
//	dialogue.go    recorded dialogues
//	experiment.go  the report of several runs; variant.go has their means over seeds
package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/internal/table"
	"parley/internal/usererror"
	"parley/runs"
	"parley/runs/store"
)

// A Context is what a report of one run tells beside its numbers.
type Context struct {
	Speakers []Speaker // who speaks with which base, where that is worth a word
	// Before and After are the same held-out dialogues of the untrained and the trained team; there is no After where nothing was trained.
	Before, After []runs.Dialogue
	Trained       bool
	Watched       bool   // training was watched: Diagnostics of the report are all that was found
	Dir           string // the run's folder; empty: nothing was written
	Full          bool   // policies are trained copies of their bases, of which there are no adapters
}

// A Speaker is one agent's base.
type Speaker struct {
	Name   string // empty: it has none
	Base   string
	Frozen bool
	By     string // what speaks in the place of a base, such as script; empty: nothing
}

// overlap says how many problems were left out of training because they are measured on.
func overlap(r runs.Report) string {
	return counted(r.Overlap, "problem") + " left out of training: held out too"
}

// Text is what a user reads at the end of a run, the most important last, where it stands on the screen: dialogues before and after, where the
// run lies and what to do next, diagnostics, tables of details, and the table of all systems.
func Text(r runs.Report, c Context) string {
	var b strings.Builder
	b.WriteString(dialogues(c))
	if c.Dir != "" {
		b.WriteString(next(c))
	}
	if c.Watched {
		fmt.Fprintf(&b, "\nDiagnostics of training (parley run show --why says more):\n%s", found(r.Diagnostics))
	}
	for _, t := range details(r) {
		b.WriteString(t.Text())
	}
	b.WriteString("\n")
	explained(r.Rows, r.Metric, func(system, text string) { fmt.Fprintf(&b, "  %-21s %s\n", system, text) })
	if r.Overlap > 0 {
		fmt.Fprintf(&b, "\n%s\n", overlap(r))
	}
	fmt.Fprintf(&b, "\n%s: %s on %d held-out problems of task %s, seed %d, %d updates\n\n", r.Recipe, by(r), r.Problems, r.Task, r.Seed, r.Updates)
	b.WriteString(speakers(c.Speakers))
	b.WriteString(systems(r).Text())
	b.WriteString(few(r))
	b.WriteString(changes(r.Changes))
	if c.Trained {
		fmt.Fprintf(&b, "\ngain of training in the last turn: %s   (%d tokens generated in training)\n", signed(r.Gain), r.GeneratedTokens)
	}
	return b.String()
}

// fewProblems are so few that their interval is worth a word.
const fewProblems = 50

// few says how great a difference has to be to be seen on few problems: about half of the widest interval of a score, or of a difference.
func few(r runs.Report) string {
	half := 0.0
	for _, c := range r.Comparisons {
		half = max(half, (c.CI95[1]-c.CI95[0])/2)
	}
	for _, row := range r.Rows {
		half = max(half, (row.CI95[1]-row.CI95[0])/2)
	}
	if r.Problems >= fewProblems || half == 0 || math.IsInf(half, 0) {
		return ""
	}
	return fmt.Sprintf("\nnote: a difference of about %s is the least that %s can show (eval.problems)\n", table.Number(half), counted(r.Problems, "held-out problem"))
}

// by is the measure of a report in words.
func by(r runs.Report) string {
	if r.Measure == nil {
		return r.Metric
	}
	return r.Measure.String()
}

// found lists what fired, one line each.
func found(list []store.Diagnostic) string {
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
		fmt.Fprintln(&b, s.with(agent))
	}
	return b.String() + "\n"
}

// with says which base an agent speaks with.
func (s Speaker) with(agent int) string {
	name := cmp.Or(s.Name, fmt.Sprintf("agent %d", agent+1))
	if s.By == "executor" {
		return name + " runs programs in the sandbox"
	}
	if s.By != "" {
		return fmt.Sprintf("%s speaks by its %s", name, s.By)
	}
	frozen := ""
	if s.Frozen {
		frozen = ", frozen"
	}
	return fmt.Sprintf("%s speaks with %s%s", name, s.Base, frozen)
}

// next says where the run lies and what to try.
func next(c Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe run lies in %s\n\nNext:\n", c.Dir)
	for _, command := range commands(c) {
		fmt.Fprintf(&b, "  %s\n", command)
	}
	return b.String()
}

// commands are what to try with a run. One in which nothing was trained has nothing to serve or to export.
func commands(c Context) []string {
	list := []string{usererror.Quote("parley", "run", "show", c.Dir), usererror.Quote("parley", "ui", c.Dir)}
	if c.Trained {
		list = append(list, usererror.Quote("parley", "serve", c.Dir))
	}
	switch {
	case c.Trained && c.Full:
		list = append(list, usererror.Quote("parley", "run", "export", c.Dir, "--merged", "--out", "models"))
	case c.Trained:
		list = append(list, usererror.Quote("parley", "run", "export", c.Dir, "--out", "adapters"))
	}
	return append(list, usererror.Quote("parley", "recipe", "show", c.Dir)+" > next.yaml && parley train next.yaml")
}

// Check says what is wrong with the report of a run that was read from a file and is to be put together with others; nil: nothing.
func Check(r runs.Report) error {
	if len(r.Rows) == 0 {
		return errors.New("the report has no rows")
	}
	rows := r.Rows
	for a := r.Also; a != nil; a = a.Also {
		if a.Measure == nil || len(a.Rows) == 0 {
			return fmt.Errorf("the report's table of %q has no measure or no rows", a.Metric)
		}
		rows = slices.Concat(rows, a.Rows)
	}
	for _, row := range rows {
		turns := len(row.PerTurn)
		if row.System == "" || turns == 0 || !forEach(len(row.PerTurnCI95), turns) || !forEach(len(row.Turns), turns) || !forEach(len(row.Transitions), turns-1) {
			return fmt.Errorf("the report's row %q does not have one value for each turn", row.System)
		}
	}
	return nil
}

// forEach reports whether a list has something for each of n, or nothing.
func forEach(length, n int) bool { return length == 0 || length == n }
