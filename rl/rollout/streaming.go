package rollout

import (
	"context"
	"slices"

	"parley/engine"
	"parley/rl/rollout/gather"
)

// An StreamingScorer may be given the nodes of a turn in several calls, one after the other: those whose completions have all been drawn,
// while engines draw the others. It asks no engine, and looks at every node by itself, so that nothing but time depends on which
// nodes come together.
type StreamingScorer interface {
	Scorer
	// Streams reports whether that pays: whether scoring waits for something else than the processor.
	Streams() bool
	// ScoreSome is Score of some nodes of a turn.
	ScoreSome(ctx context.Context, some []ScoreItem) error
}

// scoreStream scores nodes while engines draw others. One call of the scorer is under way at a time; it gets all nodes that have become
// ready since the one before.
type scoreStream struct {
	live   []frontier
	agents int      // of the team
	left   []int    // completions of each live node that are not whole
	ready  chan int // live nodes all of whose completions are
	done   chan struct{}
	cancel context.CancelFunc // ends sampling
	err    error              // of the scorer; read when done is closed
}

// stream returns what scores live nodes as they become ready, with a context for their sampling; nil where the scorer wants whole turns.
func (r *Runner) stream(ctx context.Context, live []frontier) (*scoreStream, context.Context) {
	scorer, ok := r.Scorer.(StreamingScorer)
	if !ok || !scorer.Streams() || r.Script != nil || r.usesTools(live) {
		return nil, ctx
	}
	w := &scoreStream{live: live, agents: len(r.Actors), left: make([]int, len(live)), ready: make(chan int, len(live)), done: make(chan struct{})}
	for i := range w.left {
		for _, a := range live[i].node.Agents {
			if a.Speaker == "" {
				w.left[i] += a.samples
			}
		}
		if live[i].node.Failed != "" {
			w.left[i]++ // it is never ready
		}
	}
	sampling, cancel := context.WithCancel(ctx)
	w.cancel = cancel
	go w.score(ctx, scorer)
	return w, sampling
}

// usesTools reports whether an agent that speaks may go on behind the end of what it draws first.
func (r *Runner) usesTools(live []frontier) bool {
	return slices.ContainsFunc(live, func(f frontier) bool {
		return slices.ContainsFunc(f.node.Agents, func(a AgentTurn) bool { return r.Actors[a.Agent].Tools != nil })
	})
}

// tokens watches the completions of reqs grow; nil where the scorer wants whole turns.
func (w *scoreStream) tokens(reqs []engine.SampleRequest, to []pending) func(i, token int) error {
	if w == nil {
		return nil
	}
	return func(i, token int) error {
		c := to[i].completion
		c.Tokens = append(c.Tokens, token)
		why := to[i].ended(&reqs[i])
		if why == "" {
			return nil
		}
		to[i].finish(why)
		if w.left[to[i].node]--; w.left[to[i].node] == 0 {
			w.ready <- to[i].node
		}
		return nil
	}
}

// ended says why the last token of a completion ends it; empty: it does not.
func (p pending) ended(r *engine.SampleRequest) engine.StopReason {
	c := p.completion
	if slices.Contains(r.Stop, c.Tokens[len(c.Tokens)-1]) {
		return engine.StopEOS
	}
	if p.watch != nil {
		if _, ended := p.watch.Text(); ended {
			return engine.StopText
		}
	}
	if len(c.Tokens) >= r.MaxTokens {
		return engine.StopLength
	}
	return ""
}

// score works until the last node is ready.
func (w *scoreStream) score(ctx context.Context, scorer StreamingScorer) {
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
		turn := make([]ScoreItem, len(some))
		for i, n := range some {
			turn[i] = w.live[n].item(w.agents)
		}
		if w.err = scorer.ScoreSome(ctx, turn); w.err != nil {
			w.cancel()
			continue
		}
		for _, n := range some {
			w.live[n].scored = true
		}
	}
}

// end waits for the scorer. No node becomes ready any more.
func (w *scoreStream) end() error {
	if w == nil {
		return nil
	}
	close(w.ready)
	<-w.done
	w.cancel()
	return w.err
}

// Progress is how far the turn is that the engines of a rollout draw.
type Progress = gather.Progress

// newDrawing watches a turn over its live nodes.
func (r *Runner) newDrawing(live []frontier) *gather.Drawing {
	d := &gather.Drawing{Watch: r.Watch, Now: Progress{Turn: live[0].node.Turn}}
	for _, f := range live {
		d.Now.Turn = min(d.Now.Turn, f.node.Turn)
		for _, a := range f.node.Agents {
			if a.Speaker == "" {
				d.Now.Completions += a.samples
			}
		}
	}
	return d
}
