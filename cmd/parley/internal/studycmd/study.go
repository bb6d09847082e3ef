// Package studycmd is the verb study: many runs that answer one question.
//
//	study.go    list, show
//	run.go      run: the runs that are missing, and the tables
//	folder.go   the folder of a study: what is done, and what has changed
//	queue.go    so many runs at a time, and how long the rest may take
//	trainer.go  one run in a process of its own
//	cost.go     what the runs took
//	verify.go   verify: some runs again
//	drawn.go    which ones, and what is another of them
package studycmd

import (
	"errors"
	"fmt"
	"io"

	"parley/cmd/parley/internal/cli"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/train/study"
)

// Study is the verb study.
type Study struct {
	Run  runCmd  `cmd:"" default:"withargs" help:"Do the runs of a study that are missing, and print its tables. The word run may be left out."`
	List listCmd `cmd:"" help:"List the shipped studies."`
	Show showCmd `cmd:"" help:"Print a study and what it would run, or what it costs."`

	Verify verifyCmd `cmd:"" help:"Run a part of a study again, and compare it with its rows."`
}

type listCmd struct {
	JSON bool `name:"json" help:"Print one JSON array of {\"name\",\"question\",\"runs\",\"minutes\"}."`
}

func (listCmd) Help() string {
	return `Lists the studies that ship with parley. The column minutes is about how long all runs take on two cores.

Examples:

    parley study list
    parley study list --json

Exit codes: 0 listed.`
}

func (c *listCmd) Run(a *cli.App) error {
	type item struct {
		Name     string  `json:"name"`
		Question string  `json:"question"`
		Runs     int     `json:"runs"`
		Minutes  float64 `json:"minutes"`
	}
	var list []item
	for _, s := range study.All(a.Language) {
		list = append(list, item{s.Name, s.Question, len(s.Plan.Runs), s.Minutes})
	}
	if c.JSON {
		return a.PrintJSON(list)
	}
	return a.Table(func(w io.Writer) {
		cli.Row(w, "study", "runs", "minutes", "question")
		for _, s := range list {
			cli.Row(w, s.Name, s.Runs, s.Minutes, s.Question)
		}
	})
}

type showCmd struct {
	Study string `arg:"" optional:"" help:"Name of a shipped study, or a study file. With --cost: default all shipped ones."`
	Cost  bool   `help:"Print what the study takes instead: minutes of two cores."`
	Rows  string `placeholder:"FILE" help:"With --cost: raw rows of the study. Default: rows.jsonl in its folder, where it is there."`
	JSON  bool   `name:"json" help:"Print one JSON object {\"name\",\"yaml\",\"cells\",\"runs\"}, or with --cost {\"studies\",\"minutes\"}."`
}

func (showCmd) Help() string {
	return `Prints a study as YAML, with the meaning of every key, and behind it as comments what would be run: each cell with its budget and its runs. All recipes are checked. The output is a study itself.

With --cost it prints the minutes of two cores that the runs took, their evaluation included, where rows have them, or else the study's estimate. Without a study it does so for all shipped ones, with the sum.

Examples:

    parley study show roles-sharing
    parley study show roles-sharing > mine.yaml
    parley study show --cost

Exit codes: 0 printed; 2 there is no such study, or it or one of its recipes is wrong.`
}

func (c *showCmd) Run(a *cli.App) error {
	switch {
	case c.Rows != "" && (!c.Cost || c.Study == ""):
		return cli.Usagef("--rows are those of one study, for --cost: write parley study show NAME --cost --rows %s", usererror.Quote(c.Rows))
	case c.Cost:
		return c.costs(a)
	case c.Study == "":
		return cli.Usagef("name a study: `parley study list` shows the shipped ones")
	}
	s, plan, err := load(a, c.Study)
	if err != nil {
		return err
	}
	if c.JSON {
		names := []string{}
		for _, run := range plan.Runs {
			names = append(names, run.Name)
		}
		return a.PrintJSON(map[string]any{"name": s.Name, "yaml": string(s.YAML()), "cells": plan.Cells, "runs": names})
	}
	if err := a.Printf("%s\n# %d runs, %d seeds each of:\n", s.YAML(), len(plan.Runs), len(s.Seeds)); err != nil {
		return err
	}
	for _, cell := range plan.Cells {
		budget := "as long as its recipe says"
		if cell.Tokens > 0 {
			budget = fmt.Sprintf("%d generated tokens", cell.Tokens)
		}
		if err := a.Printf("#   %s: %s\n", cell.Name, budget); err != nil {
			return err
		}
	}
	return nil
}

// load reads a study; one that is not there, or that cannot be opened, is a mistake on the command line.
func load(a *cli.App, name string) (*study.Study, *study.Plan, error) {
	s, plan, err := study.Load(a.Language, name)
	if list := new(recipe.Errors); err != nil && !errors.As(err, &list) {
		return nil, nil, cli.Usagef("%v", err)
	}
	return s, plan, err
}
