package world

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"parley/internal/service"
	"parley/internal/service/web"
	"parley/task"
	"parley/task/environment"
)

// A session answers the calls of one episode.
type session interface {
	source
	// end is told that the episode is over. It takes a moment at most once ctx has ended.
	end(ctx context.Context)
}

// A Stateful environment is a user's that is no pure function. It implements [environment.Stateful]: an episode has a process of its own, or at a
// server a name of its own, from its reset to its end, and what it remembers stays there. No call is made twice.
type Stateful struct {
	open   func(ctx context.Context) (session, error)
	done   func() error // ends what sessions share; nil: nothing
	agents []string
	item   func(task.Problem) json.RawMessage

	over context.Context // has ended: that of Close

	mu       sync.Mutex
	last     int
	episodes map[int]*episode
}

// An episode is one that is under way.
type episode struct {
	session session
	mu      sync.Mutex
	step    int // how many are done
}

// A place is a state: an episode, and how many of its steps are done.
type place struct {
	Episode int `json:"episode"`
	Step    int `json:"step"`
}

// OpenStateful is [OpenExternal] of an environment that keeps its state. Retries do not count.
func OpenStateful(ctx context.Context, s External) (*Stateful, error) {
	over, end := context.WithCancel(context.WithoutCancel(ctx))
	end()
	e := &Stateful{agents: s.Agents, item: s.Item, over: over, episodes: map[int]*episode{}}
	switch {
	case s.Python != "" && s.Isolated:
		rooms, err := openRooms(ctx, s)
		if err != nil {
			return nil, err
		}
		e.open, e.done = rooms.take, rooms.Close
	case s.Python != "":
		if _, err := os.Stat(s.Python); err != nil {
			return nil, err
		}
		n := &nursery{settings: s}
		e.open, e.done = n.take, n.Close
	case len(s.Command) > 0:
		e.open = func(context.Context) (session, error) {
			return &program{&service.Program{Command: s.Command, Deadline: s.Deadline, Check: e.check}}, nil
		}
	case s.URL != "":
		from, err := s.server(0, e.check)
		if err != nil {
			return nil, err
		}
		e.open = func(context.Context) (session, error) {
			return &visit{server: from, name: rand.Text(), deadline: s.Deadline}, nil
		}
	case s.OpenEnv != "":
		address, err := openEnvAddress(s.OpenEnv)
		if err != nil {
			return nil, err
		}
		from := web.New(address, s.Key, s.Deadline, 0)
		e.open = func(context.Context) (session, error) {
			return &openEnv{server: from, action: s.Action, observe: s.Observe}, nil
		}
	default:
		return nil, errNobody
	}
	return e, nil
}

func (e *Stateful) read(body []byte) (environment.Outcome, error) { return parse(body, e.agents, true) }

func (e *Stateful) check(body []byte) error { return checked(e.read(body)) }

// Reset implements [environment.Environment]: it begins an episode.
func (e *Stateful) Reset(ctx context.Context, p task.Problem) (environment.Outcome, error) {
	session, err := e.open(ctx)
	if err != nil {
		return environment.Outcome{}, fmt.Errorf("begin an episode: %w", err)
	}
	e.mu.Lock()
	e.last++
	at, own := place{Episode: e.last}, &episode{session: session}
	e.episodes[at.Episode] = own
	e.mu.Unlock()
	return e.call(ctx, at, own, "reset", map[string]any{"call": "reset", "item": e.item(p)})
}

// Step implements [environment.Environment]. It is an error that a state had a successor already.
func (e *Stateful) Step(ctx context.Context, state json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	var at place
	if err := json.Unmarshal(state, &at); err != nil {
		return environment.Outcome{}, fmt.Errorf("step: %w", err)
	}
	e.mu.Lock()
	own := e.episodes[at.Episode]
	e.mu.Unlock()
	if own == nil {
		return environment.Outcome{}, fmt.Errorf("step: the episode is over, and a stateful environment cannot go back")
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	if at.Step != own.step {
		return environment.Outcome{}, fmt.Errorf("step: %d steps are done, and a stateful environment cannot go back to step %d", own.step, at.Step)
	}
	own.step++
	return e.call(ctx, place{at.Episode, own.step}, own, "step", map[string]any{"call": "step", "actions": actions})
}

// call asks for an outcome. An outcome that is done, or an error, ends the episode.
func (e *Stateful) call(ctx context.Context, at place, own *episode, what string, request map[string]any) (environment.Outcome, error) {
	out, err := exchange(ctx, own.session, what, request, e.read)
	if err != nil || out.Done {
		e.end(ctx, at.Episode)
	}
	if err == nil {
		out.State, err = json.Marshal(at)
	}
	return out, err
}

// End implements [environment.Stateful].
func (e *Stateful) End(ctx context.Context, state json.RawMessage) {
	var at place
	if json.Unmarshal(state, &at) == nil {
		e.end(ctx, at.Episode)
	}
}

// end closes the session of an episode, once.
func (e *Stateful) end(ctx context.Context, number int) {
	e.mu.Lock()
	own := e.episodes[number]
	delete(e.episodes, number)
	e.mu.Unlock()
	if own != nil {
		own.session.end(ctx)
	}
}

// Close ends all episodes. They are not waited for any more, so each server gets only a moment to be told.
func (e *Stateful) Close() error {
	for number := range e.last {
		e.end(e.over, number+1)
	}
	if e.done == nil {
		return nil
	}
	return e.done()
}
