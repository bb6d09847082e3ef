package datacmd

import (
	"errors"
	"fmt"

	"parley/cmd/parley/internal/cli"
	"parley/rl/verifier"
	"parley/train/lineup"
)

type verifierBalanceCmd struct {
	Data    string `arg:"" help:"Folder that verifier data has written."`
	Out     string `required:"" placeholder:"DIR" help:"New folder for the balanced solutions."`
	Each    int    `default:"20" placeholder:"N" help:"Right solutions per problem, and as many wrong ones (${default})."`
	Trials  int    `default:"8" placeholder:"N" help:"Rounds of sampling missing solutions (${default}). 0 samples nothing."`
	Samples int    `default:"8" placeholder:"N" help:"Solutions per problem and round (${default})."`
	Seed    uint64 `default:"1" placeholder:"N" help:"Seed of all random choices (${default})."`
	JSON    bool   `name:"json" help:"Print the report as one JSON object."`
}

func (verifierBalanceCmd) Help() string {
	return `Draws equally many right and wrong solutions of each problem. If a problem has too few of one kind, the base model is asked again, with MAPoRL's two prompts: one shows a correct example, the other asks for a trivial error. A problem that still has too few is dropped and counted.

Example:

    parley verifier balance solutions --each 10 --out balanced

Exit codes: 0 done; 1 failed; 2 the command line or the folder is wrong; 130 interrupted, and nothing was written.`
}

func (c *verifierBalanceCmd) Run(a *cli.App) error {
	if c.Each < 1 || c.Trials < 0 || c.Samples < 1 {
		return cli.Usagef("--each is %d, --trials %d and --samples %d, expected at least 1, 0 and 1", c.Each, c.Trials, c.Samples)
	}
	if err := newFolder(c.Out); err != nil {
		return err
	}
	m, solutions, err := verifier.ReadData(c.Data)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	groups := verifier.GroupByQuestion(solutions)
	m.Balanced = &verifier.Balanced{Each: c.Each}
	if c.Trials > 0 {
		if m.Balanced.Trials, err = c.augment(a, m, groups); err != nil {
			return err
		}
	}
	balanced, lacking := verifier.Balance(groups, c.Each, c.Seed)
	m.Balanced.Questions = len(groups) - lacking
	m.Balanced.Dropped = m.Questions - m.Balanced.Questions
	if len(balanced) == 0 {
		return fmt.Errorf("no question has %d right and %d wrong solutions: lower --each, raise --trials, or collect solutions of other questions", c.Each, c.Each)
	}
	if err := verifier.WriteData(c.Out, m, balanced); err != nil {
		return fmt.Errorf("write solutions: %w", err)
	}
	if c.JSON {
		return a.PrintJSON(struct {
			Dir       string `json:"dir"`
			Solutions int    `json:"solutions"`
			*verifier.Balanced
		}{c.Out, len(balanced), m.Balanced})
	}
	return errors.Join(a.Printf("trials: "), printTally(a, m.Balanced.Trials), a.Printf("%d questions with %d right and %d wrong solutions each in %s; %d questions dropped\n",
		m.Balanced.Questions, c.Each, c.Each, c.Out, m.Balanced.Dropped))
}

// fill samples what groups lack.
func (c *verifierBalanceCmd) augment(a *cli.App, m verifier.DataManifest, groups []verifier.Group) (verifier.Tally, error) {
	w, err := bench(a, c.Data, m.Origin, nil)
	if err != nil {
		return verifier.Tally{}, err
	}
	tally, err := c.trials(a, w, groups)
	return tally, errors.Join(err, w.Close())
}

func (c *verifierBalanceCmd) trials(a *cli.App, w *lineup.Workbench, groups []verifier.Group) (verifier.Tally, error) {
	progress := &pulse{w: a.Stderr}
	augmenter := verifier.Augmenter{
		Base: w.Base, Sampling: verifier.TrialSampling(w.Recipe.Sampling.MaxTokens), Each: c.Each, Trials: c.Trials, Samples: c.Samples, Seed: c.Seed,
		Progress: func(trial, lacking int) {
			progress.tell(trial == 1 || trial == c.Trials, "trial %d of %d: %d questions lack solutions", trial, c.Trials, lacking)
		},
	}
	return augmenter.Augment(a.Ctx, groups)
}
