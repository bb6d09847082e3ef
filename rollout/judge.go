package rollout

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"parley/credit"
	"parley/task"
)

// A Judge scores what was sampled at a node: it fills in each completion's verdict and the node's Rewards, one per joint
// action. A score that is not a number is an error. Nodes of a turn are judged at the same time.
type Judge interface {
	Judge(p task.Problem, n *Node) error
}

// judge scores all sampled nodes of a turn. The engines wait meanwhile, so all processors are there for it.
func (r *Runner) judge(live []frontier) error {
	return Concurrently(len(live), func(i int) error {
		f := live[i]
		f.node.Joint = credit.JointActions(r.Settings.Joint, len(f.node.Seats), r.Settings.Group)
		if err := r.Judge.Judge(f.episode.Problem, f.node); err != nil {
			return fmt.Errorf("problem %s, turn %d: %w", f.episode.Problem.ID, f.node.Turn+1, err)
		}
		return nil
	})
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
