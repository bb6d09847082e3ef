// Package keep is about episodes that are over: those that an interrupted rollout left (keep.go), those that are played an update ahead
// of the learner (ahead.go), and the prompts that their messages would have had (counterfactual.go).
//
// [Run] plays problems of which some have been played before: what is over is kept, so that a rollout which was interrupted and is done
// again plays the others alone.
//
// An episode is a function of its random streams, so that one which is read back is the one that would be played. Episodes that failed are played
// again: an agent that gave no answer may give one now.
package keep

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley/engine"
	"parley/rl/rollout"
	"parley/task"
)

// A Keeper keeps what is known of problems, by their numbers. Both may be called by many at once.
type Keeper interface {
	// Load returns what is kept of a problem, as JSON; nil: nothing is.
	Load(number int) []byte
	// Save keeps what is known of a problem. It reports no error: a problem that was not kept is played again.
	Save(number int, data []byte)
}

// Problems that an engine draws together finish together. They are so few at first, and more as long as they are quick.
const (
	few   = 16
	quick = 5 * time.Second
)

// Run is [rollout.Runner.Run], with what k keeps; nil: nothing is kept.
func Run(ctx context.Context, r *rollout.Runner, k Keeper, purpose string, update int, problems []task.Problem) ([]*rollout.Episode, error) {
	if k == nil {
		return r.Run(ctx, purpose, update, problems)
	}
	episodes := make([]*rollout.Episode, len(problems))
	var left []int
	for i, p := range problems {
		if episodes[i] = load(k, i, p); episodes[i] == nil {
			left = append(left, i)
		}
	}
	own := *r
	own.Over = func(e *rollout.Episode) { save(k, e) }
	size := few
	if slots(r) > 0 { // each problem is over by itself
		size = len(left)
	}
	for len(left) > 0 {
		began := time.Now()
		own.Numbers = left[:min(size, len(left))]
		played, err := own.Run(ctx, purpose, update, at(problems, own.Numbers))
		if err != nil {
			return nil, err
		}
		for _, e := range played {
			episodes[e.Index] = e
			save(k, e)
		}
		if left = left[len(own.Numbers):]; time.Since(began) < quick {
			size *= 2
		}
	}
	return episodes, nil
}

// slots are those of the engines that serve many calls at once.
func slots(r *rollout.Runner) (n int) {
	for _, a := range r.Actors {
		if a.Engine != nil {
			n += engine.SlotsOf(a.Engine)
		}
	}
	return n
}

func at(problems []task.Problem, numbers []int) []task.Problem {
	out := make([]task.Problem, len(numbers))
	for i, n := range numbers {
		out[i] = problems[n]
	}
	return out
}

// load returns the episode of a problem that is kept; nil: none is that can be read.
func load(k Keeper, number int, p task.Problem) *rollout.Episode {
	data := k.Load(number)
	if data == nil {
		return nil
	}
	e, err := rollout.ReadEpisode(data)
	if err != nil || e.Index != number || e.Problem.ID != p.ID {
		return nil
	}
	e.Problem = p
	return e
}

// save keeps an episode that did not fail, once.
func save(k Keeper, e *rollout.Episode) {
	if len(e.Failures()) > 0 || slices.ContainsFunc(e.Nodes, func(n *rollout.Node) bool { return len(n.Unscored) > 0 }) {
		return
	}
	if data, err := json.Marshal(e); err == nil {
		k.Save(e.Index, data)
	}
}
