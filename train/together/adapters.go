package together

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/engine"
	"parley/internal/usererror"
	"parley/model/shipped"
	"parley/runs"
	"parley/runs/verify"
)

// loadAdapters gives every agent what it has learned.
func (t *Team) loadAdapters(ctx context.Context) error {
	for agent, from := range t.settings.Adapters {
		if from == "" {
			continue
		}
		name := engine.Policy(fmt.Sprintf("collab-%d", agent+1))
		if err := t.loadAdapter(ctx, agent, name, from); err != nil {
			return err
		}
		t.actors[agent].Policy = func(int) engine.Policy { return name }
	}
	return nil
}

// loadAdapter loads an adapter as a policy of the agent's engine. One that ships is written to a folder first: engines read folders.
func (t *Team) loadAdapter(ctx context.Context, agent int, name engine.Policy, from string) error {
	return shipped.Folder(from, func(from string) error {
		dir, err := t.adapter(agent, from)
		if err != nil {
			return err
		}
		if err := t.actors[agent].Engine.Load(ctx, name, dir); err != nil {
			return usererror.Errorf("collab.adapters: %s: %w", t.names[agent], err)
		}
		return nil
	})
}

// adapter is the folder of an agent's adapter: the one that is named, or that of the one policy of a run.
func (t *Team) adapter(agent int, from string) (string, error) {
	if _, err := os.Stat(filepath.Join(from, "run.json")); err != nil {
		return from, nil
	}
	saved, err := verify.PoliciesOf(from, 0)
	if err != nil {
		return "", usererror.Errorf("collab.adapters: %w", err)
	}
	if len(saved.Policies) == 0 {
		return "", usererror.Errorf("collab.adapters: run %s has no policy", from)
	}
	if len(saved.Policies) > 1 {
		return "", usererror.Errorf("collab.adapters: run %s has the policies %s: name the folder of one, such as %s",
			from, strings.Join(saved.Policies, ", "), filepath.Join(saved.Dir, saved.Policies[0]))
	}
	return filepath.Join(saved.Dir, saved.Policies[0]), t.sameBase(agent, from)
}

// sameBase refuses a run over another base than the agent's.
func (t *Team) sameBase(agent int, dir string) error {
	meta, err := runs.Read(dir)
	if err != nil {
		return usererror.Errorf("collab.adapters: %w", err)
	}
	b := t.lineup.BaseOf(agent)
	hash, err := b.Model.Hash()
	if err != nil {
		return fmt.Errorf("hash model %s: %w", b.Name, err)
	}
	var names []string
	for _, of := range meta.Bases {
		if of.SHA256 == hash {
			return nil
		}
		names = append(names, of.Name)
	}
	if len(names) == 0 {
		return nil // runs that recorded none are trusted: shapes are checked anyway
	}
	return usererror.Errorf("collab.adapters: run %s was trained over %s, but %s speaks with %s: set models, or team.agents.%s.model, to the run's base", dir, strings.Join(names, ", "), t.names[agent], b.Name, t.names[agent])
}
