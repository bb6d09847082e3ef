package traincmd

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/train"
	"parley/train/kept"
	"parley/train/plan"
)

// EvalCmd is the verb eval.
type EvalCmd struct {
	Target string   `arg:"" optional:"" name:"run-or-recipe" help:"Folder or name of a run, or name or file of a recipe."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable. Of a run: where a file that its recipe names is now, such as task.path=PATH."`
	Resume string   `placeholder:"DIR" help:"Go on with an interrupted evaluation. What it has finished is not done again."`
	Accept bool     `name:"accept-changed" help:"Measure a run though files or the base are others than it was trained with. The report says so."`
	Trust  bool     `name:"trust" help:"Measure a run that was made elsewhere though its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	JSON   bool     `name:"json" help:"Print the report as one JSON object."`

	Answers string `placeholder:"FILE" help:"Write what every system answered to every held-out problem to FILE, with its score: JSON lines, packed with zstd, as docs/run-folder.md describes those of a run."`

	cli.Overlays
	cli.Events
}

func (EvalCmd) Help() string {
	return `Evaluates a team on held-out problems without training. A run: its team before and after training. A recipe: its untrained team. Both are compared with the recipe's untrained baselines, at the same number of generated tokens.

Problems that are finished are kept in a folder, eval-NAME in the runs folder, until all is done. ^C leaves it there, and parley prints the command that goes on. The result is that of an evaluation that nobody interrupted. At the end the folder is removed, and nothing is left on disk.

Examples:

    parley eval debate-sums-s1
    parley eval debate-sums --set eval.problems=100 --json
    parley eval --resume runs/eval-debate-sums

Exit codes: 0 evaluated; 1 failed; 2 there is no such run or recipe, or it is wrong; 130 interrupted, and what is finished is kept.`
}

func (c *EvalCmd) Run(a *cli.App) error { return c.While(a, c.evaluate) }

func (c *EvalCmd) evaluate(a *cli.App) error {
	options, err := c.options(a)
	if err != nil {
		return err
	}
	result, err := live.Watched(a, train.Evaluate, options)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(result.Report)
	}
	return a.PrintReport(result.Text, result.Dir)
}

// options finds out whether a run or a recipe is meant. A run has the preference: a recipe can also be named by its file.
func (c *EvalCmd) options(a *cli.App) (train.Options, error) {
	o := train.Options{Backend: cli.Backend(), Language: a.Language, MaxUpdates: -1, Version: cli.VersionString(), AcceptChanged: c.Accept, Trust: c.Trust, Answers: c.Answers}
	if c.Resume != "" {
		return o, c.resume(&o)
	}
	if c.Target == "" {
		return o, cli.Usagef("name a run or a recipe to evaluate, or --resume DIR to go on with an interrupted evaluation")
	}
	var err error
	dir, noRun := cli.FindRun(c.Target)
	var usage *cli.UsageError
	switch {
	case noRun == nil:
		if err := cmp.Or(c.Refuse(dir), cli.One(dir, "parley", "eval")); err != nil {
			return o, err
		}
		o.Dir = dir
		if o.Moved, err = whole(c.Set); err != nil {
			return o, err
		}
		o.Kept = keeping(a, filepath.Base(dir))
		return o, err
	case !errors.As(noRun, &usage) || errors.As(noRun, new(*cli.StudyError)):
		return o, noRun
	}
	o.Recipe, err = a.Language.Load(c.Target, c.Set, c.Overlay...)
	if _, ok := errors.AsType[*recipe.UnknownError](err); ok {
		return o, cli.UnknownTarget(c.Target)
	}
	if err == nil {
		err = plan.CheckFields(a.Ctx, c.Target, o.Recipe)
	}
	if err == nil {
		o.Kept = keeping(a, o.Recipe.Name)
	}
	return o, err
}

// whole makes the paths of changes whole: an evaluation that is interrupted may go on from another folder.
func whole(sets []string) (out []string, err error) {
	for _, set := range sets {
		key, path, ok := strings.Cut(set, "=")
		if _, missing := os.Stat(path); ok && missing == nil {
			if path, err = filepath.Abs(path); err != nil {
				return nil, err
			}
			set = key + "=" + path
		}
		out = append(out, set)
	}
	return out, nil
}

// keeping is the folder that keeps what an evaluation finishes. Folders of interrupted evaluations stay; the first of
// them is reported.
func keeping(a *cli.App, name string) string {
	dir, interrupted := kept.FreeDir(runs.Root(), name)
	if interrupted != "" {
		a.Sayf("note: %s is an interrupted evaluation; `%s` goes on there, and this one begins anew\n", interrupted, usererror.Quote("parley", "eval", "--resume", interrupted))
	}
	return dir
}

// resume goes on in a folder, which may be named as those of runs are.
func (c *EvalCmd) resume(o *train.Options) error {
	if c.Target != "" || len(c.Set) > 0 || len(c.Overlay) > 0 || c.Accept {
		return cli.Usagef("--resume goes on with what was evaluated: leave out the run or recipe, --set, --overlay and --accept-changed")
	}
	o.Kept, o.Resume = c.Resume, true
	if inside := filepath.Join(runs.Root(), c.Resume); !kept.Is(c.Resume) && kept.Is(inside) {
		o.Kept = inside
	}
	return nil
}
