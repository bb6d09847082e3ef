package recipecmd

import (
	"fmt"
	"io"
	"os"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/plotio"
	"parley/recipe"
	"parley/team/workflow"
	"parley/team/workflow/picture"
	"parley/train/plan"
)

// workflow prints the team of a recipe as a workflow, and who sees what.
func (c *recipeShowCmd) workflow(a *cli.App, r *recipe.Recipe) error {
	spec, ok, err := plan.Workflow(r)
	if err != nil {
		return err
	}
	if !ok {
		return cli.Usagef("protocol %s is not known as a workflow", r.Team.Protocol)
	}
	w, err := workflow.New(spec)
	if err != nil {
		return err
	}
	asks, err := w.Visibility()
	if err != nil {
		return err
	}
	if !r.Stepwise() {
		r = r.AsWorkflow(spec)
	}
	if c.Out != "" {
		if err := c.draw(a, r.Name, w); err != nil || !c.JSON {
			return err
		}
	}
	yaml := string(r.TeamYAML())
	if c.JSON {
		return a.PrintJSON(map[string]any{"name": r.Name, "yaml": yaml, "asks": asks})
	}
	if err := a.Printf("%s\n# What each prompt shows at most:\n", yaml); err != nil {
		return err
	}
	return a.Table(func(out io.Writer) {
		cli.Row(out, "# turn", "step", "asked", "sees")
		for _, s := range asks {
			cli.Row(out, fmt.Sprintf("# %d", s.Turn), s.Place, s.Agent, seen(s))
		}
	})
}

// draw writes the picture of a workflow.
func (c *recipeShowCmd) draw(a *cli.App, name string, w *workflow.Workflow) error {
	write, err := plotio.Format(c.Out)
	if err != nil {
		return cli.Usagef("--out: %v", err)
	}
	p, err := picture.Of(name, w)
	if err != nil {
		return err
	}
	image, err := write(p, p.Size())
	if err == nil {
		err = os.WriteFile(c.Out, image, 0o644)
	}
	if err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	fmt.Fprintln(a.Stderr, "wrote", c.Out)
	return nil
}

// seen lists what a prompt shows.
func seen(s workflow.Sight) string {
	var list []string
	if s.Question {
		list = append(list, "question")
	}
	for _, field := range s.Fields {
		list = append(list, "field "+field)
	}
	for _, source := range s.Sees {
		what := fmt.Sprintf("%s/%d", source.Agent, source.Turn)
		if source.What != "text" {
			what += " " + source.What
		}
		list = append(list, what)
	}
	if len(list) == 0 {
		return "nothing of the problem"
	}
	return strings.Join(list, ", ")
}
