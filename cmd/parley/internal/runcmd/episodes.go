package runcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/runs"
	"parley/viewer/episodes"
)

type runEpisodesCmd struct {
	Run_   string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Update string `placeholder:"A:B" help:"Only the updates from A to B, both included, from 1; an end may be left out, and a number alone is one update. Default: all."`
	JSON   bool   `name:"json" help:"Print the episodes as JSON lines, as the run has stored them, for a program that cannot unpack zstd."`
}

func (runEpisodesCmd) Help() string {
	return `Prints how many episodes each update of training has, or, with --json, the episodes themselves, one a line (docs/run-folder.md says what they hold). What is damaged is left out, and stderr names it.

Examples:

    parley run episodes magrpo-tiny-s1
    parley run episodes magrpo-tiny-s1 --update 2:3 --json

Exit codes: 0 printed; 1 the run cannot be read; 2 there is no such run or update.`
}

func (c *runEpisodesCmd) Run(a *cli.App) error {
	dir, err := cli.FindOne(c.Run_, "parley", "run", "episodes")
	if err != nil {
		return err
	}
	first, last, err := c.updates()
	if err != nil {
		return err
	}
	all, err := episodes.Open(dir).Updates()
	if err != nil {
		return err
	}
	counts, known := map[int]int{}, []int{}
	for _, update := range all {
		if update < first || update > last {
			continue
		}
		known = append(known, update)
		if counts[update], err = c.one(a, dir, update); err != nil {
			return err
		}
	}
	if len(known) == 0 && c.Update != "" {
		return cli.Usagef("%s has no episodes of the updates %s", dir, c.Update)
	}
	if c.JSON {
		return nil
	}
	return a.Table(func(w io.Writer) {
		cli.Row(w, "update", "episodes")
		for _, update := range known {
			cli.Row(w, update, counts[update])
		}
	})
}

// updates are the first and the last that are asked for.
func (c *runEpisodesCmd) updates() (first, last int, err error) {
	from, to, several := strings.Cut(c.Update, ":")
	if !several {
		to = from
	}
	if first, err = c.number(from, 1); err == nil {
		last, err = c.number(to, math.MaxInt)
	}
	return first, last, err
}

// number is an end of what is asked for; where it is left out, it is the usual one.
func (c *runEpisodesCmd) number(text string, usual int) (int, error) {
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, cli.Usagef("--update is %q, expected a number from 1 on, or two such as 2:5", c.Update)
	}
	return n, nil
}

// one prints the episodes of an update, and counts them.
func (c *runEpisodesCmd) one(a *cli.App, dir string, update int) (count int, err error) {
	line := 0
	var unwritten error
	err = runs.EpisodeLines(dir, update, func(episode []byte) error {
		if line++; !json.Valid(episode) {
			a.Sayf("%s, line %d: left out, it is damaged\n", runs.EpisodeFile(update), line)
			return nil
		}
		if count++; c.JSON {
			unwritten = a.PrintText(string(bytes.TrimSpace(episode)) + "\n")
		}
		return errors.Join(unwritten, a.Ctx.Err())
	})
	switch {
	case unwritten != nil || a.Ctx.Err() != nil:
		return count, err
	case err != nil:
		a.Sayf("what follows is left out, it is damaged: %v\n", err)
	}
	return count, nil
}
