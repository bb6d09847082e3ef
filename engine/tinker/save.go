package tinker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
	"parley/internal/folder"
)

// referenceFile says where the server keeps what a folder was saved from, with the state of its optimizer. It lies beside PEFT's files.
const referenceFile = "tinker.json"

// A reference is what is in that file.
type reference struct {
	Model string            `json:"model"` // the base, by the server's name
	Path  string            `json:"path"`  // of the training state on the server
	Spec  engine.PolicySpec `json:"spec"`
}

// Save implements [engine.Engine]: the adapter comes home as PEFT files, the state of the optimizer stays on the server under a name of its own.
func (e *Engine) Save(ctx context.Context, name engine.Policy, dir string) error {
	p, err := e.policy(name)
	if err == nil {
		err = folder.Whole(dir, func(tmp string) error { return e.save(ctx, p, tmp) })
	}
	if err != nil {
		return fmt.Errorf("save policy %q: %w", name, err)
	}
	return nil
}

func (e *Engine) save(ctx context.Context, p *policy, dir string) error {
	state, err := e.saveOnServer(ctx, p, "save_weights")
	if err != nil {
		return fmt.Errorf("on the server: %w", err)
	}
	weights, err := e.saveOnServer(ctx, p, "save_weights_for_sampler")
	if err != nil {
		return fmt.Errorf("the adapter on the server: %w", err)
	}
	if err := e.c.FetchAdapter(ctx, weights, dir); err != nil {
		return fmt.Errorf("bring the adapter home: %w", err)
	}
	return folder.WriteJSON(filepath.Join(dir, referenceFile), reference{e.c.Server.Model, state, p.spec})
}

// mostNames are tries to save under a name that is new.
const mostNames = 3

// saveOnServer saves under a new name. Servers do not know a save again: where one was taken and its answer lost, the name is there already, and
// another is taken.
func (e *Engine) saveOnServer(ctx context.Context, p *policy, kind string) (string, error) {
	for try := 1; ; try++ {
		reply, err := e.operate(ctx, p, func(seq int) (link.Request, error) {
			return link.Post(kind, wire.Save{Model: p.id, Name: "parley-" + strings.ToLower(rand.Text()), Seq: seq, Type: kind})
		})
		if err == nil && reply.Path == "" {
			err = errors.New("the result names no path")
		}
		if !link.Conflict(err) || try == mostNames {
			return reply.Path, err
		}
	}
}

// Load implements [engine.Engine], for folders that Save wrote over this server. It is a new model: servers load into nothing else.
func (e *Engine) Load(ctx context.Context, name engine.Policy, dir string) error {
	if err := e.load(ctx, name, dir); err != nil {
		return fmt.Errorf("load policy %q: %w", name, err)
	}
	return nil
}

func (e *Engine) load(ctx context.Context, name engine.Policy, dir string) error {
	if name == engine.Base {
		return errors.New("the empty name is the frozen base; choose another")
	}
	data, err := os.ReadFile(filepath.Join(dir, referenceFile))
	if errors.Is(err, os.ErrNotExist) {
		if _, other := os.Stat(dir); other == nil {
			return unsupported("%s was not saved from a server of this kind, and adapters cannot be sent to one", dir)
		}
	}
	if err != nil {
		return err
	}
	var from reference
	if err := json.Unmarshal(data, &from); err != nil {
		return fmt.Errorf("%s: %w", referenceFile, err)
	}
	if from.Model != e.c.Server.Model {
		return fmt.Errorf("it is of the base %q, the server's is %q", from.Model, e.c.Server.Model)
	}
	if !e.profile.Loads {
		return unsupported("this server does not load what was saved there")
	}
	p, err := e.loadState(ctx, from, name, true)
	if err != nil {
		return err
	}
	return e.add(p, true)
}
