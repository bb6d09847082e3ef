package world

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"parley/internal/service/web"
	"parley/internal/usererror"
	"parley/task"
	"parley/task/environment/games"
)

// name is what recipes call the task.
const name = "environment"

// Settings are what recipes may say.
type Settings struct {
	Environment Source  `yaml:"environment"`
	Path        string  `yaml:"path" names:"data" default:""`
	MinReward   float64 `yaml:"min_reward" default:"0"`
	MaxReward   float64 `yaml:"max_reward" default:"1"`
	Games       int     `yaml:"games" default:"200" min:"2" max:"100000"`
	PlayEvery   int     `yaml:"play_every" default:"10" min:"0"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/world/keys.md", keyTexts }

// A Source says who answers.
type Source struct {
	Name     string   `yaml:"name" default:""`
	Python   string   `yaml:"python" names:"file" reach:"imports" default:""`
	Isolated bool     `yaml:"isolated" default:"true"`
	Command  []string `yaml:"command" names:"command" reach:"runs"`
	URL      string   `yaml:"url" reach:"asks" default:""`
	OpenEnv  string   `yaml:"openenv" reach:"asks" default:""`
	Action   string   `yaml:"action" default:"message"`
	Observe  string   `yaml:"observe" default:""`
	KeyEnv   string   `yaml:"key_env" reach:"tells" default:""`
	Stateful bool     `yaml:"stateful" default:"false"`
	Seconds  float64  `yaml:"seconds" default:"10" min:"0.01"`
	Retries  int      `yaml:"retries" default:"2" min:"0" max:"20"`
	MemoryMB int      `yaml:"memory_mb" default:"512" min:"0"`
}

// DataPath implements [task.DataReader].
func (s Settings) DataPath() string { return s.Path }

// Match names what is played, a game that comes with parley or what answers with which items, and how many games a number is made of.
func (s Settings) Match() (game string, games int) {
	if e := s.Environment; e.Name == "" {
		return cmp.Or(e.Python, e.URL, e.OpenEnv, strings.Join(e.Command, " ")) + " with " + s.Path, s.Games
	}
	return s.Environment.Name, s.Games
}

// keepsState says that what answers knows where an episode is.
func (s Source) keepsState() bool { return s.Stateful || s.OpenEnv != "" }

// sources lists which of the five are named.
func (s Source) sources() (out []string) {
	for key, named := range map[string]bool{"name": s.Name != "", "python": s.Python != "", "command": len(s.Command) > 0, "url": s.URL != "", "openenv": s.OpenEnv != ""} {
		if named {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

// check refuses what cannot be opened.
func (s Settings) check(in task.Team) []task.Fault {
	e := s.Environment
	if named := e.sources(); len(named) != 1 {
		return []task.Fault{{
			Key: "environment", Message: fmt.Sprintf("has %d of name, python, command, url and openenv (%s), expected one", len(named), strings.Join(named, ", ")),
			Hint: "write for example environment: {name: path}",
		}}
	}
	if faults := e.openEnvFaults(in); faults != nil {
		return faults
	}
	g, builtIn := games.Find(e.Name)
	switch {
	case e.Name != "" && !builtIn:
		return []task.Fault{{Key: "environment.name", Message: fmt.Sprintf("is %q, expected %s", e.Name, names()), Hint: "an environment of your own is python, command, url or openenv"}}
	case builtIn && in.Agents != g.Agents:
		return []task.Fault{{Key: "environment.name", Message: fmt.Sprintf("is %s, which is played by %d agents, but team.agents is %d", g.Name, g.Agents, in.Agents), Hint: "change team.agents"}}
	case builtIn && s.Path != "":
		return []task.Fault{{Key: "path", Message: "names items, but the built-in environment " + g.Name + " has its own", Hint: "leave it out"}}
	case !builtIn && s.Path == "":
		return []task.Fault{{Key: "path", Message: "is empty, expected the items that episodes begin with", Hint: usererror.Word("write for example path: items.jsonl", `give data=, such as data=[{"id": i} for i in range(100)]`)}}
	case builtIn && e.Stateful:
		return []task.Fault{{Key: "environment.stateful", Message: "is true, but the built-in environment " + g.Name + " is a pure function", Hint: "leave it out"}}
	case e.Python == "" && !e.Isolated:
		return []task.Fault{{Key: "environment.isolated", Message: "has no effect without environment.python", Hint: "leave it out"}}
	case e.URL == "" && e.OpenEnv == "" && e.KeyEnv != "":
		return []task.Fault{{Key: "environment.key_env", Message: "has no effect without environment.url or environment.openenv", Hint: "leave it out"}}
	case strings.HasPrefix(e.URL, "host:") && !web.OfHost(e.URL):
		return []task.Fault{{Key: "environment.url", Message: fmt.Sprintf("is %q, expected an http address, or host: and a path", e.URL), Hint: "write for example url: host:environment"}}
	case web.OfHost(e.URL) && e.KeyEnv != "":
		return []task.Fault{{Key: "environment.key_env", Message: "is " + e.KeyEnv + ", but the program that starts parley has a key of its own for " + e.URL, Hint: "leave it out"}}
	case e.keepsState() && !in.Episodes:
		key, says := "environment.stateful", "is true"
		if e.OpenEnv != "" {
			key, says = "environment.openenv", "keeps its state"
		}
		return []task.Fault{{Key: key, Message: says + ", and such an environment cannot branch, which every group.rollout but episodes does", Hint: "set group.rollout to episodes, with a group-relative algorithm, iac or maac"}}
	case !builtIn && !(s.MinReward < s.MaxReward):
		return []task.Fault{{Key: "max_reward", Message: fmt.Sprintf("is %g, expected more than min_reward, %g", s.MaxReward, s.MinReward)}}
	}
	return nil
}

func names() string {
	var out []string
	for _, g := range games.All() {
		out = append(out, g.Name)
	}
	return strings.Join(out, ", ")
}

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: "A world that agents act in, step by step: a game that comes with parley, or your own.",
			Joint: true, Acts: true, Responses: task.Count{Least: 1, Most: task.MostAgents}, AnyField: true, Prompts: task.Prompts{First: "{{.Question}}"},
		},
		Check: Settings.check,
		Open:  func(ctx context.Context, s Settings, in task.Environment) (task.Task, error) { return s.open(ctx, in) },
		Items: func(context.Context, Settings) (*task.ItemScorer, error) { return nil, errSteps },
	})
}

func (s Settings) open(ctx context.Context, in task.Environment) (*Task, error) {
	if g, builtIn := games.Find(s.Environment.Name); builtIn {
		train, held := g.Problems()
		return &Task{world: g.Open(in.Names), least: g.Least, most: g.Most, pairs: g.Pairs, splits: map[task.Split][]task.Problem{task.Train: train, task.Test: held}, games: s.Games, every: s.PlayEvery}, nil
	}
	t := &Task{least: s.MinReward, most: s.MaxReward}
	var items map[string]json.RawMessage
	var err error
	if !in.NoProblems {
		items, err = t.load(ctx, s.Path, in.Cache)
	}
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", name, err)
	}
	if in.NoScores {
		return t, nil
	}
	e := s.Environment
	key := ""
	if e.KeyEnv != "" {
		if key = os.Getenv(e.KeyEnv); key == "" {
			return nil, fmt.Errorf("task.environment.key_env is %s, but that environment variable is not set", e.KeyEnv)
		}
	}
	settings := External{
		Python: e.Python, Isolated: e.Isolated, Command: e.Command, URL: e.URL, OpenEnv: e.OpenEnv, Action: e.Action, Observe: e.Observe, Key: key, Agents: in.Names, Item: itemOf(items),
		Deadline: time.Duration(e.Seconds * float64(time.Second)), Retries: e.Retries, Memory: int64(e.MemoryMB) << 20,
	}
	if e.keepsState() {
		t.world, err = OpenStateful(ctx, settings)
	} else {
		t.world, err = OpenExternal(ctx, settings)
	}
	if errors.As(err, new(*usererror.Error)) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("task.environment: %w", err)
	}
	return t, nil
}

// itemOf is what reset gets of a problem: all of its row.
func itemOf(items map[string]json.RawMessage) func(task.Problem) json.RawMessage {
	return func(p task.Problem) json.RawMessage {
		if item, known := items[p.ID]; known {
			return item
		}
		return fallback(p)
	}
}
