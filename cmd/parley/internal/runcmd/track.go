package runcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/cmd/parley/internal/cli"
	"parley/internal/folder"
	"parley/runs"
	"parley/runs/scalars"
	"parley/train/progress"
)

// tracked are the flags of an export to tools that follow trainings.
type tracked struct {
	TensorBoard bool   `name:"tensorboard" help:"Write TensorBoard event files instead of policies."`
	MLflow      string `name:"mlflow" placeholder:"URL" help:"Send what was measured to this MLflow server instead."`
	Experiment  string `placeholder:"NAME" default:"parley" help:"The experiment on the MLflow server."`
	TokenEnv    string `name:"token-env" placeholder:"VARIABLE" help:"The environment variable that holds the MLflow server's token."`
}

func (t tracked) asked() bool { return t.TensorBoard || t.MLflow != "" }

// track exports the run in dir, or all runs of an experiment.
func (c *runExportCmd) track(a *cli.App, dir string) error {
	if c.Merged || c.Policy != "" || c.Base != "" || c.DType != "base" {
		return cli.Usagef("export: --merged, --policy, --base and --dtype are for policies, and --tensorboard and --mlflow export none")
	}
	if c.Tracked.TensorBoard && c.Tracked.MLflow != "" {
		return cli.Usagef("export: --tensorboard and --mlflow are two exports: run the command twice")
	}
	dirs, err := singleRuns(dir)
	if err != nil {
		return err
	}
	if c.Tracked.MLflow != "" {
		return c.send(a, dirs)
	}
	return c.writeEvents(a, dir, dirs)
}

// singleRuns are the runs of an experiment, or the run itself.
func singleRuns(dir string) ([]string, error) {
	report, err := runs.ReadReport(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(report.Runs) == 0 {
		return []string{dir}, nil
	}
	var out []string
	for _, name := range report.Runs {
		out = append(out, filepath.Join(dir, name))
	}
	return out, nil
}

// writeEvents writes a folder with an event file for each run.
func (c *runExportCmd) writeEvents(a *cli.App, dir string, dirs []string) error {
	out := c.Out
	if out == "" {
		out = filepath.Base(dir) + "-tensorboard"
	}
	if _, err := os.Lstat(out); err == nil {
		return cli.Usagef("export: %s exists already: choose another --out", out)
	}
	err := folder.Whole(out, func(tmp string) error {
		for _, d := range dirs {
			name, content, err := scalars.TensorBoard(d)
			if err != nil {
				return err
			}
			inner := filepath.Join(tmp, progress.TrackedName(d))
			if err := os.MkdirAll(inner, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(inner, name), content, 0o644); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("export to %s: %w", out, err)
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"out": out, "runs": dirs})
	}
	return a.Printf("%s\n", out)
}

// send sends each run to the MLflow server.
func (c *runExportCmd) send(a *cli.App, dirs []string) error {
	if c.Out != "" {
		return cli.Usagef("export: --out is a folder, and --mlflow writes none")
	}
	o := scalars.MLflowOptions{URL: c.Tracked.MLflow, Experiment: c.Tracked.Experiment}
	if v := c.Tracked.TokenEnv; v != "" {
		o.Token = os.Getenv(v)
	}
	ids := map[string]string{}
	for _, d := range dirs {
		o.Name = filepath.ToSlash(progress.TrackedName(d))
		id, err := scalars.SendMLflow(a.Ctx, d, o)
		if err != nil {
			return fmt.Errorf("export %s: %w", d, err)
		}
		ids[d] = id
		if !c.JSON {
			if err := a.Printf("%s is run %s\n", d, id); err != nil {
				return err
			}
		}
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"mlflow": o.URL, "experiment": o.Experiment, "runs": ids})
	}
	return nil
}
