package rollout

import (
	"context"
	"slices"

	"parley/engine"
)

// An EarlyJudge may be given the nodes of a turn in several calls, one after the other: those whose completions have all been drawn,
// while engines draw the others. It asks no engine, and looks at every node by itself, so that nothing but time depends on which
// nodes come together.
type EarlyJudge interface {
	Judge
	// Early reports whether that pays: whether judging waits for something else than the processor.
	Early() bool
	// JudgeEarly is Judge of some nodes of a turn.
	JudgeEarly(ctx context.Context, some []Judged) error
}

// early judges nodes while engines draw others. One call of the judge is under way at a time; it gets all nodes that have become
// ready since the one before.
type early struct {
	live   []frontier
	left   []int    // completions of each live node that are not whole
	ready  chan int // live nodes all of whose completions are
	done   chan struct{}
	cancel context.CancelFunc // ends sampling
	err    error              // of the judge; read when done is closed
}

// early returns what judges live nodes as they become ready, with a context for their sampling; nil where the judge wants whole turns.
func (r *Runner) early(ctx context.Context, live []frontier) (*early, context.Context) {
	judge, ok := r.Judge.(EarlyJudge)
	if !ok || !judge.Early() {
		return nil, ctx
	}
	w := &early{live: live, left: make([]int, len(live)), ready: make(chan int, len(live)), done: make(chan struct{})}
	for i := range w.left {
		w.left[i] = len(r.Seats) * r.Settings.Group
	}
	sampling, cancel := context.WithCancel(ctx)
	w.cancel = cancel
	go w.judge(ctx, judge)
	return w, sampling
}

// sample is e.Sample, and watches the completions of reqs grow.
func (w *early) sample(ctx context.Context, e engine.Engine, reqs []engine.SampleRequest, to []pending) ([]engine.Sample, error) {
	s, ok := e.(engine.Streamer)
	if w == nil || !ok {
		return e.Sample(ctx, reqs)
	}
	return s.Stream(ctx, reqs, func(i, token int) error {
		c := to[i].completion
		if c.Tokens = append(c.Tokens, token); !slices.Contains(reqs[i].Stop, token) && len(c.Tokens) < reqs[i].MaxTokens {
			return nil
		}
		c.Text = to[i].codec.Text(c.Tokens)
		if w.left[to[i].node]--; w.left[to[i].node] == 0 {
			w.ready <- to[i].node
		}
		return nil
	})
}

// judge works until the last node is ready.
func (w *early) judge(ctx context.Context, judge EarlyJudge) {
	defer close(w.done)
	for first := range w.ready {
		some := []int{first}
		for len(w.ready) > 0 {
			some = append(some, <-w.ready)
		}
		if w.err != nil {
			continue
		}
		slices.Sort(some)
		turn := make([]Judged, len(some))
		for i, n := range some {
			turn[i] = Judged{w.live[n].episode.Problem, w.live[n].node}
		}
		if w.err = judge.JudgeEarly(ctx, turn); w.err != nil {
			w.cancel()
			continue
		}
		for _, n := range some {
			w.live[n].judged = true
		}
	}
}

// end waits for the judge. No node becomes ready any more.
func (w *early) end() error {
	if w == nil {
		return nil
	}
	close(w.ready)
	<-w.done
	w.cancel()
	return w.err
}
