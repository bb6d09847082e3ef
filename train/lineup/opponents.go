package lineup

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/train/plan"
)

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
