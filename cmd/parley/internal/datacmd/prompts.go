package datacmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/terminal"
	"parley/recipe"
	"parley/task"
	"parley/team"
	"parley/train/plan"
)

// A prompt is what an agent is asked first about a problem.
type prompt struct {
	ID       string         `json:"id"`
	Agent    int            `json:"agent"`          // from 1
	Name     string         `json:"name,omitempty"` // of the agent, where it has one
	Messages []team.Message `json:"messages"`
	Truth    string         `json:"truth,omitempty"` // the right answer, as answers are compared; no part of the prompt
}

// recipeOf is the recipe that is asked for, or one of task data, over the data set.
func (c *dataShowCmd) recipeOf(a *cli.App) (*recipe.Recipe, error) {
	set := func(key, value string) string { return "task." + key + "=" + value }
	if c.Recipe != "" {
		return a.Language.Load(c.Recipe, append(c.Set, set("path", c.Path)), c.Overlay...)
	}
	sets := []string{set("path", c.Path), set("question", c.Question), set("answer", c.Answer), set("match", c.Match)}
	source := "label"
	if c.Match == "none" {
		source = "user, user: {expression: '0'}"
	}
	return a.Language.Parse("data show", []byte("name: show\ntask: {name: data}\nteam: {turns: 1}\nreward: {source: "+source+"}\n"), append(sets, c.Set...), c.Overlay...)
}

// compared is the key by which rows are compared: that of the recipe's own task data, where a recipe is asked for.
func (c *dataShowCmd) compared(r *recipe.Recipe) string {
	if s, ok := r.Task.Settings.(interface{ QuestionKey() string }); ok && c.Recipe != "" {
		return s.QuestionKey()
	}
	return c.Question
}

// addPrompts opens the task of a recipe over the set and asks about its first problems. If the task cannot be opened, the answer has
// the error.
func (s *shown) addPrompts(ctx context.Context, r *recipe.Recipe, n int) error {
	s.Task = r.Task.Name
	opened, err := plan.OpenTask(ctx, r, r.Task, false)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		s.Problem = err.Error()
		return nil
	}
	if t, ok := opened.(interface{ Account() string }); ok {
		s.Account = t.Account()
	}
	if err := s.ask(r, opened, n); err != nil {
		s.Problem = err.Error()
	}
	if closer, ok := opened.(interface{ Close() error }); ok {
		return closer.Close()
	}
	return nil
}

// ask adds the prompts of the first training problems, and what a reward of the user's own gets of them.
func (s *shown) ask(r *recipe.Recipe, from task.Task, n int) error {
	problems, err := from.Problems(task.Train, n)
	if err != nil {
		return err
	}
	if r.Task.Name == "environment" {
		s.Notes = append(s.Notes, "prompts show what the environment answers, which is asked in a run; `parley recipe show RECIPE --workflow` prints who sees what")
		return nil
	}
	if s.Prompts, err = asked(r, problems); err == nil && r.Reward.Source == "user" {
		for _, p := range problems {
			s.Items = append(s.Items, item(p))
		}
	}
	return err
}

// An item is a problem as a reward of the user's own gets it.
type item task.Problem

// printItem writes the item of a problem as a line that can be tried with `parley reward`.
func (s shown) printItem(b *strings.Builder, id string) {
	for _, i := range s.Items {
		if line, err := json.Marshal(i); i.ID == id && err == nil {
			fmt.Fprintf(b, "\n  item of the reward: %s\n", printable(string(line)))
		}
	}
}

// asked lists what agents are asked first about problems.
func asked(r *recipe.Recipe, problems []task.Problem) (list []prompt, err error) {
	protocol, err := plan.Protocol(r)
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		asks, err := protocol.Next(p, nil)
		if err != nil {
			return nil, fmt.Errorf("ask problem %s: %w", p.ID, err)
		}
		if len(asks) == 0 {
			return nil, errors.New("internal error: nobody is asked")
		}
		for _, ask := range asks {
			one := prompt{ID: p.ID, Agent: ask.Agent + 1, Messages: ask.Messages, Truth: p.Truth}
			if names := r.AgentNames(); ask.Agent < len(names) {
				one.Name = names[ask.Agent]
			}
			if last := len(list) - 1; last >= 0 && list[last].ID == one.ID && same(list[last].Messages, one.Messages) {
				continue // agents that are asked alike
			}
			list = append(list, one)
		}
	}
	return list, nil
}

func same(a, b []team.Message) bool { return slices.EqualFunc(a, b, team.Message.Equal) }

// print writes the prompt for people.
func (p prompt) print(b *strings.Builder) {
	fmt.Fprintf(b, "\nproblem %s, %s", p.ID, cmp.Or(p.Name, fmt.Sprintf("agent %d", p.Agent)))
	if p.Truth != "" {
		fmt.Fprintf(b, ", right answer %q", p.Truth)
	}
	b.WriteString("\n")
	for _, m := range p.Messages {
		fmt.Fprintf(b, "  %s: %s\n", m.Role, strings.ReplaceAll(m.Content, "\n", "\n    "))
	}
}

// printable is a text of a file for one line of a table.
func printable(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(terminal.Printable(text))
}
