package world

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"parley/internal/service"
	"parley/internal/service/web"
	"parley/task/sandbox"
)

//go:embed python/environment.py
var driver string

// longestReply is the most bytes that a call may answer: a state of the greatest size, and as much beside it.
const longestReply = 2 << 20

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

// server is the one that the settings name.
func (s External) server(retries int, check func(body []byte) error) (*server, error) {
	at, err := web.Locate("task.environment.url", s.URL, s.Key)
	return &server{at.Server(s.Deadline, retries), check}, err
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
	*sandbox.UserFile
	slots chan struct{} // calls at once
}

func openIsolated(ctx context.Context, s External) (source, error) {
	file, err := sandbox.OpenUserFile(ctx, s.Python, "parley_environment", driver, s.Deadline, s.Memory, longestReply)
	if err != nil {
		return nil, err
	}
	return &isolated{file, make(chan struct{}, 2*runtime.GOMAXPROCS(0))}, nil
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
	return s.Call(ctx, job{s.Name, s.Source, s.Deadline.Seconds(), request})
}
