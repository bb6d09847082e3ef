package harness

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/engine"
	"parley/rl/rollout"
	"parley/rl/rollout/gather"
)

// A play is one rollout: its runner, and what its episodes share.
type play struct {
	of     *Harness
	runner *rollout.Runner
	scorer rollout.Scorer
	absent int // the agent that says nothing; −1: all speak
	cancel context.CancelCauseFunc
	behind func(engine.Engine) engine.Engine

	mu      sync.Mutex
	engines map[engine.Engine]engine.Streamer
	now     rollout.Progress
}

// Play implements [rollout.Player].
func (h *Harness) Play(ctx context.Context, r *rollout.Runner, purpose string, episodes []*rollout.Episode) error {
	return h.rollout(ctx, r, purpose, episodes, -1)
}

// Without is the player of the same episodes in which one agent, from 0, says nothing: it answers with the empty text at once, which makes no message.
func (h *Harness) Without(agent int) rollout.Player { return without{h, agent} }

type without struct {
	*Harness
	agent int
}

// Play implements [rollout.Player].
func (w without) Play(ctx context.Context, r *rollout.Runner, purpose string, episodes []*rollout.Episode) error {
	return w.rollout(ctx, r, purpose, episodes, w.agent)
}

// rollout plays all episodes, several at a time. An error of one ends the others: it is the cause.
func (h *Harness) rollout(parent context.Context, r *rollout.Runner, purpose string, episodes []*rollout.Episode, absent int) error {
	if err := h.open(parent); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	p := &play{
		of: h, runner: r, scorer: rollout.Gathered(ctx, r.Scorer), absent: absent, cancel: cancel,
		behind: gather.Engines(ctx), engines: map[engine.Engine]engine.Streamer{},
	}
	samples := max(r.Settings.Episodes, 1)
	played, left := make([][]playedEpisode, len(episodes)), make([]atomic.Int64, len(episodes))
	for i := range episodes {
		played[i] = make([]playedEpisode, samples)
		left[i].Store(int64(samples))
	}
	first := gather.Each(len(episodes)*samples, cap(h.places), func(i int) (err error) {
		at, sample := i/samples, i%samples
		if played[at][sample], err = p.episode(ctx, ids{purpose, episodes[at].Update, episodes[at].Index, sample, episodes[at].Problem}); err != nil {
			cancel(err)
			return err
		}
		if left[at].Add(-1) > 0 {
			return nil
		}
		if err = p.store(ctx, episodes[at], played[at]); err != nil {
			cancel(err)
		} else if r.Over != nil {
			r.Over(episodes[at])
		}
		return err
	})
	if parent.Err() != nil {
		return cmp.Or(first, parent.Err())
	}
	return cmp.Or(context.Cause(ctx), first)
}

// trains says that something is learned of the rollout.
func (i ids) trains() bool { return strings.HasPrefix(i.purpose, "train") }

// name is that of an episode in addresses.
func (i ids) name() string {
	letter := "v"
	if i.trains() {
		letter = "t"
	}
	return fmt.Sprintf("%s%d-%d-%d", letter, i.update, i.index, i.sample)
}

// grace is how long a program may go on whose episode has its result.
const grace = 2 * time.Second

// episode lets the program play an episode, once there is a place for it. An error is that of ctx.
func (p *play) episode(ctx context.Context, i ids) (playedEpisode, error) {
	select {
	case p.of.places <- struct{}{}:
		defer func() { <-p.of.places }()
	case <-ctx.Done():
		return playedEpisode{}, ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, p.of.settings.Time)
	defer cancel()
	e := p.begin(limited, i)
	working, stop := context.WithCancel(limited)
	defer stop()
	context.AfterFunc(e.ctx, func() { time.AfterFunc(grace, stop) })

	begin := e.beginning(p.of.number())
	s := p.of.program.play(working, e, begin)
	if s.unstarted && e.ctx.Err() == nil {
		s = p.of.program.play(working, e, begin)
	}
	if s.later && s.err == nil {
		select {
		case <-e.told:
		case <-limited.Done():
		}
	}
	if ctx.Err() != nil {
		e.Fail("the run has ended")
		return playedEpisode{}, ctx.Err()
	}
	e.conclude(limited, s)
	return e.played(s.output), nil
}

// begin opens an episode to calls.
func (p *play) begin(ctx context.Context, i ids) *Live {
	e := &Live{of: p.of, play: p, key: newKey(), ids: i, absent: p.absent, told: make(chan struct{}), settled: make(chan struct{}), seen: map[stream]int{}, began: time.Now()}
	e.ctx, e.cancel = context.WithCancel(ctx)
	actors := p.runner.Actors
	if p.runner.Cast != nil {
		actors = p.runner.Cast(actors, i.index)
	}
	for agent, a := range actors {
		var stop []string
		if agent < len(p.of.settings.Stops) {
			stop = p.of.settings.Stops[agent]
		}
		e.agents = append(e.agents, Agent{
			Name: a.Name, Actor: a, Draw: a.Draws(p.runner.Settings), Stop: stop,
			Fingerprint: fmt.Sprintf("%s/agent-%s/update-%d", p.of.settings.Run, a.Name, i.update),
		})
	}
	p.of.add(e)
	return e
}

// conclude says how an episode has ended of which the program has said something, or nothing more.
func (e *Live) conclude(limited context.Context, s said) {
	select {
	case <-e.told:
		return
	default:
	}
	_, refused := e.asked()
	switch {
	case limited.Err() != nil && s.later:
		e.Fail(fmt.Sprintf("it answered 202 and reported nothing within team.harness.seconds, %g s", e.of.settings.Time.Seconds()))
	case limited.Err() != nil:
		e.Fail(e.overdue())
	case s.err != nil && refused:
		e.Fail(e.exhausted())
	case s.err != nil:
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.over {
			e.fail("the program: ", s.err.Error())
			e.end()
		}
	default:
		_ = e.Report(s.result) // what is wrong with it is why the episode has failed
	}
}

// asked is how many calls the episode has had, and whether it was refused more.
func (e *Live) asked() (calls int, refused bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.made, e.full
}

// exhausted is why an episode has failed that could not go on without them.
func (e *Live) exhausted() string {
	return fmt.Sprintf("it asked more than team.harness.calls, %d, times", e.of.settings.Calls)
}

// player is the policy that answers for an agent in an episode, and, where that is an earlier checkpoint, the name of that.
func (p *play) player(i ids, a rollout.Actor, agent int) (policy engine.Policy, opponent string) {
	if a.Speaker != nil {
		return engine.Base, ""
	}
	if p.runner.Opponent != nil {
		if policy, opponent = p.runner.Opponent(i.index, i.sample, agent, 0); opponent != "" {
			return policy, opponent
		}
	}
	return a.Policy(0), ""
}

// engine is what draws calls that come at any time: they are let in between two steps, or go as single calls to a cluster, or into the next batch.
func (p *play) engine(e engine.Engine) engine.Streamer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engines[e] == nil {
		if c, ok := engine.As[engine.Continuous](e); ok {
			p.engines[e] = gather.NewBatcher(c)
		} else {
			p.engines[e] = streamer{p.behind(e)}
		}
	}
	return p.engines[e]
}

// A streamer is an engine that may hand out no tokens.
type streamer struct{ engine.Engine }

// Stream implements [engine.Streamer].
func (s streamer) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	return gather.Sample(ctx, s.Engine, reqs, each)
}

// progress tells whoever watches the rollout of calls that began, of whole answers and of tokens.
func (p *play) progress(began, whole, tokens int) {
	if p.runner.Watch == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.Completions, p.now.Whole, p.now.Tokens = p.now.Completions+began, p.now.Whole+whole, p.now.Tokens+tokens
	p.runner.Watch(p.now)
}
