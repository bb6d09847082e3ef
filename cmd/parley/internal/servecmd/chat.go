package servecmd

// The verb chat: a conversation with a team, trained or not, a model, a model with an adapter, or what a server serves.
//
//	chat.go          flags; who speaks
//	remote.go        who speaks where a server does
//	conversation.go  one turn after another, and the commands that begin with a slash
//	tui.go           lines on a terminal, with an editor and with answers that appear as they are drawn

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/cmd/parley/internal/modelcmd"
	"parley/engine"
	"parley/engine/native"
	"parley/recipe"
	"parley/serve/chatsession"
	"parley/train"
)

// Chat is the verb chat.
type Chat struct {
	Target      string    `arg:"" optional:"" name:"team-or-model" help:"Folder or name of a run, name or file of a recipe, or a model: a name, a folder in Hugging Face layout, or a .gguf file. With --url: a name that the server serves; default: the first."`
	URL         string    `name:"url" placeholder:"URL" help:"Talk to a server of OpenAI's protocol, such as http://127.0.0.1:8000/v1 of parley serve. The token is read from PARLEY_TOKEN."`
	Agent       string    `placeholder:"N" help:"With a run: talk only to agent N, by number or name, as it is in its first turn."`
	Adapter     string    `placeholder:"DIR" help:"With a model: load a PEFT adapter."`
	DType       string    `name:"dtype" enum:"f32,bf16,int8,nf4" default:"f32" help:"With a model: data type of its weights in memory: f32, bf16, int8 or nf4."`
	System      string    `placeholder:"TEXT" help:"With a model or --agent: the system message."`
	Temperature *float64  `placeholder:"T" help:"Sampling temperature; 0 is greedy. Default: 0.7, or that of the run's evaluation."`
	MaxNew      *int      `placeholder:"N" help:"Limit of new tokens in an answer. Default: 512, or that of the run."`
	Now         time.Time `format:"2006-01-02T15:04:05" placeholder:"TIME" help:"With a model: the time that the chat template sees, such as 2026-07-14T09:05:03. Default: now; a run has its date."`
	Stop        []string  `placeholder:"TEXT" sep:"none" help:"A text that ends answers, and is no part of them (repeatable). Default: none, or those of the run."`
	Trust       bool      `name:"trust" help:"With a run: open it though it was made elsewhere and its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	Seed        uint64    `placeholder:"N" help:"Seed of sampling."`

	cli.Moved

	cli.Overlays
}

func (Chat) Help() string {
	return `A run's team works on each question as in training, and a recipe's team as its bases are, untrained. It does not remember earlier questions. A single agent or a model remembers the conversation until /reset.

With --url, a server answers: what the agents of its team say appears before the team's answer.

On a terminal, answers appear while they are written. ^C stops an answer; ^C at the prompt leaves; /help lists the commands. Without a terminal, each line of stdin is a question, and the answers go to stdout.

Examples:

    parley chat parley-base
    parley chat debate-sums-s1
    parley chat debate-sums-s1 --agent 1
    parley chat corex-review-tiny
    parley chat --url http://127.0.0.1:8000/v1
    echo 'What is 2 + 3?' | parley chat parley-base --temperature 0

Exit codes: 0 done; 1 an answer failed; 2 there is no such run, recipe or model, or a flag is wrong; 130 interrupted.`
}

func (c *Chat) Run(a *cli.App) error {
	if err := c.check(); err != nil {
		return err
	}
	r := &chatRoom{App: a, cmd: c}
	if err := c.enter(a, r); err != nil {
		return err
	}
	defer r.close()
	in, inOK := a.Stdin.(*os.File)
	out, outOK := a.Stdout.(*os.File)
	if inOK && outOK && live.Drawable(in) && live.Drawable(out) {
		return r.interactive(in, out)
	}
	return r.lines()
}

func (c *Chat) check() error {
	switch {
	case c.Temperature != nil && !(*c.Temperature >= 0 && *c.Temperature <= 100):
		return cli.Usagef("--temperature %g must lie between 0 and 100", *c.Temperature)
	case c.MaxNew != nil && *c.MaxNew < 1:
		return cli.Usagef("--max-new is %d; at least one token is needed", *c.MaxNew)
	}
	return c.checkURL()
}

// enter loads the run, the team of a recipe, or the model, in this order: a model can also be named by its folder.
func (c *Chat) enter(a *cli.App, r *chatRoom) error {
	if c.URL != "" {
		return c.enterServer(a, r)
	}
	dir, noRun := cli.FindRun(c.Target)
	var usage *cli.UsageError
	switch {
	case noRun == nil:
		if err := cmp.Or(c.Refuse(dir), cli.One(dir, "parley", "chat")); err != nil {
			return err
		}
		return c.enterTeam(a, r, train.Options{Dir: dir})
	case !errors.As(noRun, &usage) || errors.As(noRun, new(*cli.StudyError)):
		return noRun
	}
	recipe, known, err := c.recipe(a)
	switch {
	case err != nil:
		return err
	case known:
		return c.enterTeam(a, r, train.Options{Recipe: recipe})
	case c.Agent != "":
		return cli.Usagef("--agent is for runs and recipes, and there is neither named %q", c.Target)
	case len(c.Overlay) > 0:
		return c.Refuse(c.Target)
	case len(c.Set) > 0:
		return cli.Usagef("--set is for runs and recipes, and there is neither named %q", c.Target)
	}
	return c.enterModel(a, r)
}

// recipe reads the recipe that is meant, by its name or its file; known is false where there is none.
func (c *Chat) recipe(a *cli.App) (r *recipe.Recipe, known bool, err error) {
	if !slices.Contains(recipe.Names(), c.Target) && filepath.Ext(c.Target) != ".yaml" {
		return nil, false, nil
	}
	r, err = a.Language.Load(c.Target, c.Set, c.Overlay...)
	return r, err == nil, err
}

// enterTeam loads the team of a run or of a recipe.
func (c *Chat) enterTeam(a *cli.App, r *chatRoom, o train.Options) error {
	if c.Adapter != "" || c.DType != "f32" || !c.Now.IsZero() {
		return cli.Usagef("--adapter, --dtype and --now are for models, but %s is a team: its recipe says all of them", c.Target)
	}
	o.Backend, o.Language, o.Trust, o.Moved = native.Backend{}, a.Language, c.Trust, c.Set
	t, err := chatsession.OpenTeam(a.Ctx, o)
	if err != nil {
		return err
	}
	a.NoteSlow()
	r.team, r.close = t, func() { t.Close() }
	t.Change = c.settings
	if c.Agent != "" {
		err = r.toAgentNamed([]string{c.Agent})
	} else {
		err = r.toTeam()
	}
	if err == nil && c.Agent == "" && c.System != "" {
		err = errors.New("--system is for --agent: the team's system message is in its recipe")
	}
	if err != nil {
		r.close()
		return cli.Usagef("%v", err)
	}
	return nil
}

func (c *Chat) enterModel(a *cli.App, r *chatRoom) error {
	m, err := modelcmd.OpenSpeaker(c.Target)
	if err != nil {
		return err
	}
	b, err := (&modelcmd.EngineInput{ModelInput: modelcmd.ModelInput{Model: c.Target}, Adapter: c.Adapter, DType: c.DType}).Load(a, m)
	if err != nil {
		return errors.Join(err, m.Close())
	}
	if b.Model.Now = c.Now; c.Now.IsZero() {
		b.Model.Now = time.Now()
	}
	r.close = func() { b.Close() }
	r.speakTo(voice(b), chatsession.Settings{Sampling: engine.Sampling{Temperature: 0.7}, MaxTokens: 512})
	r.title = "model " + c.Target
	return nil
}

func voice(b *modelcmd.Loaded) chatsession.Speaker {
	return chatsession.Speaker{Engine: b.Engine, Model: b.Model, Policy: b.Policy}
}

// settings are the defaults with what the flags change.
func (c *Chat) settings(s chatsession.Settings) chatsession.Settings {
	if c.Temperature != nil {
		s.Sampling.Temperature = *c.Temperature
	}
	if c.MaxNew != nil {
		s.MaxTokens = *c.MaxNew
		s.MinTokens = min(s.MinTokens, s.MaxTokens)
	}
	if len(c.Stop) > 0 {
		s.Stop = c.Stop
	}
	s.Seed = c.Seed
	return s
}
