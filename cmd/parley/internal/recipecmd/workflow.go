package recipecmd

import (
	"fmt"
	"io"
	"os"
	"slices"
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
	if r.Harnessed() {
		return cli.Usagef("team.protocol is %s: the program of the team decides who is asked what; `parley harness play` plays one problem and prints every call", r.Team.Protocol)
	}
	if !ok {
		return cli.Usagef("protocol %s is Go code and has no steps to show", r.Team.Protocol)
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
		return a.PrintJSON(map[string]any{"name": r.Name, "yaml": yaml, "agents": agents(spec), "asks": asked(asks), "critics": append([]string{}, privileged(r)...)})
	}
	if err := a.Printf("%s\n", yaml); err != nil {
		return err
	}
	return matrix(a, asks, privileged(r))
}

// privileged are the fields that critics read beside what their agents read.
func privileged(r *recipe.Recipe) []string {
	return r.AlgorithmType().PrivilegedUnder(r.LearningSettings())
}

// matrix prints who sees what, and what critics read beside it.
func matrix(a *cli.App, asks []workflow.Sight, critics []string) error {
	if err := a.Printf("# What each prompt shows at most:\n"); err != nil {
		return err
	}
	err := a.Table(func(out io.Writer) {
		cli.Row(out, "# turn", "step", "asked", "sees")
		for _, s := range asks {
			cli.Row(out, fmt.Sprintf("# %d", s.Turn), s.Place, s.Agent, seen(s))
		}
	})
	if err != nil || len(critics) == 0 {
		return err
	}
	return a.Printf("# In training a critic reads what its agent reads, and field %s.\n", strings.Join(critics, ", field "))
}

// sightsOf is who sees what in a recipe's own steps; none: it has none, or a program, which is read where it runs.
func sightsOf(r *recipe.Recipe) ([]workflow.Sight, error) {
	if !r.Stepwise() || len(r.Team.Workflow) == 0 {
		return nil, nil
	}
	w, err := workflow.New(r.Workflow(""))
	if err != nil {
		return nil, err
	}
	return w.Visibility()
}

// An ask is somebody who is asked, as JSON has it.
type ask struct {
	Turn  int      `json:"turn"` // from 0
	Step  string   `json:"step"`
	Agent string   `json:"agent"`
	Sees  []string `json:"sees"` // in the order of the prompt
}

// asked is who sees what: question, field:KEY, AGENT@TURN, report:AGENT@TURN, notes, observation, and observation:AGENT of another agent.
func asked(sights []workflow.Sight) []ask {
	out := make([]ask, len(sights))
	for i, s := range sights {
		out[i] = ask{s.Turn - 1, s.Place, s.Agent, []string{}}
		for _, source := range s.Sees {
			word := source.What // the question, notes, or the agent's own observation
			switch said := fmt.Sprintf("%s@%d", source.Agent, source.Turn-1); {
			case source.What == workflow.Field:
				word = "field:" + source.Field
			case source.What == workflow.Said:
				word = said
			case source.What == workflow.Report:
				word = "report:" + said
			case source.What == workflow.Observation && source.Agent != s.Agent:
				word = "observation:" + source.Agent
			}
			if !slices.Contains(out[i].Sees, word) {
				out[i].Sees = append(out[i].Sees, word)
			}
		}
	}
	return out
}

// agents are the names of a workflow's agents.
func agents(s workflow.Spec) []string {
	out := make([]string, len(s.Agents))
	for i, a := range s.Agents {
		out[i] = a.Name
	}
	return out
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
	a.Say("wrote", c.Out)
	return nil
}

// seen lists what a prompt shows.
func seen(s workflow.Sight) string {
	var list []string
	for _, source := range s.Sees {
		switch what := fmt.Sprintf("%s/%d", source.Agent, source.Turn); source.What {
		case workflow.Question:
			list = append(list, "question")
		case workflow.Field:
			list = append(list, "field "+source.Field)
		case workflow.Said:
			list = append(list, what)
		case workflow.Notes:
			list = append(list, fmt.Sprintf("note/%d", source.Turn))
		default:
			list = append(list, what+" "+source.What)
		}
	}
	if len(list) == 0 {
		return "nothing of the problem"
	}
	return strings.Join(list, ", ")
}
