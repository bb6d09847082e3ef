package servecmd

import (
	"errors"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/modelcmd"
	"parley/model"
	"parley/serve/tinker"
	"parley/serve/tinker/checkpoint"
)

// Tinker are the flags of a server of the Tinker protocol.
type Tinker struct {
	Tinker bool   `help:"Serve the engine behind the Tinker protocol instead: the official SDK trains and samples with it."`
	Model  string `placeholder:"MODEL" help:"With --tinker: the base that clients train adapters over."`
	State  string `default:"tinker-state" placeholder:"DIR" help:"With --tinker: the folder of checkpoints, which outlives the server."`
	Models int    `default:"64" placeholder:"N" help:"With --tinker: models that are trained at a time, of all clients together."`
}

// options are those of the flags, and the server's own where they say nothing.
func (c *Serve) options(token string) tinker.Options {
	o := tinker.Defaults()
	o.Token, o.Models = token, c.Models
	if c.Working > 0 {
		o.Working = c.Working
	}
	if c.Waiting >= 0 {
		o.Waiting = c.Waiting
	}
	if c.MaxBody > 0 {
		o.MaxBody = c.MaxBody
	}
	return o
}

func (c *Serve) checkTinker() error {
	switch {
	case c.Model == "":
		return cli.Usagef("--tinker needs a base: write --model NAME, a folder in Hugging Face layout, or a .gguf file")
	case len(c.Targets) > 0:
		return cli.Usagef("%s: --tinker serves the engine over one base, which --model names, and no teams", strings.Join(c.Targets, " "))
	case c.Models < 1:
		return cli.Usagef("--models is at least 1")
	}
	return nil
}

// serveTinker serves the engine behind the Tinker protocol.
func (c *Serve) serveTinker(a *cli.App) (err error) {
	if err := c.checkTinker(); err != nil {
		return err
	}
	m, err := model.Open(c.Model)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	b, err := (&modelcmd.EngineInput{ModelInput: modelcmd.ModelInput{Model: c.Model}, DType: c.DType, ScoreAsSampled: true}).Load(a, m)
	if err != nil {
		return errors.Join(err, m.Close())
	}
	defer b.Close()
	store, err := checkpoint.Open(c.State)
	if err != nil {
		return cli.Usagef("--state %s: %v", c.State, err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	listener, err := c.listen(a)
	if err != nil {
		return err
	}
	token, made := token()
	if made {
		token = "tml-" + token // as the official client wants its keys
	}
	o := c.options(token)
	o.Loopback, o.Hosts = loopback(listener.Addr()), []string{c.host()}
	server := tinker.New(b.Engine, tinker.BaseOf(m, b.Engine.Config()), store, o)
	defer server.Close()
	if err := c.announce(a, listener, token, made); err != nil {
		return err
	}
	if !made && !strings.HasPrefix(token, "tml-") {
		a.Say("note: the official SDK wants keys that begin with tml-: give it TINKER_API_KEY=tml-$PARLEY_TOKEN, which is taken too")
	}
	return c.live(a, listener, server, server.Drain)
}
