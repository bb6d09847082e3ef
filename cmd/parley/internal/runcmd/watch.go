package runcmd

import (
	"fmt"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/runs"
)

type runWatchCmd struct {
	Run_  string        `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Every time.Duration `default:"1s" placeholder:"TIME" help:"How often the run is looked at."`
}

func (runWatchCmd) Help() string {
	return `Shows the progress of a run that another process trains, as train itself does: a live view on a terminal, lines elsewhere. It ends when the run does. It only reads, so that ^C ends watching and not the run.

Example:

    parley run watch magrpo-tiny-s1

Exit codes: 0 the run is finished; 1 it failed or was interrupted, or it cannot be read; 2 there is no such run; 130 watching was interrupted.`
}

func (c *runWatchCmd) Run(a *cli.App) error {
	if c.Every < 10*time.Millisecond {
		return cli.Usagef("--every is %v, expected at least 10ms", c.Every)
	}
	dir, err := cli.FindRun(c.Run_)
	if err != nil {
		return err
	}
	s, err := live.Follow(a, dir, c.Every)
	if err != nil {
		return err
	}
	if s.State == runs.Finished {
		return a.Printf("%s: finished after %d updates; `parley run show %s` prints its report\n", s.Dir, s.Updates, s.Name)
	}
	if s.Problem != "" {
		return fmt.Errorf("%s: %s after %d updates: %s", s.Dir, s.State, s.Updates, s.Problem)
	}
	return fmt.Errorf("%s: %s after %d updates; go on with: %s", s.Dir, s.State, s.Updates, runs.Again(s.Dir))
}
