// Package studycmd is the verb study: many runs that answer one question.
//
//	study.go    list, show
//	run.go      run: the runs that are missing, and the tables
//	folder.go   the folder of a study: what is done, and what has changed
//	queue.go    so many runs at a time, and how long the rest may take
//	trainer.go  one run in a process of its own
package studycmd

import (
	"errors"
	"fmt"
	"io"

	"parley/cmd/parley/internal/cli"
	"parley/recipe"
	"parley/train/study"
)

// Study is the verb study.
type Study struct {
	Run  runCmd  `cmd:"" default:"withargs" help:"Do the runs of a study that are missing, and print its tables. The word run may be left out."`
	List listCmd `cmd:"" help:"List the shipped studies."`
	Show showCmd `cmd:"" help:"Print a study and what it would run."`
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
	Study string `arg:"" help:"Name of a shipped study, or a study file."`
	JSON  bool   `name:"json" help:"Print one JSON object {\"name\",\"yaml\",\"cells\",\"runs\"}."`
}

func (showCmd) Help() string {
	return `Prints a study as YAML, with the meaning of every key, and behind it as comments what would be run: each cell with its budget and its runs. All recipes are checked. The output is a study itself.

Examples:

    parley study show roles-sharing
    parley study show roles-sharing > mine.yaml

Exit codes: 0 printed; 2 there is no such study, or it or one of its recipes is wrong.`
}

func (c *showCmd) Run(a *cli.App) error {
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
