package lineup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"parley/engine"
	"parley/train/plan"
)

// Policies lists what the lineup trains.
func (l Lineup) Policies() []plan.Policy {
	return plan.Policies(l.Recipe, l.Sharing, l.Protocol.Turns())
}

// Kept lists everything that a checkpoint holds: the policies, and what they were earlier.
func (l Lineup) Kept() []plan.Policy { return plan.Kept(l.Recipe, l.Sharing, l.Protocol.Turns()) }

// EngineOf returns the engine of a policy's base.
func (l Lineup) EngineOf(p plan.Policy) engine.Engine { return l.Bases[p.Base].Engine }

// AddPolicies creates the trained policies with fresh initial values.
func (l Lineup) AddPolicies(ctx context.Context) error {
	return l.each("add", l.Kept(), func(e engine.Engine, p plan.Policy) error { return e.NewPolicy(ctx, p.Name, p.Spec) })
}

// Save writes policies under dir, a folder each.
func (l Lineup) Save(ctx context.Context, dir string, policies []plan.Policy) error {
	return l.each("save", policies, func(e engine.Engine, p plan.Policy) error {
		return e.Save(ctx, p.Name, filepath.Join(dir, string(p.Name)))
	})
}

// Load reads what Save wrote.
func (l Lineup) Load(ctx context.Context, dir string, policies []plan.Policy) error {
	return l.each("load", policies, func(e engine.Engine, p plan.Policy) error {
		return e.Load(ctx, p.Name, filepath.Join(dir, string(p.Name)))
	})
}

// each does something to policies, each on its engine.
func (l Lineup) each(what string, policies []plan.Policy, do func(engine.Engine, plan.Policy) error) error {
	for _, p := range policies {
		if err := do(l.EngineOf(p), p); err != nil {
			return fmt.Errorf("%s policy %s: %w", what, p.Name, err)
		}
	}
	return nil
}

// BeginIteration keeps the policies as they are where an iteration of preferences begins with the update after so many, but for the first
// one, before which nothing was learned.
func (l Lineup) BeginIteration(ctx context.Context, done int) error {
	r := l.Recipe
	if !r.Prefers() || done == 0 || plan.Iteration(r, done-1) == plan.Iteration(r, done) {
		return nil
	}
	i := plan.Iteration(r, done)
	for _, t := range l.Sharing.Trained(l.Protocol.Turns(), false) {
		if err := copyPolicy(ctx, l.BaseOf(t.Agent).Engine, t.Policy, plan.Snapshot(t.Policy, i)); err != nil {
			return fmt.Errorf("begin iteration %d: %w", i+1, err)
		}
	}
	return nil
}

// copyPolicy makes one policy of an engine equal to another.
func copyPolicy(ctx context.Context, e engine.Engine, from, to engine.Policy) error {
	dir, err := os.MkdirTemp("", "parley-policy-")
	if err != nil {
		return fmt.Errorf("copy policy %s: %w", from, err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "policy")
	if err := e.Save(ctx, from, file); err != nil {
		return fmt.Errorf("copy policy %s: %w", from, err)
	}
	if err := e.Load(ctx, to, file); err != nil {
		return fmt.Errorf("copy policy %s: %w", from, err)
	}
	return nil
}

// KeepOpponents keeps the policies as they are where the update after so many begins with a snapshot for opponents.
func (l Lineup) KeepOpponents(ctx context.Context, done int) error {
	for _, t := range l.Sharing.Trained(l.Protocol.Turns(), false) {
		to, keep := plan.Snapshotted(l.Recipe, t.Policy, done)
		if !keep {
			continue
		}
		if err := copyPolicy(ctx, l.BaseOf(t.Agent).Engine, t.Policy, to); err != nil {
			return fmt.Errorf("keep an opponent after update %d: %w", done, err)
		}
	}
	return nil
}

// Opponents says who speaks for an agent in an episode of the update after so many, where that is an earlier checkpoint. See
// [parley/rl/rollout.Runner].
func (l Lineup) Opponents(done, problems, episodes int) func(index, sample, agent, turn int) (engine.Policy, string) {
	drawn := plan.Opponents(l.Recipe, done, problems, episodes)
	if drawn == nil {
		return nil
	}
	return func(index, sample, agent, turn int) (engine.Policy, string) {
		o := drawn[index][sample]
		if o == nil || o.Agent != agent {
			return "", ""
		}
		return o.Policy(l.Sharing.Policy(turn, agent)), fmt.Sprintf("update-%d", o.Updates)
	}
}
