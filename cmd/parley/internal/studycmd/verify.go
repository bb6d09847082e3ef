package studycmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/service"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/train"
	"parley/train/study"
)

type verifyCmd struct {
	Study string `arg:"" help:"Name of a shipped study, or a study file."`
	Runs  int    `default:"1" placeholder:"N" help:"How many runs are drawn."`
	Seed  int    `default:"1" placeholder:"N" help:"Seed of the draw: another one draws other runs."`
	Out   string `placeholder:"DIR" help:"Folder of the study. Default: study-NAME in the runs folder."`
	Rows  string `placeholder:"FILE" help:"Compare with the raw rows in FILE, instead of those in the study's folder."`
	JSON  bool   `name:"json" help:"Print one JSON object {\"ok\",\"again\",\"cells\"}."`
}

func (verifyCmd) Help() string {
	return `Draws runs of a study that has rows, does them again in a temporary folder, and compares their rows, less seconds and memory. The same seed draws the same runs, and a larger --runs draws them too. Nothing of the study is written. If a run has other numbers, the temporary folder is kept.

Rows repeat with the same version and the same kernels. What is known to have changed since stands in a note.

Examples:

    parley study verify roles-sharing
    parley study verify roles-sharing --runs 3 --seed 7 --json
    parley study verify roles-sharing --rows docs/studies/roles-sharing.jsonl

Exit codes: 0 all drawn runs have the numbers of their rows; 1 one has others, or failed; 2 there is no such study, or it has no rows; 130 interrupted.`
}

// A checked run was drawn and done again.
type checked struct {
	Cell        string       `json:"cell"`
	Seed        int          `json:"seed"`
	Equal       bool         `json:"equal"`
	Differences []difference `json:"differences,omitempty"`
	Notes       []string     `json:"notes,omitempty"` // what is another than when the row was measured
}

func (c *verifyCmd) Run(a *cli.App) error {
	if c.Runs < 1 {
		return cli.Usagef("--runs is %d, expected at least 1", c.Runs)
	}
	s, plan, err := load(a, c.Study)
	if err != nil {
		return err
	}
	old := folderOf(c.Out, s, plan)
	rows, err := readRows(cmp.Or(c.Rows, filepath.Join(old.dir, rowsFile)))
	if err != nil {
		return fmt.Errorf("%w; a study that was run has rows there, and --rows names others", err)
	}
	list, of := draw(plan, rows, c.Runs, c.Seed)
	if of == 0 {
		return cli.Usagef("the rows have no finished run of study %s", s.Name)
	}
	dir, err := os.MkdirTemp("", "parley-study-")
	if err != nil {
		return err
	}
	now, err := rerun(a, s, list, dir)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	cells, ok := make([]checked, len(list)), true
	for i, d := range list {
		cells[i] = checked{Cell: d.run.Cell, Seed: d.run.Seed, Differences: differences(d.was, now[i])}
		cells[i].Equal = len(cells[i].Differences) == 0
		cells[i].Notes, ok = c.notes(a.Language, old, d, now[i], cells[i].Equal), ok && cells[i].Equal
	}
	if !ok {
		a.Say("the new runs are kept in", dir)
	} else if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return c.print(a, cells, ok, fmt.Sprintf("Drawn from %d runs; this draws the same: %s", of, c.again()))
}

// again is the command that draws the same runs.
func (c *verifyCmd) again() string {
	words := []string{"parley", "study", "verify", c.Study, "--runs", strconv.Itoa(c.Runs), "--seed", strconv.Itoa(c.Seed)}
	if c.Out != "" {
		words = append(words, "--out", c.Out)
	}
	if c.Rows != "" {
		words = append(words, "--rows", c.Rows)
	}
	return usererror.Quote(words...)
}

// rerun does the drawn runs in a folder. Their rows have the metrics of the study, and what else the old rows have.
func rerun(a *cli.App, s *study.Study, list []drawn, dir string) ([]study.Row, error) {
	wider, plan := *s, &study.Plan{}
	wider.Metrics = slices.Clone(s.AllMetrics())
	for _, d := range list {
		plan.Runs = append(plan.Runs, d.run)
		for name := range d.was.Metrics {
			if !slices.Contains(wider.Metrics, name) {
				wider.Metrics = append(wider.Metrics, name)
			}
		}
	}
	f, err := openFolder(dir, &wider, plan, a.Language)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	failed, err := f.work(a, 0)
	if errors.Is(err, context.Canceled) {
		return nil, fmt.Errorf("%w%s: nothing is kept", train.ErrInterrupted, service.Waited(err))
	}
	rows, _ := f.rows(failed)
	return rows, err
}

// notes say what is another than when a row was measured, as far as that is known.
func (c *verifyCmd) notes(l *recipe.Language, old *studyFolder, d drawn, now study.Row, equal bool) (list []string) {
	note := func(known bool, format string, args ...any) {
		if known {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	kernels := d.was.Kernels
	if meta, err := runs.Read(old.runDir(d.run.Name)); err == nil && c.Rows == "" {
		kernels = meta.Kernels
		what := old.changed(l, d.run)
		note(what != "", "the recipe has changed since: %s", what)
		note(meta.Study != nil && meta.Study.SHA256 != fmt.Sprintf("%x", sha256.Sum256(old.study.YAML())), "the study's file has changed since")
		note(meta.Parley != cli.VersionString(), "it was parley %s, and is %s", meta.Parley, cli.VersionString())
	}
	note(kernels == "" && !equal, "the row does not name its kernels, and others give other numbers: here they are %s", now.Kernels)
	note(kernels != "" && kernels != now.Kernels, "the kernels were %s, and others give other numbers: here they are %s", kernels, now.Kernels)
	return list
}

// print writes what came of the runs, and how to draw them again.
func (c *verifyCmd) print(a *cli.App, cells []checked, ok bool, again string) error {
	if c.JSON {
		return unequal(ok, a.PrintJSON(map[string]any{"ok": ok, "again": c.again(), "cells": cells}))
	}
	var text strings.Builder
	for _, x := range cells {
		word := "unequal"
		if x.Equal {
			word = "equal"
		}
		fmt.Fprintf(&text, "%-8s %s, seed %d\n", word, x.Cell, x.Seed)
		for _, d := range x.Differences {
			fmt.Fprintf(&text, "         %s: %s in the row, %s now\n", d.Field, cmp.Or(d.Was, "nothing"), cmp.Or(d.Now, "nothing"))
		}
		for _, note := range x.Notes {
			fmt.Fprintf(&text, "         note: %s\n", note)
		}
	}
	return unequal(ok, a.PrintText(text.String()+again+"\n"))
}

// unequal is the error of a verdict that is printed.
func unequal(ok bool, err error) error {
	if err == nil && !ok {
		return cli.Shown(errors.New("the study's runs do not have the numbers of its rows"))
	}
	return err
}
