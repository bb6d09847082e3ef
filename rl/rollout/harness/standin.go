// Package harness is a stand-in until the core is there.
package harness

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/http"
	"sync"

	"parley/engine"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
)

type Door interface {
	Handler(find func(episode string) *Live) http.Handler
}

var (
	ErrOver     = errors.New("the episode is over")
	ErrTooMany  = errors.New("the episode has had its calls")
	ErrReported = errors.New("the episode has a result")
)

type Kind string

const (
	Refused    Kind = "refused"
	Unforced   Kind = "unforced"
	Overridden Kind = "overridden"
	Replayed   Kind = "replayed"
)

type Agent struct {
	Name        string
	Actor       rollout.Actor
	Draw        rollout.Draw
	Stop        []string
	Fingerprint string
}

type Live struct {
	Ctx     context.Context
	Key_    string
	Agents_ []Agent
	Models  map[string]int
	Limit   int

	Mu     sync.Mutex
	Over_  error
	Calls  []*Call
	Failed string
	Counts map[string]int
	Result []byte
	times  map[int]int
}

func (e *Live) Key() string              { return e.Key_ }
func (e *Live) Agents() []Agent          { return e.Agents_ }
func (e *Live) Context() context.Context { return e.Ctx }
func (e *Live) Others() (out []string) {
	for n := range e.Models {
		out = append(out, n)
	}
	return out
}
func (e *Live) Named(model string) (int, bool) {
	for i, a := range e.Agents_ {
		if a.Name == model {
			return i, true
		}
	}
	i, ok := e.Models[model]
	return i, ok
}
func (e *Live) Over() error { e.Mu.Lock(); defer e.Mu.Unlock(); return e.Over_ }
func (e *Live) Report(result []byte) error {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	if e.Result != nil {
		return ErrReported
	}
	e.Result = result
	return nil
}
func (e *Live) Fail(why string) { e.Mu.Lock(); defer e.Mu.Unlock(); e.Failed = why }
func (e *Live) Count(k Kind, code string) {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	if e.Counts == nil {
		e.Counts = map[string]int{}
	}
	e.Counts[string(k)+code]++
}

type Ask struct {
	Response string
	Messages []team.Message
	Prompt   []int
	Seed     *int64
	N        int
}

type Call struct {
	live      *Live
	agent     int
	Ask       Ask
	seed      uint64
	Request   engine.SampleRequest
	Text      string
	Calls     []rollout.Call
	delivered int
}

func (e *Live) Begin(agent int, a Ask) ([]*Call, error) {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	if e.Over_ != nil {
		return nil, ErrOver
	}
	if e.Limit > 0 && len(e.Calls)+a.N > e.Limit {
		return nil, ErrTooMany
	}
	var out []*Call
	for range a.N {
		out = append(out, &Call{live: e, agent: agent, Ask: a, seed: uint64(len(e.Calls) + len(out))})
	}
	e.Calls = append(e.Calls, out...)
	return out, nil
}

func (c *Call) Seed() uint64 { return c.seed }
func (c *Call) Silent() bool { return false }
func (c *Call) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	s, _ := engine.As[engine.Streamer](c.live.Agents_[c.agent].Actor.Engine)
	reqs[0].Seed = c.seed
	c.Request = reqs[0]
	return s.Stream(ctx, reqs, each)
}
func (c *Call) Wrote(text string, calls []rollout.Call) { c.Text, c.Calls = text, calls }
func (c *Call) Delivered()                              { c.live.Mu.Lock(); defer c.live.Mu.Unlock(); c.delivered++ }
func (e *Live) Messages() (n int) {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	for _, c := range e.Calls {
		n += c.delivered
	}
	return n
}

func (c *Call) Left() {}
func (c *Call) Speak(ctx context.Context, maxTokens int) (team.Reply, error) {
	a := c.live.Agents_[c.agent]
	replies, err := a.Actor.Speaker.Speak(ctx, []team.SpeakerAsk{{Agent: a.Name, Problem: task.Problem{ID: "1"}, Messages: c.Ask.Messages, Seed: c.seed, MaxTokens: maxTokens}})
	if err == nil {
		err = replies[0].Err
	}
	if err != nil {
		c.live.Fail(err.Error())
		return team.Reply{}, err
	}
	return replies[0], nil
}

func CallID(answer uint64, index int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	var data [16]byte
	binary.LittleEndian.PutUint64(data[:8], answer)
	binary.LittleEndian.PutUint64(data[8:], uint64(index))
	sum := sha256.Sum256(data[:])
	n := binary.LittleEndian.Uint64(sum[:8])
	var id [9]byte
	for i := range id {
		id[i], n = digits[n%36], n/36
	}
	return string(id[:])
}
