package askcmd

import (
	"fmt"

	"parley/cmd/parley/internal/cli"
	"parley/viewer/ask"
)

// Contribution is the verb run contribution.
type Contribution struct {
	Run_     string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Problems int    `placeholder:"N" help:"Held-out problems to play, the first ones. Default: 100, or all where there are fewer."`
	Update   int    `placeholder:"N" help:"The agents as they were after update N, which has a checkpoint. Default: as they are now."`
	Seed     *int   `placeholder:"N" help:"Seed of what is drawn. Default: that of the run, so that the team has the score of its report."`
	Orders   int    `placeholder:"N" help:"Draw N orders of the agents for Shapley's value. Default: all orders of a team of at most four, else 10."`
	Recorded bool   `name:"recorded" help:"Play nothing: print what training recorded."`
	Trust    bool   `name:"trust" help:"Open the run though it was made elsewhere and its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	JSON     bool   `name:"json" help:"Print one JSON object."`

	cli.Moved
}

func (Contribution) Help() string {
	return `Says what each agent of a trained team contributes, and answers whether it could be dropped, in one sentence.

From what training recorded: how often an agent was right, how often its teammates read it, and whether their answers became right or wrong then. From new episodes on held-out problems: what the team scores without the agent, and with its untrained base in its place, problem by problem beside what it scores, with 95 % intervals; and Shapley's value, the agent's part in the score. All ways to play have the same problems and the same random numbers.

Results are kept in contribution.json of the run, and ` + "`parley ui`" + ` shows them. The same command prints them at once; after ^C it goes on. docs/contribution.md says what the numbers mean.

Examples:

    parley run contribution review-tiny-s1
    parley run contribution review-tiny-s1 --problems 200 --json
    parley run contribution kuhn-selfplay-tiny-s1 --recorded

Exit codes: 0 said; 1 a problem could not be played; 2 there is no such run or checkpoint, or its agents have no contributions, with the reason; 130 interrupted.`
}

func (c *Contribution) Run(a *cli.App) error {
	dir, err := cli.FindOne(c.Run_, "parley", "run", "contribution")
	if err != nil {
		return err
	}
	result, err := ask.Contribute(a.Ctx, ask.ContributionOptions{
		Dir: dir, Language: a.Language, Backend: cli.Backend(), Trust: c.Trust, Moved: c.Set, Problems: c.Problems, Update: c.Update, Seed: c.Seed,
		Orders: c.Orders, Recorded: c.Recorded, Tell: func(line string) { a.Say(line) },
	})
	if result == nil {
		return fmt.Errorf("contributions of %s: %w", dir, err)
	}
	if err := unkept(a, err); err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(result)
	}
	return a.PrintReport(result.Text(), "")
}
