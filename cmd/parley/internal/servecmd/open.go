package servecmd

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/chatsession"
	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/modelcmd"
	"parley/engine"
	"parley/engine/batching"
	"parley/engine/native"
	"parley/recipe"
	"parley/serve"
	"parley/train"
	"parley/train/talk"
)

// open loads all targets. closeAll gives their memory back.
func (c *Cmd) open(a *cli.App) (models []serve.Model, closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for _, f := range slices.Backward(closers) {
			_ = f() // nothing is written any more
		}
	}
	for _, target := range c.Targets {
		more, closer, err := c.openTarget(a, target)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		closers = append(closers, closer)
		for _, m := range more {
			if slices.ContainsFunc(models, func(other serve.Model) bool { return other.ID == m.ID }) {
				closeAll()
				return nil, nil, cli.Usagef("two of what is served would be called %s; serve them by two servers", m.ID)
			}
		}
		models = append(models, more...)
	}
	a.NoteSlow()
	return models, closeAll, nil
}

// openTarget loads a run, the team of a recipe, or a model, in this order: a model can also be named by its folder.
func (c *Cmd) openTarget(a *cli.App, target string) ([]serve.Model, func() error, error) {
	dir, noRun := cli.FindRun(target)
	var usage *cli.UsageError
	switch {
	case noRun == nil:
		print, err := fingerprintOfRun(dir)
		if err != nil {
			return nil, nil, err
		}
		return c.openTeam(a, filepath.Base(dir), print, train.Options{Dir: dir})
	case !errors.As(noRun, &usage):
		return nil, nil, noRun
	case slices.Contains(recipe.Names(), target) || filepath.Ext(target) == ".yaml":
		r, err := a.Language.Load(target, nil)
		if err != nil {
			return nil, nil, err
		}
		return c.openTeam(a, r.Name, fingerprint(string(r.YAML())), train.Options{Recipe: r})
	}
	return c.openModel(a, target)
}

// openTeam loads a team and serves it and its agents.
func (c *Cmd) openTeam(a *cli.App, name, print string, o train.Options) ([]serve.Model, func() error, error) {
	o.Backend, o.Language, o.Trust = native.Backend{}, a.Language, c.Trust
	t, err := train.OpenTeam(a.Ctx, o)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now().Unix()
	var models []serve.Model
	if !t.ShowsScores() { // nobody scores answers in a conversation
		models = append(models, serve.Model{ID: name, Created: now, Fingerprint: print, Answerer: serve.NewTeam(t.Team)})
	}
	for i := range t.Protocol.Agents() {
		models = append(models, serve.Model{
			ID: name + "/agent-" + agentName(t, i), Created: now, Fingerprint: print, Answerer: serve.NewSingle(t.Speaker(0, i), t.SettingsOf(i)),
		})
	}
	return models, t.Close, nil
}

// agentName is what an agent, from 0, is called in the name of a model: agents without names have numbers.
func agentName(t *talk.Team, agent int) string {
	return strings.TrimPrefix(t.Called(agent), "agent ")
}

// unbounded is more tokens than any context has.
const unbounded = 1 << 30

// openModel loads a model. Its answers are as long as its context allows.
func (c *Cmd) openModel(a *cli.App, target string) ([]serve.Model, func() error, error) {
	m, err := modelcmd.OpenSpeaker(target)
	if err != nil {
		return nil, nil, err
	}
	b, err := (&modelcmd.EngineInput{ModelInput: modelcmd.ModelInput{Model: target}, DType: c.DType}).Load(a, m)
	if err != nil {
		return nil, nil, errors.Join(err, m.Close())
	}
	m.Now = time.Now()
	v := chatsession.Speaker{Engine: batching.New(b.Engine), Model: m}
	how := chatsession.Settings{Sampling: engine.Sampling{Temperature: 1}, MaxTokens: unbounded}
	print := fingerprint(target, c.DType, string(m.Source.Config()))
	return []serve.Model{{ID: target, Created: time.Now().Unix(), Fingerprint: print, Answerer: serve.NewSingle(v, how)}}, b.Close, nil
}
