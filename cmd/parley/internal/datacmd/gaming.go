package datacmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/tie"
	"parley/recipe"
	"parley/task"
)

// gamed scores what is known to game a task's reward beside an honest answer, under the standard and the robust scorer. The command
// fails if something earns more than the honest answer under the robust scorer.
func (c *Reward) gamed(a *cli.App) error {
	t, known := a.Language.Task(c.Task)
	if !known || t.Gaming == nil {
		return cli.Usagef("--gaming: nothing is known that games task %s: write one of %s", c.Task, strings.Join(GamedTasks(a.Language), ", "))
	}
	policies := t.Gaming.Policies
	var scores [2][]task.Score
	for i, variant := range []task.RewardVariant{task.Standard, task.Robust} {
		var err error
		if scores[i], err = scorePolicies(a.Ctx, t, variant); err != nil {
			return err
		}
	}
	err := a.Table(func(w io.Writer) {
		cli.Row(w, "policy", "standard", "robust", "flags")
		for i, p := range policies {
			cli.Row(w, p.Name, fmt.Sprintf("%.3f", scores[0][i].Reward), fmt.Sprintf("%.3f", scores[1][i].Reward), strings.Join(scores[1][i].Flags, ", "))
		}
	})
	if err != nil {
		return err
	}
	for i, s := range scores[1][1:] {
		if honest := scores[1][0].Reward; !tie.Above(honest, s.Reward, 0) {
			return fmt.Errorf("under the robust reward %q earns %.3f, as much as honesty or more (%.3f)", policies[i+1].Name, s.Reward, honest)
		}
	}
	return nil
}

// GamedTasks lists the tasks of which it is known what games them.
func GamedTasks(l *recipe.Language) []string {
	var names []string
	for _, t := range l.Tasks() {
		if t.Gaming != nil {
			names = append(names, t.Name)
		}
	}
	return names
}

// scorePolicies scores all that is known to game a task under a variant of its reward.
func scorePolicies(ctx context.Context, t *task.Type, variant task.RewardVariant) ([]task.Score, error) {
	s, err := scorerOf(ctx, t, t.Gaming.Settings(variant))
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.End() }()
	scores := make([]task.Score, len(t.Gaming.Policies))
	for i, p := range t.Gaming.Policies {
		problem, err := s.read(p.Item, len(p.Responses))
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", p.Name, err)
		}
		if scores[i], err = s.Score(ctx, problem, p.Responses); err != nil {
			return nil, fmt.Errorf("policy %s: %w", p.Name, err)
		}
	}
	return scores, nil
}
