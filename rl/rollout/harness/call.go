package harness

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/rollout"
	"parley/team"
)

// An Ask is what a request asks an agent.
type Ask struct {
	Response string         // id of the response, by which results name its calls
	Messages []team.Message // as they came
	Prompt   []int          // what a model reads of them; empty: the agent has no tokens
	Seed     *int64         // of the request; nil: it has none
	N        int            // choices; 0: one
}

// A Call is one answer that is drawn: one choice of a response. It is the [engine.Streamer] that draws it. Whoever begins one says in the end that it
// was delivered, or that its client has left.
type Call struct {
	live     *Live
	agent    int
	ask      Ask
	stream   stream
	k        int
	seed     uint64
	policy   engine.Policy
	opponent string
	silent   bool // its agent says nothing in this rollout
	at       time.Time

	// Of the episode's clock, under its lock: when it began, and when all of it was there. 0: it is not.
	begun, ended int
	settled      bool
	delivered    bool

	drawn      bool // its answer is there
	mask       engine.Mask
	waited     time.Duration // for its first token
	completion rollout.Completion
}

// A stream names the random streams of an agent's answers to one prompt.
type stream struct {
	agent int
	hash  int64
}

// hashOf is the first 8 bytes of SHA-256 over a prompt's ids and the seed of the request. Agents without tokens have the messages for a prompt.
func hashOf(a Ask) int64 {
	var data []byte
	for _, id := range a.Prompt {
		data = binary.LittleEndian.AppendUint32(data, uint32(id))
	}
	if len(a.Prompt) == 0 {
		data, _ = json.Marshal(a.Messages) // texts alone: it cannot fail
	}
	if a.Seed != nil {
		data = binary.LittleEndian.AppendUint64(data, uint64(*a.Seed))
	}
	sum := sha256.Sum256(data)
	return int64(binary.LittleEndian.Uint64(sum[:8]))
}

// seedOf is that of the k-th answer of a stream.
func seedOf(root uint64, i ids, s stream, k int) uint64 {
	return seed.Derive(root, i.purpose, i.update, i.index, i.sample, s.agent, int(s.hash), k)
}

// CallID is the id of a call of a function, by its index in the answer of a seed.
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

// Begin opens the calls of a response: the choices that an agent gives to one prompt. It takes them off the episode's limit and gives them their
// streams, and is called once a response. Errors: [ErrOver], [ErrTooMany].
func (e *Live) Begin(agent int, a Ask) ([]*Call, error) {
	if err := e.Over(); err != nil {
		return nil, err
	}
	s, n := stream{agent, hashOf(a)}, max(a.N, 1)
	policy, opponent := e.play.player(e.ids, e.agents[agent].Actor, agent)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return nil, ErrOver
	}
	if e.made+n > e.of.settings.Calls {
		e.full = true
		return nil, ErrTooMany
	}
	e.made, e.refusal = e.made+n, ""
	calls := make([]*Call, n)
	for i := range calls {
		k := e.seen[s]
		e.seen[s]++
		e.clock++
		calls[i] = &Call{
			live: e, agent: agent, ask: a, stream: s, k: k, seed: seedOf(e.play.runner.Seed, e.ids, s, k),
			policy: policy, opponent: opponent, silent: agent == e.absent, at: time.Now(), begun: e.clock,
		}
	}
	if agent != e.absent {
		e.calls, e.open = append(e.calls, calls...), e.open+n
		e.play.progress(n, 0, 0)
	}
	return calls, nil
}

// Seed is that of the answer's stream. The ids of its calls of functions come of it: see [CallID].
func (c *Call) Seed() uint64 { return c.seed }

// Silent says that the agent says nothing in this rollout: the answer is the empty text, and need not be drawn.
func (c *Call) Silent() bool { return c.silent }

// Context implements [engine.Contexter].
func (c *Call) Context() int { return cmp.Or(c.actor().Context, math.MaxInt) }

func (c *Call) actor() rollout.Actor { return c.live.agents[c.agent].Actor }

// Stream implements [engine.Streamer]: the only request gets the call's policy, prompt, sampling and seed; how many tokens it may have at most, and who
// watches them, is its own.
func (c *Call) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	if len(reqs) != 1 {
		return nil, fmt.Errorf("%d requests of a call, expected one", len(reqs))
	}
	if c.silent {
		return []engine.Sample{{Stop: engine.StopEOS}}, nil
	}
	ctx, cancel := c.until(ctx)
	defer cancel()
	r := c.request(reqs[0])
	c.mask = r.Mask()
	hear, deafen := c.hears(each)
	samples, err := c.live.play.engine(c.actor().Engine).Stream(ctx, []engine.SampleRequest{r}, hear)
	deafen()
	if err != nil {
		c.finish(nil)
		return nil, c.broken(ctx, err)
	}
	s := samples[0]
	done := rollout.Completion{Tokens: s.Tokens, Logprobs: s.Logprobs, Forced: s.Forced, Stop: s.Stop, Text: c.actor().Codec.Text(s.Tokens)}
	if t := c.live.play.runner.Settings.Truncated; s.Stop == engine.StopLength {
		done.Masked, done.Penalty = t.Mask, t.Penalty
	}
	c.finish(&done)
	return samples, nil
}

// hears is who is told tokens, until deafen is called: a batch goes on without those who have left it.
func (c *Call) hears(each func(i, token int) error) (hear func(i, token int) error, deafen func()) {
	var mu sync.Mutex
	deaf, began := false, time.Now()
	hear = func(i, token int) error {
		mu.Lock()
		defer mu.Unlock()
		if deaf {
			return nil
		}
		if c.waited == 0 {
			c.waited = time.Since(began)
		}
		c.live.play.progress(0, 0, 1)
		if each == nil {
			return nil
		}
		return each(i, token)
	}
	return hear, func() { mu.Lock(); defer mu.Unlock(); deaf = true }
}

// request is what the engine is asked: all that the distribution of tokens depends on is as the team draws.
func (c *Call) request(asked engine.SampleRequest) engine.SampleRequest {
	d, a := c.live.agents[c.agent].Draw, c.actor()
	r := engine.SampleRequest{
		Policy: c.policy, Prompt: c.ask.Prompt, Sampling: d.Sampling, MaxTokens: min(asked.MaxTokens, d.MaxTokens),
		Stop: a.Codec.Stop(), Never: a.Never, Form: d.Form, Watch: asked.Watch, Seed: c.seed,
	}
	r.MinTokens = min(d.MinTokens, r.MaxTokens)
	return r
}

// until is a context that ends with the episode as well.
func (c *Call) until(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.live.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// broken is the error of an answer that is not whole. One of the engine ends the rollout; nobody waits any more, or the request is wrong, is no such one.
func (c *Call) broken(ctx context.Context, err error) error {
	if ctx.Err() == nil && !errors.Is(err, engine.ErrTooLong) && !errors.Is(err, engine.ErrNoToken) {
		c.live.play.cancel(fmt.Errorf("sample answers: %w", err))
	}
	return err
}

// Speak lets an agent that is no model answer. One that fails has failed the episode.
func (c *Call) Speak(ctx context.Context, maxTokens int) (team.Reply, error) {
	if c.silent {
		return team.Reply{}, nil
	}
	ctx, cancel := c.until(ctx)
	defer cancel()
	a := c.live.agents[c.agent]
	replies, err := a.Actor.Speaker.Speak(ctx, []team.SpeakerAsk{{
		Agent: a.Name, Problem: c.live.ids.problem, Messages: c.ask.Messages, Seed: c.seed,
		Temperature: a.Draw.Sampling.Temperature, TopP: a.Draw.Sampling.TopP, MaxTokens: min(maxTokens, a.Draw.MaxTokens), Form: a.Draw.Form,
	}})
	if err != nil {
		c.finish(nil)
		return team.Reply{}, err
	}
	if err := replies[0].Err; err != nil {
		c.finish(nil)
		c.live.Fail(fmt.Sprintf("agent %s: %v", a.Name, err))
		return team.Reply{}, err
	}
	done := rollout.Completion{Text: replies[0].Text, Stop: engine.StopEOS}
	if replies[0].Cut {
		done.Stop = engine.StopLength
	}
	c.finish(&done)
	return replies[0], nil
}

// finish says that no more comes of the answer; nil: it is not whole.
func (c *Call) finish(done *rollout.Completion) {
	e := c.live
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clock++
	if c.ended = e.clock; done != nil && !e.frozen {
		c.drawn, c.completion = true, *done
		e.play.progress(0, 1, 0)
	}
}

// Wrote says what the answer reads as: its text before whatever ended it, with its calls of functions, and these by themselves.
func (c *Call) Wrote(text string, calls []rollout.Call) {
	c.change(func() {
		for i := range calls {
			calls[i].At = len(c.completion.Tokens)
		}
		c.completion.Text, c.completion.Calls = text, calls
	})
}

// Delivered says that the client has the answer, now or by a later request: it is a message of the episode.
func (c *Call) Delivered() {
	c.change(func() { c.delivered = true })
	c.settle()
}

// Left says that the client has gone without the answer. A later request may get it yet.
func (c *Call) Left() { c.settle() }

// change does something to the call while it is none of a finished episode.
func (c *Call) change(f func()) {
	c.live.mu.Lock()
	defer c.live.mu.Unlock()
	if !c.live.frozen {
		f()
	}
}

// settle says that it is known whether the answer arrived.
func (c *Call) settle() {
	e := c.live
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.settled || c.silent {
		return
	}
	c.settled = true
	if e.open--; e.open == 0 && e.over {
		close(e.settled)
	}
}
