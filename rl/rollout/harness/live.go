package harness

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/service"
	"parley/rl/rollout"
	"parley/task"
)

// Errors of calls and results that come when there can be none.
var (
	ErrOver     = errors.New("the episode is over")
	ErrTooMany  = errors.New("the episode has had all the calls that it may have")
	ErrReported = errors.New("the episode has its result already")
)

// An Agent is one of the team, as the door asks it.
type Agent struct {
	Name  string
	Actor rollout.Actor // Codec is a *model.Model where a base speaks; where Speaker is not nil, that does
	Draw  rollout.Draw  // how answers are drawn in this rollout
	Stop  []string      // texts that end its answers, beside what a request adds
	// Fingerprint names all that an answer depends on, but the request: the run, the agent and the update.
	Fingerprint string
}

// A Live is an episode that goes on, or has just ended, as the door sees it. Its methods are safe for concurrent use.
type Live struct {
	of     *Harness
	play   *play
	name   string
	key    string
	ids    ids
	agents []Agent
	absent int // the agent that says nothing; −1: all speak

	ctx    context.Context // ends with the episode
	cancel context.CancelFunc
	told   chan struct{} // closed once the episode has a result or has failed

	mu      sync.Mutex
	over    bool
	late    bool // somebody has asked behind the end
	frozen  bool // calls are nodes: nothing changes them any more
	calls   []*Call
	made    int // calls that count
	full    bool
	clock   int // of beginnings and ends of calls
	seen    map[stream]int
	open    int           // calls of which it is not known whether their answers arrived
	settled chan struct{} // closed when there are none behind the end
	began   time.Time
	result  *result
	failed  string // why the episode has; empty: it has not
	whole   string // all that its program said of that, where failed is less
	refusal string // why the door has refused the last request; empty: it has not
}

// ids are the numbers of an episode.
type ids struct {
	purpose               string
	update, index, sample int
	problem               task.Problem
}

// Key is the key that its requests carry.
func (e *Live) Key() string { return e.key }

// Update is the number of the update that the episode is of.
func (e *Live) Update() int { return e.ids.update }

// Agents are those of the team, in order.
func (e *Live) Agents() []Agent { return e.agents }

// Named is the agent that a request asks for by a model's name: its own, or one of team.harness.models.
func (e *Live) Named(model string) (agent int, ok bool) {
	by := func(name string) int {
		return slices.IndexFunc(e.agents, func(a Agent) bool { return a.Name == name })
	}
	if agent = by(model); agent < 0 {
		agent = by(e.of.settings.Models[model])
	}
	return agent, agent >= 0
}

// Others are the names of team.harness.models, in order.
func (e *Live) Others() []string { return slices.Sorted(maps.Keys(e.of.settings.Models)) }

// Over is why nobody may ask any more; nil: they may.
func (e *Live) Over() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		return nil
	}
	if !e.late {
		e.late = true
		e.of.log.write(e.name+" is over, and its program goes on asking", "")
	}
	return ErrOver
}

// Context ends with the episode.
func (e *Live) Context() context.Context { return e.ctx }

// Report takes the result of the episode, which ends it. An error is what is wrong with it, and has failed the episode, or [ErrReported].
func (e *Live) Report(data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return ErrReported
	}
	r, err := e.read(data)
	switch {
	case err != nil:
		e.failed = err.Error()
	case r.failed != "" && e.full:
		e.failed = e.exhausted()
	case r.failed != "":
		e.fail("", r.failed)
	default:
		e.result = r
	}
	e.end()
	return err
}

// Answers are what its program answered; none before it has.
func (e *Live) Answers() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.result == nil {
		return nil
	}
	return e.result.answers
}

// Fail ends the episode, which has failed: the endpoint of an agent has, say.
func (e *Live) Fail(why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		e.failed = why
		e.end()
	}
}

// Count counts what the door has done with a request.
func (e *Live) Count(kind Kind, code string) { e.of.counts.door(e, kind, code) }

// end ends the episode: nobody asks any more, and calls in flight end. e.mu is held.
func (e *Live) end() {
	e.over = true
	e.cancel()
	close(e.told)
	if e.open == 0 {
		close(e.settled)
	}
}

// mostWait is how long a client may take to read an answer that was there before the end of its episode.
const mostWait = 10 * time.Second

// freeze waits until it is known of every call whether its answer arrived, and returns those whose has.
func (e *Live) freeze() []*Call {
	timer := time.NewTimer(mostWait)
	defer timer.Stop()
	select {
	case <-e.settled:
	case <-timer.C:
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.frozen = true
	all := e.calls
	e.calls = nil
	return all
}

// overdue says that the episode took too long. e.mu is not held.
func (e *Live) overdue() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	calls := "no agent was asked"
	if n := len(e.calls); n > 0 {
		last := e.calls[n-1]
		calls = fmt.Sprintf("%d calls, the last of %s %.0f s ago", n, e.agents[last.agent].Name, time.Since(last.at).Seconds())
	}
	return fmt.Sprintf("it took longer than team.harness.seconds, %g s (%s)", e.of.settings.Time.Seconds(), calls)
}

// newKey is a key of 128 random bits.
func newKey() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return "hk-" + hex.EncodeToString(bits[:])
}

// fail says why the episode has failed, of what its program said, and before that who says it. The cause comes first: why the last request was
// refused, or else the exception of a traceback. The whole is for the log. e.mu is held.
func (e *Live) fail(who, said string) {
	file := e.of.settings.Python
	if file != "" {
		file = e.of.settings.in(file)
	}
	cause, frame := service.Traced(said, file)
	first, _, _ := strings.Cut(cause, "\n")
	if cause = who + cause; frame != "" {
		cause, e.whole = cause+"\n"+frame, said
	}
	if e.refusal != "" {
		cause, e.whole = e.refusal, said
		for _, more := range []string{frame, "  " + who + first} {
			if more != "" && !strings.Contains(more, e.refusal) {
				cause += "\n" + more
			}
		}
	}
	e.failed = service.Own(cause).Error()
}

// Refuse counts a request that the door refuses, and remembers why: a program that asks nothing else and fails has failed by that.
func (e *Live) Refuse(code, why string) {
	e.Count(Refused, code)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refusal = why
}
