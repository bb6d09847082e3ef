package runcmd

import (
	"errors"

	"parley/cmd/parley/internal/cli"
	"parley/engine/native"
	"parley/runs/verify"
	"parley/train"
)

type runVerifyCmd struct {
	Run_   string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Update *int   `placeholder:"N" help:"The update to learn again. Default: the last one that has a checkpoint before it, or the first."`
	Trust  bool   `name:"trust" help:"Check a run that was made elsewhere though its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	JSON   bool   `name:"json" help:"Print one JSON object {\"ok\",\"checked\",\"problems\"}."`

	cli.Moved
}

func (runVerifyCmd) Help() string {
	return `Checks a run: its updates are consecutive, the checksums of its metrics, episodes, checkpoints and adapters are right, and the bases and files that decide its numbers have the hashes that it recorded. Then one update is learned again from its stored episodes, and the numbers are compared with the recorded ones. Nothing is written. The runs of an experiment are all checked.

Examples:

    parley run verify debate-sums-s1
    parley run verify runs/debate-sums-s1 --update 1 --json

Exit codes: 0 nothing is wrong; 1 something is wrong; 2 there is no such run.`
}

func (c *runVerifyCmd) Run(a *cli.App) error {
	dir, err := cli.FindRun(c.Run_)
	if err != nil {
		return err
	}
	update, err := asked("--update", c.Update)
	if err != nil {
		return err
	}
	v, err := train.Verify(a.Ctx, train.Options{Backend: native.Backend{}, Language: a.Language, Dir: dir, Version: cli.VersionString(), Trust: c.Trust, Moved: c.Set}, update)
	if err != nil {
		return err
	}
	if c.JSON {
		err = a.PrintJSON(v)
	} else {
		err = printVerdict(a, v)
	}
	if err == nil && !v.OK {
		return cli.Shown(errors.New("the run is not as it was recorded"))
	}
	return err
}

// printVerdict lists what was checked, then what is wrong.
func printVerdict(a *cli.App, v *verify.Verdict) error {
	for _, text := range v.Checked {
		if err := a.PrintText("ok       " + text + "\n"); err != nil {
			return err
		}
	}
	for _, text := range v.Problems {
		if err := a.PrintText("problem  " + text + "\n"); err != nil {
			return err
		}
	}
	if v.OK {
		return a.Printf("nothing is wrong\n")
	}
	if len(v.Problems) == 1 {
		return a.Printf("1 problem\n")
	}
	return a.Printf("%d problems\n", len(v.Problems))
}

// asked is the update that a flag names; 0: none is named.
func asked(flag string, n *int) (int, error) {
	switch {
	case n == nil:
		return 0, nil
	case *n < 1:
		return 0, cli.Usagef("%s is %d, expected at least 1", flag, *n)
	}
	return *n, nil
}
