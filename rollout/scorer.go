package rollout

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"parley/task"
)

// A Scorer scores what was sampled in a turn: it fills in each completion's verdict and each node's Rewards, one per joint
// action. It gets all nodes of a turn at once, so that scores may be asked for in batches. A node whose answers cannot be scored
// gets the reason as its Failed; its episode ends there. A score is never made up: one that is not a number is an error.
type Scorer interface {
	Score(ctx context.Context, turn []ScoreItem) error
}

// ScoreItem is a node to score, with its problem.
type ScoreItem struct {
	Problem task.Problem
	Node    *Node
}

// score scores all sampled nodes of a turn that have not been scored early, and returns those whose episodes go on. The engines that
// sample wait meanwhile.
func (r *Runner) score(ctx context.Context, live []frontier) ([]frontier, error) {
	var turn []ScoreItem
	for _, f := range live {
		if !f.scored {
			turn = append(turn, ScoreItem{f.episode.Problem, f.node})
		}
	}
	if len(turn) > 0 {
		if err := r.Scorer.Score(ctx, turn); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(live, func(f frontier) bool { return f.episode.Failed() != "" }), nil
}

// Concurrently calls f with 0, ..., n-1, as many at a time as there are processors. Of several errors it returns that of the
// lowest number, whatever finished first.
func Concurrently(n int, f func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = f(i)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
