package main

import (
	"errors"
	"fmt"
	"os"

	"parley/chatsession"
	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/train"
)

type chatCmd struct {
	Target      string   `arg:"" name:"run-or-model" help:"Folder or name of a run, or a model: a name, a folder in Hugging Face layout, or a .gguf file."`
	Agent       int      `placeholder:"N" help:"With a run: talk only to agent N, as it is in its first turn."`
	Adapter     string   `placeholder:"DIR" help:"With a model: load a PEFT adapter."`
	DType       string   `name:"dtype" enum:"f32,bf16,int8,nf4" default:"f32" help:"With a model: data type of its weights in memory: f32, bf16, int8 or nf4."`
	System      string   `placeholder:"TEXT" help:"With a model or --agent: the system message."`
	Temperature *float64 `placeholder:"T" help:"Sampling temperature; 0 is greedy. Default: 0.7, or that of the run's evaluation."`
	MaxNew      *int     `placeholder:"N" help:"Limit of new tokens in an answer. Default: 512, or that of the run."`
	Seed        uint64   `placeholder:"N" help:"Seed of sampling."`
}

func (chatCmd) Help() string {
	return `A run's team works on each question as in training: all agents answer in all turns. It does not remember earlier questions. A single agent or a model remembers the conversation until /reset.

On a terminal, answers appear while they are written. ^C stops an answer; ^C at the prompt leaves; /help lists the commands. Without a terminal, each line of stdin is a question, and the answers go to stdout.

Examples:

    parley chat parley-base
    parley chat debate-sums-s1
    parley chat debate-sums-s1 --agent 1
    echo 'What is 2 + 3?' | parley chat parley-base --temperature 0

Exit codes: 0 done; 1 an answer failed; 2 there is no such run or model, or a flag is wrong; 130 interrupted.`
}

func (c *chatCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	r := &chatRoom{app: a, cmd: c}
	if err := c.enter(a, r); err != nil {
		return err
	}
	defer r.close()
	in, inOK := a.stdin.(*os.File)
	out, outOK := a.stdout.(*os.File)
	if inOK && outOK && drawable(in) && drawable(out) {
		return r.interactive(in, out)
	}
	return r.lines()
}

func (c *chatCmd) check() error {
	switch {
	case c.Temperature != nil && (*c.Temperature < 0 || *c.Temperature > 100):
		return usagef("--temperature %g must lie between 0 and 100", *c.Temperature)
	case c.MaxNew != nil && *c.MaxNew < 1:
		return usagef("--max-new is %d; at least one token is needed", *c.MaxNew)
	}
	return nil
}

// enter loads the run or the model. A run has the preference: a model can also be named by its folder.
func (c *chatCmd) enter(a *app, r *chatRoom) error {
	dir, noRun := findRun(c.Target)
	var usage *usageError
	switch {
	case noRun == nil:
		return c.enterRun(a, r, dir)
	case !errors.As(noRun, &usage):
		return noRun
	case c.Agent != 0:
		return usagef("--agent is for runs, and there is no run %q", c.Target)
	}
	return c.enterModel(a, r)
}

func (c *chatCmd) enterRun(a *app, r *chatRoom, dir string) error {
	if c.Adapter != "" || c.DType != "f32" {
		return usagef("--adapter and --dtype are for models, but %s is a run: its recipe says both", dir)
	}
	t, err := train.OpenTeam(a.ctx, a.language, dir, native.Backend{})
	if err != nil {
		return err
	}
	a.noteSlow()
	r.team, r.close = t, func() { t.Close() }
	t.Settings = c.settings(t.Settings)
	if c.Agent != 0 {
		err = r.toAgent(c.Agent, 1)
	} else {
		err = r.toTeam()
	}
	if err == nil && c.Agent == 0 && c.System != "" {
		err = errors.New("--system is for --agent: the team's system message is in its recipe")
	}
	if err != nil {
		r.close()
		return usagef("%v", err)
	}
	return nil
}

func (c *chatCmd) enterModel(a *app, r *chatRoom) error {
	m, err := model.Open(c.Target)
	if err != nil {
		return usagef("%v", err)
	}
	b, err := (&engineInput{modelInput: modelInput{Model: c.Target}, Adapter: c.Adapter, DType: c.DType}).load(a, m)
	if err != nil {
		return errors.Join(err, m.Close())
	}
	r.close = func() { b.close() }
	r.speakTo(b.voice(), chatsession.Settings{Sampling: engine.Sampling{Temperature: 0.7}, MaxTokens: 512})
	r.title = "model " + c.Target
	return nil
}

func (b *loadedModel) voice() chatsession.Speaker {
	return chatsession.Speaker{Engine: b.engine, Model: b.model, Policy: b.policy}
}

// settings are the defaults with what the flags change.
func (c *chatCmd) settings(s chatsession.Settings) chatsession.Settings {
	if c.Temperature != nil {
		s.Sampling.Temperature = *c.Temperature
	}
	if c.MaxNew != nil {
		s.MaxTokens = *c.MaxNew
		s.MinTokens = min(s.MinTokens, s.MaxTokens)
	}
	s.Seed = c.Seed
	return s
}

// plural is n things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
