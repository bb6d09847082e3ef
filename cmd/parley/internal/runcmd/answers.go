package runcmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/table"
	"parley/internal/terminal"
	"parley/runs/store"
	"parley/viewer/show"
)

type runAnswersCmd struct {
	Run_    string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	System  string `placeholder:"NAME" help:"Only this system of the report, such as trained; panel: the team in training (eval.every). Default: all systems of the report."`
	Problem *int   `placeholder:"N" help:"Print the dialogues about one problem, from 0."`
	Sort    string `enum:"number,change" default:"number" help:"Order of the problems: number; change, by what training changed: the greatest loss first."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

func (runAnswersCmd) Help() string {
	return `Prints what every system of the report scored on each held-out problem, and what it answered last. With --problem it prints the dialogues about one problem: of every system, or of one; of the system panel, how its answer changed through training.

Examples:

    parley run answers magrpo-tiny-s1 --sort change
    parley run answers magrpo-tiny-s1 --problem 3
    parley run answers magrpo-tiny-s1 --problem 3 --system trained --json

Exit codes: 0 printed; 1 the run cannot be read; 2 there is no such run, system or problem, or the run has no answers to held-out problems.`
}

func (c *runAnswersCmd) Run(a *cli.App) error {
	dir, err := cli.FindOne(c.Run_, "parley", "run", "answers")
	if err != nil {
		return err
	}
	h, err := show.Answers(a.Ctx, dir)
	if err != nil {
		return err
	}
	if h.None != "" {
		return cli.Usagef("%s: %s", dir, h.None)
	}
	for _, what := range h.Damaged {
		a.Sayf("left out, as it is damaged: %s\n", what)
	}
	if err := c.known(h); err != nil {
		return err
	}
	if c.Problem != nil {
		return c.dialogues(a, dir)
	}
	if c.Sort == "change" {
		slices.SortStableFunc(h.Problems, func(a, b show.HeldOutProblem) int { return cmp.Compare(orZero(a.Change), orZero(b.Change)) })
	}
	if c.JSON {
		return a.PrintJSON(h)
	}
	return a.Table(func(w io.Writer) { c.list(w, h) })
}

// known refuses a system that the run does not have.
func (c *runAnswersCmd) known(h *show.HeldOut) error {
	var names []string
	for _, s := range h.Systems {
		names = append(names, s.System)
	}
	if len(h.Panel) > 0 {
		names = append(names, store.PanelSystem)
	}
	if c.System != "" && !slices.Contains(names, c.System) {
		return cli.Usagef("the run has no answers of system %s; there are %s", c.System, strings.Join(names, ", "))
	}
	return nil
}

// list is a row for each problem.
func (c *runAnswersCmd) list(w io.Writer, h *show.HeldOut) {
	systems, head := h.Systems, []any{"problem", "question", "truth"}
	if c.System != "" {
		systems = slices.DeleteFunc(slices.Clone(systems), func(s show.HeldOutSystem) bool { return s.System != c.System })
	}
	for _, s := range systems {
		head = append(head, s.System, "said")
	}
	if c.System == store.PanelSystem {
		for _, update := range h.Panel {
			head = append(head, fmt.Sprintf("after %d", update))
		}
	}
	cli.Row(w, append(head, "change")...)
	for _, p := range h.Problems {
		row := []any{p.Number, terse(p.Question), terse(p.Truth)}
		for _, s := range systems {
			row = append(row, scoreOf(p.Scores[s.System]), terse(p.Said[s.System]))
		}
		if c.System == store.PanelSystem {
			if p.Panel == nil {
				continue
			}
			for _, score := range p.Panel {
				row = append(row, scoreOf(score))
			}
		}
		change := "-"
		if p.Change != nil {
			change = table.Signed(*p.Change)
		}
		cli.Row(w, append(row, change)...)
	}
}

// dialogues prints the answers to one problem.
func (c *runAnswersCmd) dialogues(a *cli.App, dir string) error {
	d, err := show.Dialogues(a.Ctx, dir, *c.Problem, c.System)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	if c.JSON {
		return a.PrintJSON(d)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "held-out problem %d: %s\n%s\n", d.Number, d.Problem, d.Question)
	if d.Truth != "" {
		fmt.Fprintf(&b, "truth: %s\n", d.Truth)
	}
	for _, x := range d.Answers {
		fmt.Fprintf(&b, "\n%s, after update %d: %s", x.System, x.Update, scoreOf(x.Score))
		if x.Failed != "" {
			fmt.Fprintf(&b, ", failed: %s", x.Failed)
		}
		fmt.Fprintln(&b)
		for _, l := range x.Lines {
			fmt.Fprintf(&b, "  turn %d, %s", l.Turn+1, l.Name)
			if l.Pass > 0 {
				fmt.Fprintf(&b, ", pass %d", l.Pass+1)
			}
			if l.Correct != nil {
				fmt.Fprint(&b, map[bool]string{true: ", right", false: ", wrong"}[*l.Correct])
			}
			fmt.Fprintln(&b)
			printText(&b, l.Text)
		}
		for _, text := range x.Program {
			fmt.Fprintln(&b, "  the program answers")
			printText(&b, text)
		}
	}
	return a.PrintText(b.String())
}

func scoreOf(x *float64) string {
	if x == nil {
		return "-"
	}
	return table.Number(*x)
}

func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// terse is a text in a cell of a table: one line, its beginning.
func terse(text string) string {
	return terminal.Cut(strings.Join(strings.Fields(terminal.Printable(text)), " "), 40)
}
