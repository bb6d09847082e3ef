package servecmd

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/modelcmd"
	"parley/engine"
	"parley/model"
	"parley/recipe"
	"parley/serve"
	"parley/serve/chatsession"
	"parley/train"
)

// open loads all targets. closeAll gives their memory back.
func (c *Serve) open(a *cli.App) (models []serve.Model, closeAll func(), err error) {
	c.backend = &Backend{}
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
	return c.program.among(models), closeAll, nil
}

// openTarget loads what a name means: with /agent-NAME behind it, one agent of a team alone.
func (c *Serve) openTarget(a *cli.App, target string) ([]serve.Model, func() error, error) {
	at := strings.LastIndex(target, "/agent-")
	if at < 0 {
		return c.openNamed(a, target)
	}
	models, closer, err := c.openNamed(a, target[:at])
	if err != nil {
		return nil, nil, err
	}
	for _, m := range models {
		if strings.HasSuffix(m.ID, target[at:]) {
			return []serve.Model{m}, closer, nil
		}
	}
	return nil, nil, errors.Join(cli.Usagef("%s has no agent %s", target[:at], strings.TrimPrefix(target[at:], "/agent-")), closer())
}

// openNamed loads a run, the team of a recipe, or a model, in this order: a model can also be named by its folder.
func (c *Serve) openNamed(a *cli.App, target string) ([]serve.Model, func() error, error) {
	dir, noRun := cli.FindRun(target)
	var usage *cli.UsageError
	switch {
	case noRun == nil:
		if err := cmp.Or(c.Refuse(dir), cli.One(dir, "parley", "serve")); err != nil {
			return nil, nil, err
		}
		print, err := fingerprintOfRun(dir)
		if err != nil {
			return nil, nil, err
		}
		return c.openTeam(a, filepath.Base(dir), print, train.Options{Dir: dir})
	case !errors.As(noRun, &usage) || errors.As(noRun, new(*cli.StudyError)):
		return nil, nil, noRun
	case slices.Contains(recipe.Names(), target) || filepath.Ext(target) == ".yaml":
		r, err := a.Language.Load(target, c.Set, c.Overlay...)
		if err != nil {
			return nil, nil, err
		}
		return c.openTeam(a, r.Name, fingerprint(string(r.YAML())), train.Options{Recipe: r})
	}
	return c.openModel(a, target)
}

// openTeam loads a team and serves it and its agents.
func (c *Serve) openTeam(a *cli.App, name, print string, o train.Options) ([]serve.Model, func() error, error) {
	o.Backend, o.Language, o.Trust, o.Moved = c.backend, a.Language, c.Trust, c.Set
	t, err := chatsession.OpenTeam(a.Ctx, o)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now().Unix()
	var models []serve.Model
	if t.InProgram() == nil && !t.ShowsScores() { // nobody scores answers in a conversation
		models = append(models, serve.Model{ID: name, Created: now, Fingerprint: print, Answerer: serve.NewTeam(t.Team)})
	}
	programs := t.InProgram()
	for i := range t.Protocol.Agents() {
		m := serve.Model{
			ID: name + "/agent-" + agentName(t, i), Created: now, Fingerprint: print, Unforced: programs != nil, Answerer: serve.NewSingle(t.Speaker(0, i), t.SettingsOf(i)),
		}
		models = append(models, m)
		if programs != nil {
			c.program.knows(name, m.ID, programs[i])
		}
	}
	return models, t.Close, nil
}

// agentName is what an agent, from 0, is called in the name of a model: agents without names have numbers.
func agentName(t *chatsession.Loaded, agent int) string {
	return strings.TrimPrefix(t.Called(agent), "agent ")
}

// unbounded is more tokens than any context has.
const unbounded = 1 << 30

// openModel loads a model. Its answers are as long as its context allows.
func (c *Serve) openModel(a *cli.App, target string) ([]serve.Model, func() error, error) {
	if len(c.Set) > 0 {
		return nil, nil, cli.Usagef("--set is for runs and recipes, and %s is a model", target)
	}
	if err := c.Refuse(target); err != nil {
		return nil, nil, err
	}
	m, err := modelcmd.OpenSpeaker(target)
	if err != nil {
		return nil, nil, err
	}
	e, err := c.load(a, target, m)
	if err != nil {
		return nil, nil, errors.Join(err, m.Close())
	}
	m.Now = time.Now()
	v := chatsession.Speaker{Engine: e, Model: m}
	how := chatsession.Settings{Sampling: engine.Sampling{Temperature: 1}, MaxTokens: unbounded}
	print := fingerprint(target, c.DType, string(m.Source.Config()))
	return []serve.Model{{ID: target, Created: time.Now().Unix(), Fingerprint: print, Answerer: serve.NewSingle(v, how)}}, func() error { return errors.Join(e.Close(), m.Close()) }, nil
}

// load puts a model on an engine, or finds the one that has it.
func (c *Serve) load(a *cli.App, target string, m *model.Model) (*view, error) {
	o, err := (&modelcmd.EngineInput{ModelInput: modelcmd.ModelInput{Model: target}, DType: c.DType}).Options(m)
	if err != nil {
		return nil, err
	}
	e, err := c.backend.view(m, o)
	if err != nil {
		return nil, cli.Usagef("model %s: %v", target, err)
	}
	for _, note := range m.Notes() {
		a.Sayf("note: model %s: %s\n", target, note)
	}
	return e, nil
}

// fingerprint is a word for this build and all parts: the same seed under the same word gets the same answer.
func fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range append([]string{cli.VersionString()}, parts...) {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return "fp_" + hex.EncodeToString(h.Sum(nil)[:8])
}

// fingerprintOfRun is that of a run: its recipe, and the checksums of what it wrote.
func fingerprintOfRun(dir string) (string, error) {
	var parts []string
	for _, name := range []string{"run.json", "checksums.jsonl"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !os.IsNotExist(err) { // a run of before has no checksums
			return "", err
		}
		parts = append(parts, string(data))
	}
	return fingerprint(parts...), nil
}
