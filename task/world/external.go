package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"parley/internal/service"
	"parley/task"
	"parley/task/environment"
	"parley/task/sandbox"
)

// External say who answers, which is exactly one of the first four, and within which bounds.
type External struct {
	Python  string   // a file with def reset(item) and def step(state, actions)
	Command []string // a program that answers JSON lines
	URL     string   // of a server that is asked by POST
	OpenEnv string   // of a server of OpenEnv: OpenStateful

	Isolated bool   // Python: each call in a sandbox; else all calls in one child process with the rights of its user
	Key      string // URL and OpenEnv: sent as a bearer token; empty: none
	Action   string // OpenEnv: the key of an action that gets the agent's words; json: they are the action
	Observe  string // OpenEnv: a dotted path into the observation; empty: all of it

	Agents   []string                           // names, in the order of the team
	Item     func(task.Problem) json.RawMessage // what reset gets of a problem
	Deadline time.Duration                      // of one call
	Retries  int                                // of a call that a program or a server did not answer
	Memory   int64                              // Python: bytes; 0: the sandbox's default, and no bound outside of it
}

// A source answers a request.
type source interface {
	ask(ctx context.Context, request json.RawMessage) (service.Reply, error)
}

// An Environment is a user's. It implements [environment.Environment].
type Environment struct {
	source source
	agents []string
	item   func(task.Problem) json.RawMessage
}

// OpenExternal starts what answers. Where Python cannot be isolated the error is a [*sandbox.Unavailable].
func OpenExternal(ctx context.Context, s External) (*Environment, error) {
	e := &Environment{agents: s.Agents, item: s.Item}
	var err error
	switch {
	case s.Python != "" && s.Isolated:
		e.source, err = openIsolated(ctx, s)
	case s.Python != "":
		e.source, err = openChild(s)
	case len(s.Command) > 0:
		e.source = &program{&service.Program{Command: s.Command, Deadline: s.Deadline, Retries: s.Retries, Check: e.check}}
	case s.URL != "":
		e.source, err = s.server(s.Retries, e.check)
	default:
		err = errNobody
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// errNobody is why settings without a source cannot be opened.
var errNobody = errors.New("nothing answers: write python, command, url or openenv")

// openChild starts no process yet: that is for the first call.
func openChild(s External) (source, error) {
	if _, err := os.Stat(s.Python); err != nil {
		return nil, err
	}
	return newChild(s, "serve", s.Retries), nil
}

// newChild is a Python process that a function of the driver makes a server of lines.
func newChild(s External, serve string, retries int) *program {
	// The process reports by itself that it is late, with the line that it was at. The host's deadline is for a process
	// that cannot.
	return &program{&service.Program{Command: pythonCommand(s, serve), Name: s.Python, Deadline: s.Deadline + sandbox.Grace, Retries: retries}}
}

// pythonCommand runs a function of the driver over the file.
func pythonCommand(s External, function string) []string {
	return []string{service.Python(), "-u", "-c", service.PythonDriver(driver) + "\n" + function + "(*sys.argv[1:])", s.Python, fmt.Sprint(s.Deadline.Seconds()), fmt.Sprint(s.Memory)}
}

// Reset implements [environment.Environment].
func (e *Environment) Reset(ctx context.Context, p task.Problem) (environment.Outcome, error) {
	return e.call(ctx, "reset", map[string]any{"call": "reset", "item": e.item(p)})
}

// Step implements [environment.Environment].
func (e *Environment) Step(ctx context.Context, state json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	return e.call(ctx, "step", map[string]any{"call": "step", "state": state, "actions": actions})
}

func (e *Environment) call(ctx context.Context, what string, request map[string]any) (environment.Outcome, error) {
	return exchange(ctx, e.source, what, request, func(body []byte) (environment.Outcome, error) { return parse(body, e.agents, false) })
}

// exchange asks for an outcome, and reads it.
func exchange(ctx context.Context, from source, what string, request map[string]any, read func(body []byte) (environment.Outcome, error)) (environment.Outcome, error) {
	data, err := json.Marshal(request)
	if err != nil {
		return environment.Outcome{}, err
	}
	reply, err := from.ask(ctx, data)
	if err == nil {
		err = reply.Err
	}
	var out environment.Outcome
	if err == nil {
		err = service.Text(reply.Body)
	}
	if err == nil {
		out, err = read(reply.Body)
	}
	if err != nil {
		return environment.Outcome{}, fmt.Errorf("%s: %w", what, err)
	}
	return out, nil
}

// check is what is wrong with an answer; one that says its own error is an answer.
func (e *Environment) check(body []byte) error { return checked(parse(body, e.agents, false)) }

func checked(_ environment.Outcome, err error) error {
	if own := new(ownError); errors.As(err, &own) {
		return nil
	}
	return err
}

// Close ends what answers.
func (e *Environment) Close() error {
	if c, ok := e.source.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}
