package user

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"parley/internal/plainfile"
	"parley/internal/service"
	"parley/task/sandbox"
)

//go:embed python/reward.py
var driver string

// grace is what Python has to tell of its own lateness.
const grace = time.Second

// longestReply is the most bytes that a call may answer.
const longestReply = 1 << 20

// isolated runs each call of a Python file in a sandbox that knows nothing of the calls before.
type isolated struct {
	pool     *sandbox.Pool
	name     string
	source   string
	deadline time.Duration
	limits   sandbox.Limits
}

func openIsolated(ctx context.Context, s Settings) (*isolated, error) {
	source, err := plainfile.Read(s.Python)
	if err != nil {
		return nil, err
	}
	pool, err := sandbox.Open(ctx, sandbox.Options{Modules: []sandbox.Module{{Name: "parley_reward", Source: service.PythonDriver(driver)}}})
	if err != nil {
		return nil, err
	}
	limits := sandbox.Limits{Wall: s.Deadline + grace, Memory: s.Memory, Output: longestReply}
	return &isolated{pool: pool, name: filepath.Base(s.Python), source: string(source), deadline: s.Deadline, limits: limits}, nil
}

// Ask implements [source].
func (s *isolated) Ask(ctx context.Context, requests []json.RawMessage) ([]service.Reply, error) {
	replies, errs := make([]service.Reply, len(requests)), make([]error, len(requests))
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i, r := range requests {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			replies[i], errs[i] = s.ask(ctx, r)
		})
	}
	wait.Wait()
	return replies, errors.Join(errs...)
}

// job is what the driver gets.
type job struct {
	Call
	Name    string  `json:"name"`
	Source  string  `json:"source"`
	Seconds float64 `json:"seconds"`
}

// tries bounds how often a call is made whose sandbox is lost, which is the machine's fault or the file's.
const tries = 2

func (s *isolated) ask(ctx context.Context, request json.RawMessage) (service.Reply, error) {
	j := job{Name: s.name, Source: s.source, Seconds: s.deadline.Seconds()}
	if err := json.Unmarshal(request, &j.Call); err != nil {
		return service.Reply{}, err
	}
	var r sandbox.Result
	for range tries {
		var err error
		r, err = s.pool.Run(ctx, sandbox.Program{Source: "import parley_reward\nparley_reward.once(argument)", Argument: j, Limits: s.limits})
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
	return service.Reply{Err: fmt.Errorf("%s: %s", s.name, s.why(r))}, nil
}

// why says how a call ended that has no answer.
func (s *isolated) why(r sandbox.Result) string {
	switch r.Status {
	case sandbox.TimedOut:
		return fmt.Sprintf("no answer within %v", s.deadline)
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
