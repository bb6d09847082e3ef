// Package initcmd is the verb init: from a person's data to a recipe that runs.
//
//	init.go      the flags, and the order of the work
//	ask.go       the questions on a terminal
//	look.go      what is seen of the data, and the guesses that follow
//	draft.go     the decisions of a recipe
//	shape.go     who sees whom
//	harness.go   a program that decides that
//	text.go      the recipe as commented YAML
//	settle.go    checking: the language reads the recipe, and its task is opened
package initcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/usererror"
	"parley/model"
)

// Cmd is the verb init. What is empty is asked for, guessed or left at a default.
type Cmd struct {
	File        string   `arg:"" optional:"" help:"Recipe file to write. Default: the name of the data, in the current folder."`
	Out         string   `placeholder:"FILE.yaml" help:"Recipe file to write: what the argument names, as a flag."`
	Data        string   `placeholder:"PATH" help:"A file, a folder, or the name of a pulled data set."`
	Question    string   `placeholder:"KEY" help:"Key of the question. Default: guessed."`
	Answer      string   `placeholder:"KEY" help:"Key of the right answer. Default: guessed."`
	Match       string   `placeholder:"HOW" help:"How answers are compared: exact, normalised, squad, number, choice or none. Default: guessed from all answers."`
	Base        string   `placeholder:"MODEL" help:"The frozen base: parley-base, a folder, a GGUF file or a pulled model. Default: parley-base."`
	Agents      int      `placeholder:"N" help:"Number of agents. Default: one for each role, or else 2."`
	Roles       []string `placeholder:"A,B,C" help:"A role for each agent, with commas between."`
	Reward      string   `placeholder:"REWARD" help:"label compares with the right answer; FILE.py or http://… is a reward of your own; harness is what the program of --harness says. Default: label, where there are answers."`
	Protocol    string   `placeholder:"NAME" help:"Who sees whom: chain, review, parallel, debate or leader; or single, central or pipeline. Default: asked on a terminal; else debate with label, parallel with a reward of your own, single with one agent."`
	Harness     string   `placeholder:"FILE.py" help:"A program of yours in which the team works. What it calls its agents is found out by playing one problem with scripted answers. Without --data it works on the shipped task sums."`
	Interpreter string   `placeholder:"PYTHON" help:"The Python of --harness, such as .venv/bin/python. Default: python3."`
	JSON        bool     `name:"json" help:"Print one JSON object {\"file\",\"train\",\"held_out\",\"notes\",\"warnings\",\"next\",\"team\"}."`
}

// Help says what the verb does.
func (Cmd) Help() string {
	return `Writes a commented recipe for your own data. It looks at the data, guesses what flags leave open, reads every row as training would, and checks the recipe before it writes it. No file is overwritten. On a terminal, without --data, it asks.

--protocol says who sees whom:

    chain      solver → critic → judge   one after the other; each reads all before it, and the last one answers
    review     writer ⇄ reviewer         the second sends back what the first wrote, twice at most
    parallel   solver | critic           all answer at once, each by itself
    debate     solver ⇄ critic           all answer, read each other, and answer again
    leader     critic, judge → solver    the others propose, and the first one decides

Examples:

    parley init
    parley init --data qa.jsonl
    parley init --data qa.jsonl --roles solver,critic,judge --protocol chain
    parley init --harness team.py
    parley init --data qa.jsonl --harness team.py
    parley init team.yaml --data qa.csv --question q --answer a --roles solver,critic,judge --reward reward.py

Exit codes: 0 the recipe is written; 1 it cannot be written; 2 a flag, the data or a file that flags name is wrong, and nothing is written; 130 interrupted.`
}

// Run asks, guesses, checks and writes.
func (c Cmd) Run(a *cli.App) error {
	if c.File != "" && c.Out != "" {
		return cli.Usagef("FILE and --out both name the recipe file: write one of them")
	}
	if c.Agents < 0 {
		return cli.Usagef("--agents is %d, expected at least 1", c.Agents)
	}
	c.File += c.Out
	seen, err := c.complete(a)
	if err != nil {
		return err
	}
	if err := c.free(); err != nil {
		return err
	}
	d, err := c.draft(a.Ctx, seen)
	if err != nil {
		return err
	}
	if seen == nil {
		d.task = a.Language.Defaults().Task.Name
		d.notes = append(d.notes, fmt.Sprintf("without --data the team works on %s, the arithmetic that ships; --data FILE names questions of your own", d.task))
	}
	s, err := settle(a, d)
	if err != nil {
		return err
	}
	if err := write(d.file, d.text()); err != nil {
		return err
	}
	return c.report(a, d, s)
}

// free says that nothing has the name of the recipe file yet.
func (c Cmd) free() error {
	if _, err := os.Lstat(c.File); err == nil {
		return cli.Usagef("%s is there already: name another file, or remove it", c.File)
	}
	if info, err := os.Stat(filepath.Dir(c.File)); err != nil || !info.IsDir() {
		return cli.Usagef("there is no folder %s for the recipe: make it first", filepath.Dir(c.File))
	}
	return nil
}

// write makes the file; one that is there stays as it is.
func write(name, text string) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write recipe: %w", err)
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write recipe: %w", err)
	}
	return nil
}

// report says what was written, what to know about it, and how to go on.
func (c Cmd) report(a *cli.App, d *draft, s settled) error {
	next := []string{
		usererror.Quote("parley", "data", "show", c.Data, "--recipe", d.file),
		usererror.Quote("parley", "train", d.file, "--dry-run"),
		usererror.Quote("parley", "train", d.file),
	}
	if d.harness != "" {
		next[0] = usererror.Quote("parley", "harness", "play", d.file)
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{
			"file": d.file, "train": s.train, "held_out": s.heldOut, "notes": append([]string{}, d.notes...),
			"warnings": append([]string{}, s.warnings...), "next": next, "team": drawn(d.protocol, d.names()),
		})
	}
	for _, note := range d.notes {
		a.Say("note:", note)
	}
	for _, w := range s.warnings {
		a.Say("warning:", w)
	}
	return a.Printf("%s is written: %d training problems, %d held out.\nWho sees whom: %s: %s.\nNext:\n\n    %s\n", d.file, s.train, s.heldOut, drawn(d.protocol, d.names()), sees[d.protocol], strings.Join(next, "\n    "))
}

// usualFile is the recipe file that is named after a data set.
func usualFile(data string) string { return nameOf(filepath.Base(data)) + ".yaml" }

// usualBase is the base that ships.
const usualBase = model.Shipped
