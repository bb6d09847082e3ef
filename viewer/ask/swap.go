package ask

// This file lets the team of a run work on one of its problems again, with somebody else in the place of an agent, or without it: what the
// answer would have been.
//
//	swap.go     the team as it is and with the change, on one problem, by the same random numbers
//	change.go   who takes the place of an agent
//	swapped.go  results, which are kept with the run
//
// Both are played as held-out problems are, at the temperature of evaluation, and scored by the run's own scorer. Agents that are not
// changed draw by the same random numbers, so that what differs comes from the change.

import (
	"context"
	"fmt"
	"time"

	"parley/recipe"
	"parley/rl/rollout"
	"parley/task"
	"parley/train/lineup"
	"parley/viewer/episodes"
)

// SwapOptions say which run plays, and on what.
type SwapOptions struct {
	Dir      string
	Language *recipe.Language
	Backend  lineup.Backend
	Trust    bool     // the run was made elsewhere, and may do what its recipe asks for
	Moved    []string // where files are now that the run's recipe names: changes key=value
	Now      func() time.Time
}

// Play plays an episode's problem twice, without the changes and with them, and keeps the result with the run.
func Play(ctx context.Context, o SwapOptions, update, index int, changes []Change) (Swapped, error) {
	recorded, _, _, err := episodes.Open(o.Dir).Read(update, index)
	if err != nil {
		return Swapped{}, fmt.Errorf("find the problem: %w", err)
	}
	l, err := o.open(ctx, o.Dir, 0)
	if err != nil {
		return Swapped{}, err
	}
	defer l.Close()
	changed := l.Evaluation(l.Trained)
	closeAll, err := o.change(ctx, changed, changes)
	defer closeAll()
	if err != nil {
		return Swapped{}, err
	}
	original, err := play(ctx, l.Evaluation(l.Trained), update, recorded.Problem)
	if err != nil {
		return Swapped{}, fmt.Errorf("play the problem: %w", err)
	}
	swapped, err := play(ctx, changed, update, recorded.Problem)
	if err != nil {
		return Swapped{}, fmt.Errorf("play the problem with the change: %w", err)
	}
	t := episodes.TeamIn(o.Dir)
	return keepSwaps(o.Dir, Swapped{
		Created: o.Now().UTC().Format(time.RFC3339), Update: update, Index: index, Problem: recorded.Problem.ID, Title: title(changes),
		Lines: episodes.Lines(original, t), Swapped: episodes.Lines(swapped, t), Reward: earned(original), SwappedReward: earned(swapped),
	})
}

// open loads the team of a run as it was after an update; 0: as it is now.
func (o SwapOptions) open(ctx context.Context, dir string, update int) (Team, error) {
	if dir != o.Dir {
		o.Moved = nil
	}
	return OpenTeam(ctx, TeamOptions{Dir: dir, Language: o.Language, Backend: o.Backend, Trust: o.Trust, Moved: o.Moved, Scored: true, Update: update})
}

// play plays one problem. The purpose names the random numbers: the same for both.
func play(ctx context.Context, r *rollout.Runner, update int, p task.Problem) (*rollout.Episode, error) {
	played, err := r.Run(ctx, "swap", update, []task.Problem{p})
	if err != nil {
		return nil, err
	}
	if why := played[0].Failed(); why != "" {
		return nil, fmt.Errorf("it could not be scored: %s", why)
	}
	return played[0], nil
}

// earned is the mean reward of the last turn's joint actions; nil: there is none.
func earned(e *rollout.Episode) *float64 {
	if len(e.Nodes) == 0 {
		return nil
	}
	last := e.Nodes[len(e.Nodes)-1]
	if len(last.Rewards) == 0 {
		return nil
	}
	sum := 0.0
	for _, r := range last.Rewards {
		sum += r / float64(len(last.Rewards))
	}
	return &sum
}
