package measure

import (
	"context"
	"fmt"

	"parley/recipe"
	"parley/rl/learn/preference"
	"parley/rl/rollout"
	"parley/task"
	"parley/train/lineup"
)

// A RivalTeller says once that texts of a central comparator are no candidates. The metrics count them, update by update.
type RivalTeller struct{ said bool }

// Note is what is to be said of the episodes of a comparator that wrote so many texts for each problem; empty: nothing.
func (t *RivalTeller) Note(s preference.Settings, each int, episodes []*rollout.Episode) string {
	dropped := 0
	for _, e := range episodes {
		dropped += preference.Dropped(s, each, e)
	}
	if dropped == 0 || t.said {
		return ""
	}
	t.said = true
	return fmt.Sprintf("%d of the comparator's %d texts have no block for some agent, and are no candidates (preference.central); metrics count them as dropped", dropped, each*len(episodes))
}

// WriteRival lets the comparator of a lineup's recipe write in the place of the team that r is of. watch is told what runs.
func WriteRival(ctx context.Context, l lineup.Lineup, r *rollout.Runner, watch func(*rollout.Runner) *rollout.Runner, purpose string, update int, problems []task.Problem) ([]*rollout.Episode, error) {
	others := watch(l.Comparators(r))
	run := others.Run
	if recipe.Section[preference.Settings](l.Recipe).Central {
		run = func(ctx context.Context, purpose string, update int, problems []task.Problem) ([]*rollout.Episode, error) {
			return central(ctx, others, purpose, update, problems)
		}
	}
	episodes, err := run(ctx, purpose, update, problems)
	if err != nil {
		return nil, err
	}
	return episodes, l.Encode(episodes)
}
