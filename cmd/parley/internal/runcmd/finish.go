package runcmd

import (
	"fmt"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/internal/usererror"
	"parley/runs"
	"parley/train"
)

type runFinishCmd struct {
	Run_   string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Accept bool   `name:"accept-changed" help:"Measure though files, the base or parley itself are others than the run began with. The report says so."`
	Trust  bool   `name:"trust" help:"Measure a run that was made elsewhere though its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	Loss   bool   `name:"accept-loss" help:"Measure though something that the run wrote is damaged and cannot be made again."`
	JSON   bool   `name:"json" help:"Print the report as one JSON object."`

	cli.Moved
	cli.Events
}

func (runFinishCmd) Help() string {
	return `Ends a run that was stopped, without training: the team of its newest checkpoint is measured, and the report is about the updates up to there. The run can still be trained further afterwards.

Examples:

    parley run finish debate-sums-s1
    parley run finish runs/debate-sums-s1 --json

Exit codes: 0 measured and reported; 1 failed; 2 there is no such run, or it has no checkpoint; 130 interrupted.`
}

func (c *runFinishCmd) Run(a *cli.App) error { return c.While(a, c.finish) }

func (c *runFinishCmd) finish(a *cli.App) error {
	dir, err := cli.FindOne(c.Run_, "parley", "run", "finish")
	if err != nil {
		return err
	}
	s, err := runs.Summarise(dir)
	if err != nil {
		return err
	}
	if s.State == runs.Damaged {
		return fmt.Errorf("%s is damaged: %s", dir, s.Problem)
	}
	if s.Checkpoint == 0 {
		return cli.Usagef("%s has no checkpoint to measure: %s", dir, usererror.Train("--resume", dir))
	}
	o := train.Options{
		Backend: cli.Backend(), Language: a.Language, Dir: dir, Resume: true, MaxUpdates: s.Checkpoint, Version: cli.VersionString(), AcceptChanged: c.Accept, AcceptLoss: c.Loss, Trust: c.Trust, Moved: c.Set,
	}
	result, err := live.Watched(a, train.Run, o)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(result.Report)
	}
	return a.PrintReport(result.Text, result.Dir)
}
