package datacmd

// The verb reward: responses are scored with the reward of a task, or with one of the user's own.
//
//	reward.go  flags; JSON lines in and out; what --set says, of the settings of a task and of a reward of the user's own
//	scorer.go  which reward scores
//	gaming.go  what policies earn that try to cheat

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"

	"parley/cmd/parley/internal/cli"
	"parley/internal/service/web"
	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/task"
	"parley/task/user"
)

// Reward is the verb reward.
type Reward struct {
	Task   string   `arg:"" help:"${reward_tasks}."`
	In     string   `placeholder:"FILE" help:"Read JSON lines from FILE instead of stdin."`
	Gaming bool     `help:"Read no lines. Score an honest answer and known ways of reward hacking, under the standard and the robust reward. Tasks: ${gamed_tasks}."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Change how responses are scored. With a task: a key of its settings, such as scorer=robust (docs/recipes.md lists them). With a reward of your own: min, max, seconds, memory_mb, retries, isolated or key_env. With RECIPE.yaml: a key of the recipe. Repeatable."`

	cli.Overlays
}

func (Reward) Help() string {
	return cli.LinesHelp + `    {"item":{…},"responses":["…","…"]}  →  {"reward":2.5,"parts":{"tests":1,…},"flags":[]}

An item is a record of the task's data set; a code task needs prompt, entry_point and test. There is one response per agent; with RECIPE.yaml and a reward of your own, one for each text of the team's answer. For a code task the first response is the helper aux and the second the asked function; a single response is the asked function. Programs run in the sandbox.

A reward of your own is FILE.py or FILE.star with a function reward(item, responses), the address of a server, or a recipe. Its item is any JSON object. If it gives no reward for a line, the answer is {"error":"…"}.

Examples:

    parley reward TASK --in responses.jsonl
    parley reward TASK --set scorer=robust --in responses.jsonl
    parley reward reward.py --in responses.jsonl
    parley reward TASK --gaming

Exit codes: 0 done; 1 the sandbox does not work, a line has no reward, or a known hack earns as much as honesty under the robust reward; 2 there is no such task or setting, or a line is wrong; 130 interrupted.`
}

// rewardLine is a line of `reward`.
type rewardLine struct {
	Item      json.RawMessage `json:"item"`
	Responses []string        `json:"responses"`
	problem   task.Problem    // that the item is
}

// A rewarding is an answer of `reward`.
type rewarding struct {
	Reward float64            `json:"reward"`
	Parts  map[string]float64 `json:"parts"`
	Flags  []string           `json:"flags"`
	Agents map[string]float64 `json:"agents,omitempty"` // what single agents are paid beside the team

	Rates task.Rates `json:"rates,omitempty"` // checks that were passed, of how many
}

func (c *Reward) Run(a *cli.App) error {
	if c.Gaming {
		return c.gamed(a)
	}
	input, err := a.OpenInput(c.In)
	if err != nil {
		return err
	}
	defer input.Close()
	scorer, err := c.scorer(a)
	if err != nil {
		return err
	}
	lost := 0
	parse := func(line []byte) (rewardLine, error) { return parseReward(scorer, line) }
	err = cli.Convert(a, input, parse, func(lines []rewardLine) ([]any, error) { return c.score(a, scorer, lines, &lost) })
	if err == nil && lost > 0 {
		err = fmt.Errorf("lines without a reward: %d; their errors are on stdout", lost)
	}
	return errors.Join(err, scorer.End())
}

func parseReward(scorer rewardScorer, line []byte) (l rewardLine, err error) {
	if err := cli.ReadObject(line, &l); err != nil {
		return l, err
	}
	if len(l.Item) == 0 || len(l.Responses) == 0 {
		return l, errors.New(`write "item" and "responses"`)
	}
	l.problem, err = scorer.read(l.Item, len(l.Responses))
	return l, err
}

// score scores lines side by side. A line that a user's own reward does not score is answered with why, and counted as lost.
func (c *Reward) score(a *cli.App, scorer rewardScorer, lines []rewardLine, lost *int) ([]any, error) {
	out, errs := make([]any, len(lines)), make([]error, len(lines))
	web.Each(len(lines), runtime.GOMAXPROCS(0), func(i int) {
		s, err := scorer.Score(a.Ctx, lines[i].problem, lines[i].Responses)
		out[i], errs[i] = answered(s), err
	})
	for i, err := range errs {
		if none, ok := errors.AsType[*user.NoReward](err); ok {
			*lost++
			out[i], errs[i] = map[string]string{"error": none.Error()}, nil
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("score with task %s: %w", c.Task, err)
	}
	return out, nil
}

func answered(s task.Score) rewarding {
	r := rewarding{Reward: s.Reward, Parts: s.Parts, Flags: s.Flags, Agents: s.Agents, Rates: s.Rates}
	if r.Parts == nil {
		r.Parts = map[string]float64{}
	}
	if r.Flags == nil {
		r.Flags = []string{}
	}
	return r
}

// scoringSettings returns the settings of a task with changes of the form key=value, such as scorer=robust. Only what changes how single
// responses are scored can be changed. An error is an [*schema.Errors].
func scoringSettings(t *task.Type, sets []string) (settings any, err error) {
	of := reflect.TypeOf(t.Settings)
	root := schema.Of(of)
	var keys []string
	for _, f := range root.Fields {
		if f.Tag.Get("scores") == "yes" {
			keys = append(keys, f.Name)
		}
	}
	settings = reflect.New(of).Interface()
	return settings, schema.Change("task "+t.Name, root, settings, keys, sets)
}

// changedUser returns the settings of a user's own reward with changes of the form key=value. names are the keys that can be changed.
func changedUser(names, sets []string) (u keys.User, err error) {
	err = schema.Change("the reward", schema.Of(reflect.TypeFor[keys.User]()), &u, names, sets)
	return u, err
}
