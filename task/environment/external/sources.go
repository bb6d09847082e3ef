package external

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"parley/internal/plainfile"
	"parley/internal/service"
	"parley/internal/service/web"
	"parley/task/sandbox"
)

//go:embed python/environment.py
var driver string

// grace is what Python has to tell of its own lateness.
const grace = time.Second

// longestReply is the most bytes that a call may answer: a state of the greatest size, and as much beside it.
const longestReply = 2 << 20

// tries bounds how often a call is made whose sandbox is lost, which is the machine's fault or the file's.
const tries = 2

// program asks a child process line by line.
type program struct{ *service.Program }

// end ends the process, where an episode has one of its own.
func (p *program) end(context.Context) { _ = p.Close() } // it may have ended by itself

func (p *program) ask(ctx context.Context, request json.RawMessage) (service.Reply, error) {
	replies, err := p.Ask(ctx, []json.RawMessage{request})
	if err != nil {
		return service.Reply{}, err
	}
	return replies[0], nil
}

// server asks by POST.
type server struct {
	web   *web.Server
	check func(body []byte) error
}

func (s *server) ask(ctx context.Context, request json.RawMessage) (r service.Reply, err error) {
	r.Err = s.web.Post(ctx, request, func(body []byte) error {
		r.Body = body
		return s.check(body)
	})
	return r, service.Left(ctx, s.web.Name())
}

// A visit is an episode at a server, which knows it by a name.
type visit struct {
	*server
	name     string
	deadline time.Duration
}

func (v *visit) ask(ctx context.Context, request json.RawMessage) (service.Reply, error) {
	return v.server.ask(ctx, fmt.Appendf(nil, `{"episode":%q,%s`, v.name, request[1:]))
}

// end tells the server that the episode is over. What it answers does not matter.
func (v *visit) end(ctx context.Context) {
	ctx, cancel := service.Parting(ctx, v.deadline)
	defer cancel()
	_ = v.web.Post(ctx, json.RawMessage(fmt.Sprintf(`{"episode":%q,"call":"end"}`, v.name)), func([]byte) error { return nil })
}

// isolated runs each call of a Python file in a sandbox that knows nothing of the calls before.
type isolated struct {
	pool         *sandbox.Pool
	name, source string
	deadline     time.Duration
	limits       sandbox.Limits
	slots        chan struct{} // calls at once
}

func openIsolated(ctx context.Context, s Settings) (source, error) {
	text, err := plainfile.Read(s.Python)
	if err != nil {
		return nil, err
	}
	pool, err := sandbox.Open(ctx, sandbox.Options{Modules: []sandbox.Module{{Name: "parley_environment", Source: service.PythonDriver(driver)}}})
	if err != nil {
		return nil, err
	}
	limits := sandbox.Limits{Wall: s.Deadline + grace, Memory: s.Memory, Output: longestReply}
	return &isolated{pool, filepath.Base(s.Python), string(text), s.Deadline, limits, make(chan struct{}, 2*runtime.GOMAXPROCS(0))}, nil
}

// job is what the driver gets.
type job struct {
	Name    string          `json:"name"`
	Source  string          `json:"source"`
	Seconds float64         `json:"seconds"`
	Request json.RawMessage `json:"request"`
}

func (s *isolated) ask(ctx context.Context, request json.RawMessage) (service.Reply, error) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return service.Reply{}, ctx.Err()
	}
	defer func() { <-s.slots }()
	j := job{s.name, s.source, s.deadline.Seconds(), request}
	var r sandbox.Result
	for range tries {
		var err error
		r, err = s.pool.Run(ctx, sandbox.Program{Source: "import parley_environment\nparley_environment.once(argument)", Argument: j, Limits: s.limits})
		if err != nil {
			return service.Reply{}, err
		}
		if r.Status != sandbox.Lost {
			break
		}
	}
	if r.OK() && json.Valid(r.Stdout) {
		return service.Reply{Body: r.Stdout}, nil
	}
	return service.Reply{Err: fmt.Errorf("%s: %s", s.name, why(r, s.deadline))}, nil
}

// why says how a program ended that has no answer.
func why(r sandbox.Result, deadline time.Duration) string {
	switch r.Status {
	case sandbox.TimedOut:
		return fmt.Sprintf("no answer within %v", deadline)
	case sandbox.Signaled:
		return fmt.Sprintf("signal %d ended it", r.Code)
	case sandbox.Lost:
		return "it took its sandbox with it"
	case sandbox.Flooded:
		return fmt.Sprintf("its answer is longer than %d bytes", longestReply)
	}
	return strings.TrimSpace(fmt.Sprintf("it left the interpreter with exit code %d instead of returning\n%s", r.Code, r.Stderr))
}

// Close ends the sandboxes.
func (s *isolated) Close() error { return s.pool.Close() }
