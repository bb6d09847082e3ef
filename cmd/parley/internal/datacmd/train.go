package datacmd

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/rl/verifier"
	"parley/train/lineup"
)

type verifierTrainCmd struct {
	Data       string   `arg:"" help:"Folder that verifier data or verifier balance has written."`
	Out        string   `required:"" placeholder:"DIR" help:"New folder for the verifier."`
	Set        []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recorded recipe, such as engine.dtype=nf4. Repeatable."`
	LossTokens string   `enum:"all,last_half,last" default:"all" help:"Tokens of a solution in the loss: all, last_half or last. Default: ${default}."`
	Validation float64  `default:"0.1" placeholder:"SHARE" help:"Share of the problems that are held out (${default})."`
	Epochs     int      `default:"1" placeholder:"N" help:"Passes over the solutions (${default})."`
	Batch      int      `default:"2" placeholder:"N" help:"Solutions per optimizer step (${default})."`
	LR         float64  `name:"lr" default:"2e-4" placeholder:"X" help:"Learning rate (${default})."`
	Warmup     int      `default:"5" placeholder:"N" help:"Optimizer steps of warm-up (${default})."`
	Rank       int      `default:"16" placeholder:"N" help:"Rank of the adapter (${default})."`
	Alpha      float64  `default:"32" placeholder:"X" help:"The adapter's output is scaled by alpha/rank (${default})."`
	MaxTokens  int      `default:"550" placeholder:"N" help:"Leave out solutions that are longer than this with their problem (${default}). 0: the context of the base."`
	Seed       uint64   `default:"1" placeholder:"N" help:"Seed of all random choices (${default})."`
	JSON       bool     `name:"json" help:"Print the report as one JSON object."`
}

func (verifierTrainCmd) Help() string {
	return `Trains an adapter and a scalar head with binary cross-entropy on tokens. Then it measures the verifier on held-out problems: accuracy (a score of exactly 0.5 is neither right nor wrong), area under the ROC curve, expected calibration error, and the same after each tenth of a solution. The new folder holds adapter/, verifier.json, and the pictures reliability and prefix as PNG, SVG and PDF.

Interrupted training is kept in DIR.training. The same command continues it, with the same numbers.

Example:

    parley verifier train balanced --batch 16 --lr 1e-3 --epochs 3 --out verifier-sums

A recipe uses the verifier with:

    reward: {source: trained, scoring: {folders: [verifier-sums]}}

Exit codes: 0 trained and measured; 1 failed; 2 the command line or the folder is wrong; 130 interrupted.`
}

func (c *verifierTrainCmd) check() error {
	switch {
	case c.Validation <= 0 || c.Validation >= 1:
		return cli.Usagef("--validation is %g, expected more than 0 and less than 1", c.Validation)
	case c.Epochs < 1 || c.Batch < 1 || c.Rank < 1:
		return cli.Usagef("--epochs is %d, --batch %d and --rank %d, expected at least 1 each", c.Epochs, c.Batch, c.Rank)
	case c.LR <= 0 || c.Alpha <= 0:
		return cli.Usagef("--lr is %g and --alpha %g, expected more than 0", c.LR, c.Alpha)
	case c.Warmup < 0 || c.MaxTokens < 0:
		return cli.Usagef("--warmup is %d and --max-tokens %d, expected at least 0", c.Warmup, c.MaxTokens)
	}
	return newFolder(c.Out)
}

func (c *verifierTrainCmd) settings() verifier.Settings {
	return verifier.Settings{
		LossTokens: verifier.LossTokens(c.LossTokens), Epochs: c.Epochs, Batch: c.Batch, MaxTokens: c.MaxTokens, Warmup: c.Warmup,
		Rank: c.Rank, Alpha: c.Alpha, Adam: engine.Adam{LR: c.LR, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8}, Seed: c.Seed,
	}
}

func (c *verifierTrainCmd) Run(a *cli.App) error {
	if err := c.check(); err != nil {
		return err
	}
	m, solutions, err := verifier.ReadData(c.Data)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	learned, held, err := verifier.Split(solutions, c.Validation, c.Seed)
	if err != nil {
		return cli.Usagef("%s: %v", c.Data, err)
	}
	w, err := bench(a, c.Data, m.Origin, c.Set)
	if err != nil {
		return err
	}
	m.Origin.Recipe = string(w.Recipe.YAML())
	made, err := c.train(a, w, m.Origin, learned, held)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return c.print(a, made)
}

// verifierPolicy is the verifier's name on the engine.
const verifierPolicy engine.Policy = "verifier"

func (c *verifierTrainCmd) train(a *cli.App, w *lineup.Workbench, o verifier.Origin, learned, held []verifier.Solution) (*verifier.Manifest, error) {
	progress := &pulse{w: a.Stderr}
	m := &verifier.Manifest{Origin: o, Settings: c.settings(), Seen: append(verifier.Keys(learned), verifier.Keys(held)...), Trained: len(learned)}
	var err error
	kept := verifier.Checkpoints{Dir: filepath.Clean(c.Out) + ".training"}
	m.TooLong, err = verifier.Resume(a.Ctx, w.Base, verifierPolicy, learned, m.Settings, kept, func(p verifier.Progress) {
		progress.tell(p.Step == p.Steps, "step %d of %d: loss %.3f", p.Step, p.Steps, p.Loss)
	})
	if a.Ctx.Err() != nil {
		return nil, fmt.Errorf("%w; %s has what was learned: run the same command again to go on", err, kept.Dir)
	}
	if err != nil {
		return nil, err
	}
	m.Trained -= m.TooLong
	trained := &verifier.Trained{Base: w.Base, Policy: verifierPolicy}
	if m.Validation, err = trained.Measure(a.Ctx, held); err != nil {
		return nil, err
	}
	pictures, err := pictures(m.Validation)
	if err != nil {
		return nil, err
	}
	if err := trained.Write(a.Ctx, c.Out, *m, pictures); err != nil {
		return nil, fmt.Errorf("write the verifier: %w", err)
	}
	return m, kept.Done()
}

func (c *verifierTrainCmd) print(a *cli.App, m *verifier.Manifest) error {
	if c.JSON {
		return a.PrintJSON(struct {
			Dir     string `json:"dir"`
			Trained int    `json:"trained"`
			TooLong int    `json:"too_long"`
			*verifier.Measure
		}{c.Out, m.Trained, m.TooLong, m.Validation})
	}
	v := m.Validation
	err := a.Table(func(w io.Writer) {
		cli.Row(w, "trained on", fmt.Sprintf("%d solutions (%d more are too long)", m.Trained, m.TooLong))
		cli.Row(w, "measured on", fmt.Sprintf("%d solutions of %d other questions", v.Solutions, v.Questions))
		cli.Row(w, "accuracy", fmt.Sprintf("%.3f", v.Accuracy))
		cli.Row(w, "area under the ROC curve", optional(v.AUC))
		cli.Row(w, "expected calibration error", fmt.Sprintf("%.3f", v.CalibrationError))
		for _, p := range v.Prefix {
			cli.Row(w, fmt.Sprintf("after %.0f %% of the tokens", 100*p.Part), fmt.Sprintf("accuracy %.3f, area %s, loss %.3f", p.Accuracy, optional(p.AUC), p.Loss))
		}
	})
	return errors.Join(err, a.Printf("verifier in %s\n", c.Out))
}

// optional is a number that may be undefined.
func optional(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *x)
}
