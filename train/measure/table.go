package measure

import (
	"context"
	"math/rand/v2"
	"slices"

	"parley/internal/seed"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/environment"
	"parley/team"
	"parley/train/lineup"
	"parley/train/score"
)

// A table is an [environment.Table] of a team.
type table struct {
	lineup lineup.Lineup
	runner *rollout.Runner
	games  int
	failed *FailedError // of the first episode that failed; nil: none did
}

// Games implements [environment.Table].
func (t *table) Games() int { return t.games }

// A script says something in the place of agents; see [rollout.Runner].
type script func(e *rollout.Episode, agent int, h team.History, seed uint64) (text string, ok bool, err error)

// run plays an episode of every problem, with some texts said by a script.
func (t *table) run(ctx context.Context, problems []task.Problem, s script) ([]*rollout.Episode, error) {
	r := *t.runner
	r.Script, r.Watch = s, nil
	episodes, err := r.Run(ctx, "play", 0, problems)
	if err != nil {
		return nil, err
	}
	for _, e := range episodes {
		if why := e.Failed(); why != "" {
			t.failed = &FailedError{Game: e.Problem.ID, Why: why}
			return nil, t.failed
		}
	}
	return episodes, nil
}

// Play implements [environment.Table].
func (t *table) Play(ctx context.Context, matches []environment.Match) ([]map[string]float64, error) {
	problems := make([]task.Problem, len(matches))
	for i, m := range matches {
		problems[i] = m.Problem
	}
	episodes, err := t.run(ctx, problems, func(e *rollout.Episode, agent int, h team.History, s uint64) (string, bool, error) {
		player, other := matches[e.Index].Others[t.runner.Actors[agent].Name]
		if !other {
			return "", false, nil
		}
		text, err := player(stateOf(h), draws(seed.Stream(s)))
		return text, true, err
	})
	if err != nil {
		return nil, err
	}
	out := make([]map[string]float64, len(episodes))
	for i, e := range episodes {
		out[i] = t.earned(e)
	}
	return out, nil
}

// earned is what each agent was paid in an episode, beside the team.
func (t *table) earned(e *rollout.Episode) map[string]float64 {
	out := map[string]float64{}
	paid := append(score.OwnRewards([]*rollout.Episode{e}, len(t.runner.Actors)), make([]float64, len(t.runner.Actors))...) // nobody may have been
	for agent, actor := range t.runner.Actors {
		out[actor.Name] = paid[agent]
	}
	return out
}

// draws are numbers from 0 below n; 0 where there is no choice.
func draws(rng *rand.Rand) func(n int) int {
	return func(n int) int {
		if n < 2 {
			return 0
		}
		return rng.IntN(n)
	}
}

// stateOf is the state that the environment is in.
func stateOf(h team.History) []byte {
	for _, a := range slices.Backward(h) {
		if a.Agent == team.World {
			return a.Observed.State
		}
	}
	return nil
}
