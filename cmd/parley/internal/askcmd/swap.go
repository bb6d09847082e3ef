package askcmd

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/internal/table"
	"parley/runs/verify"
	"parley/viewer/ask"
	"parley/viewer/episodes"
)

// Swap is the verb run swap.
type Swap struct {
	Run_    string   `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Changes []string `arg:"" name:"change" help:"Who takes an agent's place: AGENT=untrained, AGENT=left-out, AGENT=checkpoint:N or AGENT=RUN. AGENT is a name or a number from 1."`
	Update  int      `required:"" placeholder:"N" help:"Update whose episode has the problem."`
	Episode int      `default:"0" placeholder:"N" help:"Number of the episode in the update, from 0."`
	Trust   bool     `name:"trust" help:"Open the run though it was made elsewhere and its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	JSON    bool     `name:"json" help:"Print one JSON object."`

	cli.Moved
}

func (Swap) Help() string {
	return `Lets the team work on a problem of its training again, as it is now and with somebody else in the place of an agent, by the same random numbers. So what an agent is good for shows on one problem. The result is kept in swaps.jsonl of the run, and ` + "`parley ui`" + ` shows it. In a run that cannot be written it is printed only, and a note says so.

Examples:

    parley run swap chain-tiny-s1 critic=left-out --update 20
    parley run swap chain-tiny-s1 writer=untrained editor=checkpoint:39 --update 20 --episode 3

Exit codes: 0 played; 1 it could not be played; 2 there is no such run, episode, agent or checkpoint.`
}

func (c *Swap) Run(a *cli.App) error {
	dir, err := cli.FindOne(c.Run_, "parley", "run", "swap")
	if err != nil {
		return err
	}
	var changes []ask.Change
	for _, text := range c.Changes {
		change, err := ask.ParseChange(text)
		if err != nil {
			return cli.Usagef("%v", err)
		}
		if change.With != ask.Untrained && change.With != ask.LeftOut && !strings.HasPrefix(change.With, ask.Earlier) {
			if change.With, err = cli.FindRun(change.With); err != nil {
				return err
			}
		}
		changes = append(changes, change)
	}
	o := ask.SwapOptions{Dir: dir, Language: a.Language, Backend: cli.Backend(), Trust: c.Trust, Moved: c.Set, Now: time.Now}
	r, err := ask.Play(a.Ctx, o, c.Update, c.Episode, changes)
	if errors.As(err, new(*ask.ChangeError)) || errors.As(err, new(*episodes.NoneError)) || errors.As(err, new(*verify.NoCheckpointError)) {
		return cli.Usagef("%v", err)
	}
	if err := unkept(a, err); err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(r)
	}
	return a.Table(func(w io.Writer) {
		cli.Row(w, "", "as it is", r.Title)
		for i := range max(len(r.Lines), len(r.Swapped)) {
			one, other := lineOf(r.Lines, i), lineOf(r.Swapped, i)
			who := one
			if i >= len(r.Lines) {
				who = other
			}
			cli.Row(w, fmt.Sprintf("%s, turn %d", who.Name, who.Turn+1), cli.OneLine(one.Text), cli.OneLine(other.Text))
		}
		cli.Row(w, "reward", rewardOf(r.Reward), rewardOf(r.SwappedReward))
	})
}

func lineOf(lines []episodes.Line, i int) episodes.Line {
	if i < len(lines) {
		return lines[i]
	}
	return episodes.Line{}
}

func rewardOf(x *float64) string {
	if x == nil {
		return "-"
	}
	return table.Number(*x)
}
