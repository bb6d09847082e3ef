package openai

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"parley/engine"
	"parley/internal/service"
)

// loaded is a version of a policy on the server.
type loaded struct {
	version int
	name    string
	folder  string // where it was written
}

// farewell is how long unloading may take. It does not matter whether the request reaches the server.
const farewell = 10 * time.Second

// nameOf is what the server calls a policy as it is now, or as it is pinned. The adapter is loaded where the policy has moved.
func (e *Engine) nameOf(ctx context.Context, p engine.Policy) (string, error) {
	if p == engine.Base {
		return e.settings.Model, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pinned != nil {
		l, has := e.pinned[p]
		if !has {
			return "", fmt.Errorf("policy %s is not pinned", p)
		}
		return l.name, nil
	}
	l, err := e.load(ctx, p)
	return l.name, err
}

// load lets the server load a policy as it is, under a name and from a folder that it has never seen. The caller holds the lock.
func (e *Engine) load(ctx context.Context, p engine.Policy) (loaded, error) {
	old, has := e.loaded[p]
	if has && old.version == e.gap.Version[p] {
		return old, nil
	}
	now := loaded{version: e.gap.Version[p], name: fmt.Sprintf("parley-%s-%s-%d", e.run, p, e.gap.Version[p])}
	now.folder = filepath.Join(e.settings.Folder, now.name)
	if err := e.write(ctx, p, now.folder); err != nil {
		return loaded{}, fmt.Errorf("write the adapter of %s for the sampler: %w", p, err)
	}
	seen := now.folder
	if e.settings.Seen != "" {
		seen = e.settings.Seen + "/" + now.name
	}
	if err := e.settings.Server.LoadAdapter(ctx, now.name, seen); err != nil {
		return loaded{}, errors.Join(fmt.Errorf("load the adapter of %s into the sampler: %w", p, err), os.RemoveAll(now.folder))
	}
	e.loaded[p] = now
	if has {
		e.unload(ctx, old)
	}
	return now, nil
}

// write writes the adapter alone, in the form of PEFT, and gives the folder its name once it is whole.
func (e *Engine) write(ctx context.Context, p engine.Policy, folder string) error {
	if err := os.MkdirAll(e.settings.Folder, 0o755); err != nil {
		return err
	}
	whole, err := os.MkdirTemp(e.settings.Folder, ".writing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(whole)
	all := filepath.Join(whole, "all")
	if err := e.Local.Save(ctx, p, all); err != nil {
		return err
	}
	only := filepath.Join(whole, "adapter")
	if err := os.Mkdir(only, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"adapter_config.json", "adapter_model.safetensors"} { // not the optimizer's state, nor a critic
		if err := os.Rename(filepath.Join(all, name), filepath.Join(only, name)); err != nil {
			return err
		}
	}
	return os.Rename(only, folder)
}

// unload makes room on the server, and removes what it has read.
func (e *Engine) unload(ctx context.Context, l loaded) {
	ctx, stop := service.Parting(ctx, farewell)
	defer stop()
	_ = e.settings.Server.UnloadAdapter(ctx, l.name) // it is one too many there, which hurts nobody
	_ = os.RemoveAll(l.folder)
}

// Pin implements [engine.Pinner]: the server has copies of the policies, which training here does not touch.
func (e *Engine) Pin(ctx context.Context) (release func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pinned != nil {
		return nil, errors.New("policies are pinned already")
	}
	for p := range e.gap.Version {
		if _, err := e.load(ctx, p); err != nil {
			return nil, err
		}
	}
	e.pinned = maps.Clone(e.loaded)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.pinned = nil
	}, nil
}
