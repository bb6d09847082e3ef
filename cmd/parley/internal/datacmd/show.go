package datacmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/model"
	"parley/task/dataset"
)

type dataShowCmd struct {
	Path     string   `arg:"" help:"A file, a folder, or the name of a pulled data set."`
	Question string   `default:"question" placeholder:"KEY" help:"Key of the question (${default}). Rows are compared by it. With --recipe, that of the recipe's task data."`
	Answer   string   `default:"answer" placeholder:"KEY" help:"Key of the right answer (${default})."`
	Match    string   `default:"normalised" placeholder:"HOW" help:"How answers are compared: exact, normalised, squad, number, choice or none (${default})."`
	Recipe   string   `placeholder:"RECIPE" help:"Show the prompts of this recipe, with the data set in the place of its own. Default: task data."`
	Set      []string `sep:"none" placeholder:"KEY=VALUE" help:"Change a key of the recipe. Repeatable."`
	Model    string   `default:"parley-base" placeholder:"BASE" help:"Model whose tokens are counted (${default})."`
	Prompts  int      `default:"2" placeholder:"N" help:"Show the prompts of the first N problems (${default})."`
	JSON     bool     `name:"json" help:"Print one JSON object {\"files\":[{\"path\",\"format\",\"split\",\"rows\",\"columns\"}],\"overlap\",…}."`

	cli.Overlays
}

func (dataShowCmd) Help() string {
	return `Reads a data set as training would, and prints its files with their columns and types, what is held out, how long texts are in tokens, rows that stand twice or in two splits, and the first problems as the prompts that agents get. Nothing is trained, and nothing is written.

Questions are compared as a reader sees them: letter case, white space, the forms of quotes and accents, and invisible characters do not count.

Example:

    parley data show qa.jsonl
    parley data show set --recipe mine.yaml --json

Exit codes: 0 done; 2 there is no such data set, a file of it cannot be read, or its rows cannot be read in the way that flags name.`
}

// A shown data set is the answer of the verb.
type shown struct {
	*dataset.Survey
	Model   string   `json:"model"` // whose tokens are counted
	Task    string   `json:"task"`
	Account string   `json:"account,omitempty"` // what the task makes of the rows
	Prompts []prompt `json:"prompts,omitempty"`
	Items   []item   `json:"items,omitempty"`   // of the same problems, where the recipe has a reward of the user's own: what it gets
	Problem string   `json:"problem,omitempty"` // why the task cannot be opened over the set
}

func (c *dataShowCmd) Run(a *cli.App) error {
	set, err := dataset.Open(c.Path, model.CacheRoot())
	if err != nil {
		return cli.Usagef("%v", err)
	}
	tokenizer, err := model.OpenTokenizer(c.Model)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	r, err := c.recipeOf(a)
	if err != nil {
		return err
	}
	out := shown{Model: c.Model}
	count, failed := tokenizer.Counter()
	if out.Survey, err = set.Survey(a.Ctx, dataset.SurveyOptions{Question: c.compared(r), Tokens: count}); err != nil {
		return err
	}
	if *failed != nil {
		return cli.Usagef("model %s: %v", c.Model, *failed)
	}
	if err := out.addPrompts(a.Ctx, r, c.Prompts); err != nil {
		return err
	}
	if c.JSON {
		err = a.PrintJSON(out)
	} else {
		err = out.print(a)
	}
	if err != nil {
		return err
	}
	return out.wrong(c.JSON, c.named())
}

// named says that the user said how the rows are to be read: that they cannot be is then an error, else a remark.
func (c *dataShowCmd) named() bool {
	return c.Recipe != "" || c.Question != "question" || c.Answer != "answer" || c.Match != "normalised" || len(c.Set) > 0
}

// wrong is the first thing that is wrong with the set. It was printed.
func (s shown) wrong(asJSON, named bool) error {
	why := ""
	if named {
		why = s.Problem
	}
	for _, f := range s.Files {
		if f.Error != "" && why == "" {
			why = f.Error
		}
	}
	switch {
	case why == "":
		return nil
	case asJSON:
		return cli.Usagef("%s", why)
	}
	return cli.Shown(cli.Usagef("%s", why))
}

// print writes the set for people.
func (s shown) print(a *cli.App) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s in %s\n\n", s.Name, counted(s.Rows, "row"), counted(len(s.Files), "file"))
	if err := a.PrintText(b.String()); err != nil {
		return err
	}
	if err := a.Table(s.files); err != nil {
		return err
	}
	if err := a.Table(s.columns); err != nil {
		return err
	}
	b.Reset()
	s.findings(&b)
	for i, p := range s.Prompts {
		p.print(&b)
		if last := i+1 == len(s.Prompts) || s.Prompts[i+1].ID != p.ID; last {
			s.printItem(&b, p.ID)
		}
	}
	return a.PrintText(b.String())
}

// counted is a number with what is counted.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// files writes a line for each file.
func (s shown) files(w io.Writer) {
	cli.Row(w, "file", "format", "split", "use", "rows")
	for _, f := range s.Files {
		split := f.Split
		if split == "" {
			split = "-"
		}
		cli.Row(w, printable(f.Path), f.Format, split, f.Use, f.Rows)
		if f.Error != "" {
			cli.Row(w, "  wrong: "+printable(f.Error))
		}
	}
}

// columns writes a line for each column, with its types in all files.
func (s shown) columns(w io.Writer) {
	if s.Rows == 0 {
		return
	}
	fmt.Fprintln(w)
	cli.Row(w, "column", "type", "tokens: median", "95 %", "most")
	for _, name := range s.Columns() {
		var types []string
		for _, f := range s.Files {
			if kind := f.Columns[name]; kind != "" {
				types = appendNew(types, kind)
			}
		}
		l := s.Tokens[name]
		cli.Row(w, printable(name), strings.Join(types, "; "), l.Median, l.P95, l.Most)
	}
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// findings writes what stands twice and what becomes of the rows.
func (s shown) findings(b *strings.Builder) {
	compared := "whole rows"
	if s.Question != "" {
		compared = s.Question
	}
	fmt.Fprintf(b, "\ncompared by %s: %d duplicates in a split, %d in two splits\n", compared, s.Duplicates, s.Overlap)
	for _, note := range s.Notes {
		fmt.Fprintf(b, "note: %s\n", note)
	}
	if s.Account != "" {
		fmt.Fprintf(b, "task %s: %s\n", s.Task, s.Account)
	}
	if s.Problem != "" {
		fmt.Fprintf(b, "no prompts: %s\n", s.Problem)
	}
}
