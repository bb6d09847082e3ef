package runcmd

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/terminal"
	"parley/rl/rollout"
	"parley/task/environment"
	"parley/viewer/ask"
	"parley/viewer/episodes"
)

type runEpisodeCmd struct {
	Run_    string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Update  int    `arg:"" name:"update" help:"Update that the episode is of, from 1."`
	Episode int    `arg:"" name:"episode" optional:"" help:"Its number in the update, from 0."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

func (runEpisodeCmd) Help() string {
	return `Prints everything that happened to one problem of training: what each agent answered in each turn, what that earned, and the formulas of its reward and its advantage with their numbers. ` + "`parley ui`" + ` shows the same as a grid of agents and turns.

Example:

    parley run episode magrpo-tiny-s1 3 0

Exit codes: 0 printed; 1 the run cannot be read; 2 there is no such run or episode.`
}

func (c *runEpisodeCmd) Run(a *cli.App) error {
	dir, err := cli.FindOne(c.Run_, "parley", "run", "episode")
	if err != nil {
		return err
	}
	e, near, group, err := episodes.Open(dir).Read(c.Update, c.Episode)
	if errors.As(err, new(*episodes.NoneError)) {
		return cli.Usagef("%v", err)
	}
	if err != nil {
		return err
	}
	shown := episodes.Show(e, near, group, ask.TeamOf(a.Language, dir))
	if c.JSON {
		return a.PrintJSON(shown)
	}
	var b strings.Builder
	printEpisode(&b, shown)
	return a.PrintText(b.String())
}

// printEpisode writes an episode as text.
func printEpisode(w io.Writer, e *episodes.Episode) {
	fmt.Fprintf(w, "update %d, episode %d: problem %s\n%s\n", e.Update, e.Index, e.Problem.ID, e.Problem.Question)
	if e.Problem.Truth != "" {
		fmt.Fprintf(w, "truth: %s\n", e.Problem.Truth)
	}
	if e.Failed != "" {
		fmt.Fprintf(w, "failed: %s\n", e.Failed)
	}
	world := slices.ContainsFunc(e.Nodes, func(n episodes.Node) bool {
		return slices.ContainsFunc(n.Joint, func(j episodes.Joint) bool { return len(j.Outcome) > 0 })
	})
	for _, n := range e.Nodes {
		fmt.Fprintf(w, "\nturn %d, node %d", n.Turn+1, n.Node)
		if e.Samples > 1 {
			fmt.Fprintf(w, ", episode %d of %d of the problem", n.Sample+1, e.Samples)
		}
		if n.Parent >= 0 {
			fmt.Fprintf(w, ", goes on from node %d, joint action %d", n.Parent, n.ParentAction+1)
		}
		fmt.Fprintln(w)
		for i, c := range n.Cells {
			if world && len(c.Messages) > 0 {
				fmt.Fprintf(w, "  %s is shown\n", c.Name)
				printText(w, c.Messages[len(c.Messages)-1].Content)
			}
			for _, said := range c.Completions {
				printAnswer(w, &c, &said, illegal(n.Joint, i, said.Completion, c.Name))
			}
		}
		for _, text := range n.Answers {
			fmt.Fprintln(w, "  the program answers")
			printText(w, text)
		}
		for _, j := range n.Joint {
			printJoint(w, &j)
		}
	}
}

// printJoint writes what a joint action earned that has parts, or that pays agents by themselves: no formula of an answer has these.
func printJoint(w io.Writer, j *episodes.Joint) {
	if j.Reward == nil || len(j.Parts)+len(j.Own) == 0 {
		return
	}
	fmt.Fprintf(w, "  joint action %d earned %s", j.Action+1, short(*j.Reward))
	for i, paid := range []map[string]float64{j.Parts, j.Own} {
		list := make([]string, 0, len(paid))
		for _, name := range slices.Sorted(maps.Keys(paid)) {
			list = append(list, name+" "+short(paid[name]))
		}
		if len(list) > 0 {
			fmt.Fprintf(w, "%s%s", []string{"; parts: ", "; agents by themselves: "}[i], strings.Join(list, ", "))
		}
	}
	fmt.Fprintln(w)
}

// illegal says that an environment took no move from the k-th answer of an agent, the i-th who spoke.
func illegal(actions []episodes.Joint, i, k int, agent string) bool {
	return slices.ContainsFunc(actions, func(j episodes.Joint) bool {
		return i < len(j.Completions) && j.Completions[i] == k && slices.ContainsFunc(j.Outcome, func(o rollout.Observed) bool {
			return slices.Contains(environment.IllegalIn(o.Info), agent)
		})
	})
}

func printText(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "      %s\n", strings.TrimRight(terminal.Printable(line), "\n"))
	}
}

// short is a number without the noise of its last digits.
func short(x float64) string { return fmt.Sprintf("%.6g", x) }

func printAnswer(w io.Writer, c *episodes.Cell, said *episodes.Completion, illegal bool) {
	fmt.Fprintf(w, "  %s", c.Name)
	if len(c.Completions) > 1 {
		fmt.Fprintf(w, ", answer %d of %d", said.Completion+1, len(c.Completions))
	}
	if said.Correct != nil {
		fmt.Fprint(w, map[bool]string{true: ", right", false: ", wrong"}[*said.Correct])
	}
	for _, f := range said.Flags {
		fmt.Fprintf(w, ", %s", f)
	}
	if illegal {
		fmt.Fprint(w, ", illegal move")
	}
	fmt.Fprintln(w)
	if strings.TrimSpace(said.Text) == "" {
		printText(w, "(empty)")
	} else {
		printText(w, said.Text)
	}
	for _, f := range said.Formula {
		fmt.Fprintf(w, "    %s: %s: %s", f.Name, f.Formula, f.Filled)
		for _, t := range f.Terms { // what a mean is over is not to be seen from its value
			if strings.HasPrefix(t.What, "of ") {
				fmt.Fprintf(w, "; %s is %s", t.Symbol, t.What)
			}
		}
		if f.Note != "" {
			fmt.Fprintf(w, " (%s)", f.Note)
		}
		fmt.Fprintln(w)
	}
}
