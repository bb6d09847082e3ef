package user

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"runtime"

	"parley/internal/service"
	"parley/internal/service/web"
	"parley/task/sandbox"
)

//go:embed python/reward.py
var driver string

// longestReply is the most bytes that a call may answer.
const longestReply = 1 << 20

// isolated runs each call of a Python file in a sandbox that knows nothing of the calls before.
type isolated struct{ *sandbox.UserFile }

func openIsolated(ctx context.Context, s Settings) (*isolated, error) {
	file, err := sandbox.OpenUserFile(ctx, s.Python, "parley_reward", driver, s.Deadline, s.Memory, longestReply)
	if err != nil {
		return nil, err
	}
	return &isolated{file}, nil
}

// Ask implements [source].
func (s *isolated) Ask(ctx context.Context, requests []json.RawMessage) ([]service.Reply, error) {
	replies, errs := make([]service.Reply, len(requests)), make([]error, len(requests))
	web.Each(len(requests), 2*runtime.GOMAXPROCS(0), func(i int) { replies[i], errs[i] = s.ask(ctx, requests[i]) })
	return replies, errors.Join(errs...)
}

// job is what the driver gets.
type job struct {
	Call
	Name    string  `json:"name"`
	Source  string  `json:"source"`
	Seconds float64 `json:"seconds"`
}

func (s *isolated) ask(ctx context.Context, request json.RawMessage) (service.Reply, error) {
	j := job{Name: s.Name, Source: s.Source, Seconds: s.Deadline.Seconds()}
	if err := json.Unmarshal(request, &j.Call); err != nil {
		return service.Reply{}, err
	}
	return s.Call(ctx, j)
}
