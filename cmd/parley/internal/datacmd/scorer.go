package datacmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/plainfile"
	"parley/recipe"
	"parley/task"
	"parley/task/user"
	"parley/train/plan"
	"parley/train/score"
)

// A rewardScorer is what `reward` scores with.
type rewardScorer struct {
	*task.ItemScorer
	responses task.Count // to an item
}

// scorer opens the scorer of a task, of a user's own reward, or of what a recipe rewards with.
func (c *Reward) scorer(a *cli.App) (rewardScorer, error) {
	switch ending := filepath.Ext(c.Task); {
	case ending == ".yaml" || ending == ".yml":
		return c.ofRecipe(a)
	case len(c.Overlay) > 0:
		return rewardScorer{}, c.Refuse(c.Task)
	case ending == ".py" || ending == ".star" || strings.HasPrefix(c.Task, "http://") || strings.HasPrefix(c.Task, "https://"):
		return c.ofUser(a.Ctx)
	}
	t, known := a.Language.Task(c.Task)
	if !known {
		return rewardScorer{}, cli.Usagef("task %q is not known: write one of %s, or a reward of your own: FILE.py, FILE.star, http://…", c.Task, strings.Join(TaskNames(a.Language), ", "))
	}
	settings, err := scoringSettings(t, c.Set)
	if err != nil {
		return rewardScorer{}, err
	}
	return scorerOf(a.Ctx, t, settings)
}

// TaskNames lists the tasks whose rewards can be asked for.
func TaskNames(l *recipe.Language) []string {
	var names []string
	for _, t := range l.Tasks() {
		names = append(names, t.Name)
	}
	return names
}

func scorerOf(ctx context.Context, t *task.Type, settings any) (rewardScorer, error) {
	items, err := t.Items(ctx, settings)
	return rewardScorer{items, t.Responses}, err
}

func (c *Reward) ofRecipe(a *cli.App) (rewardScorer, error) {
	r, err := a.LoadRecipe(c.Task, c.Set, nil, c.Overlay...)
	switch {
	case err != nil:
		return rewardScorer{}, err
	case r.Reward.Source == "user":
		own, err := ownScorer(a.Ctx, score.UserSettings(r.Reward.User, os.Getenv(r.Reward.User.KeyEnv)), r.Team.Agents.Names())
		if err != nil {
			return own, err
		}
		own.responses, err = responsesOf(r)
		return own, err
	}
	return scorerOf(a.Ctx, r.TaskType(), r.Task.Settings)
}

// responsesOf is how many responses a run of r gives its reward: those of the team's answer, or the one of a single agent.
func responsesOf(r *recipe.Recipe) (task.Count, error) {
	calls, err := plan.RewardCalls(r)
	if !slices.ContainsFunc(calls, func(c plan.RewardCall) bool { return !c.Alone }) {
		return task.Count{Least: 1, Most: task.MostAgents}, err // a program makes the team's answer
	}
	out := task.Count{Least: task.MostAgents}
	for _, c := range calls {
		out.Least, out.Most = min(out.Least, len(c.Tokens)), max(out.Most, len(c.Tokens))
	}
	return out, nil
}

// ofUser is a user's own reward in a file or behind an address. A file of Starlark and a server have some of its settings only.
func (c *Reward) ofUser(ctx context.Context) (rewardScorer, error) {
	file := []string{"min", "max", "seconds"}
	keys := map[string][]string{".py": append(file, "isolated", "memory_mb", "retries"), ".star": file}[filepath.Ext(c.Task)]
	if keys == nil {
		keys = append(file, "retries", "key_env")
	}
	u, err := changedUser(keys, c.Set)
	if err != nil {
		return rewardScorer{}, err
	}
	switch filepath.Ext(c.Task) {
	case ".py":
		u.Python = c.Task
	case ".star":
		text, err := plainfile.Read(c.Task)
		if err != nil {
			return rewardScorer{}, cli.Usagef("%v", err)
		}
		u.Expression = string(text)
	default:
		u.URL = c.Task
	}
	key := ""
	if u.KeyEnv != "" {
		if key = os.Getenv(u.KeyEnv); key == "" {
			return rewardScorer{}, cli.Usagef("key_env is %s, but that environment variable is not set", u.KeyEnv)
		}
	}
	return ownScorer(ctx, score.UserSettings(u, key), nil)
}

func ownScorer(ctx context.Context, s user.Settings, names []string) (rewardScorer, error) {
	items, err := user.Items(ctx, s, names)
	if errors.Is(err, fs.ErrNotExist) {
		return rewardScorer{}, cli.Usagef("%v", err)
	}
	return rewardScorer{items, task.Count{Least: 1, Most: task.MostAgents}}, err
}

// read reads an item and checks that it can have so many responses. An error says what is wrong with either.
func (s rewardScorer) read(item []byte, responses int) (task.Problem, error) {
	if err := s.responses.Check(responses); err != nil {
		return task.Problem{}, err
	}
	return s.Read(item, responses)
}
