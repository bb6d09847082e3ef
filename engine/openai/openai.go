// Package openai asks servers that speak OpenAI's protocol: vLLM, SGLang, llama.cpp's, hosted ones, parley's own. It is one client for the whole program:
// agents behind an endpoint, experts, verifiers, comparators and samplers ask through it.
//
//	p, err := openai.OpenPool(openai.PoolOptions{Recording: "answers.jsonl", Tokens: 1e6})
//	s := p.Server(openai.Address{URL: "http://127.0.0.1:8000/v1", Deadline: time.Minute, Retries: 2})
//	reply, err := s.Chat(ctx, openai.ChatRequest{Model: "big", Messages: chat, MaxTokens: 64}, nil)
//
//	pool.go         a pool of servers, and how one of them is asked
//	chat.go         chat completions; events.go reads those that come piece by piece
//	spelling.go     the same in the words of newer servers, and of Anthropic's protocol
//	completions.go  completions of token ids, with their log-probabilities
//	budget.go       what servers may cost, and have cost
//	pace.go         how often they are asked
//	recording.go    what they were asked and answered
//
// Requests keep the policy of package web: redirects, tokens, tries, deadlines and bounds. On top of it servers of a pool share a recording, a
// budget, and, each address for itself, a pace. What a server says of itself is not trusted: lengths, numbers and names are checked.
//
// An [Engine] samples on such a server, with vLLM's additions, and trains on the engine of this machine.
//
//	e, err := openai.Open(ctx, here, openai.Settings{Server: s, Model: "base", Folder: "/shared/adapters"})
//
// After a step, the adapter of a policy is written into a new folder and loaded by the server under a new name, since what a server remembers of a
// prompt belongs to a name and a path; the version before is then unloaded and removed. Token ids go there and come back, each with the
// log-probability that it was drawn with, after temperature and cuts (vLLM: --logprobs-mode processed_logprobs).
//
// Sampler and trainer are two programs. The difference of their log-probabilities is measured on every token that is trained on before its policy has
// changed ([Engine.Gap]). Losses correct for it as recipes say: the log-probabilities of samples are the sampler's, so that min(π/π_behaviour,
// group.ratio_cap) weighs every token.
package openai

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"

	"parley/engine"
	"parley/internal/service"
)

// Local is the engine that trains. The embedded one has these abilities. What the server computes is not known, so the engine counts no
// arithmetic.
type Local interface {
	engine.Engine
	engine.Contexter
	engine.Noter
	engine.Diverger
	engine.Differentiator
	engine.Distiller
	io.Closer
}

// Settings say where the server is, and how both see adapters.
type Settings struct {
	Server   *Server
	Model    string  // the server's name for the base
	Folder   string  // where adapters are written
	Seen     string  // the same folder, as the server sees it; empty: the same path
	Together int     // completions that are asked for at a time
	MostGap  float64 // nats a token; see [Engine.Gap]
}

// An Engine samples there and trains here. Its methods are safe for concurrent use.
type Engine struct {
	Local
	opened   context.Context // by whom: when it has ended, there is only a moment for what the server is told at the end
	settings Settings
	run      string // tells its adapters from those of others on the server

	mu     sync.Mutex
	loaded map[engine.Policy]loaded // what the server has
	pinned map[engine.Policy]loaded // what is drawn from, whatever is trained; nil: nothing is pinned
	gap    engine.GapMeter          // with the versions of all policies
}

var (
	_ engine.Engine   = (*Engine)(nil)
	_ engine.Remote   = (*Engine)(nil)
	_ engine.Server   = (*Engine)(nil)
	_ engine.Pinner   = (*Engine)(nil)
	_ engine.Streamer = (*Engine)(nil)
)

// Open checks that the server has the base, by one token of it. The engine closes the one that trains.
func Open(ctx context.Context, here engine.Engine, s Settings) (*Engine, error) {
	trains, can := here.(Local)
	if !can {
		return nil, errors.New("a sampler elsewhere needs the embedded engine here")
	}
	tag := make([]byte, 4)
	_, _ = rand.Read(tag) // it never fails
	e := &Engine{
		Local: trains, opened: ctx, settings: s, run: hex.EncodeToString(tag),
		loaded: map[engine.Policy]loaded{}, gap: engine.NewGapMeter(),
	}
	if _, err := s.Server.Complete(ctx, CompletionRequest{Model: s.Model, Prompt: []int{0}, MaxTokens: 1, Temperature: 1}); err != nil {
		return nil, fmt.Errorf("ask the sampler for a token of %s: %w", s.Model, err)
	}
	return e, nil
}

// Agreement implements [engine.Remote]. A single token may be far off where a text is not: see [Settings].MostGap.
func (e *Engine) Agreement() float64 { return mostOfOne }

// mostOfOne is how far sampler and trainer may be apart in one token, in nats.
const mostOfOne = 2

// Slots implements [engine.Server].
func (e *Engine) Slots() int { return e.settings.Together }

// NewPolicy implements [engine.Engine]: only adapters can be sent.
func (e *Engine) NewPolicy(ctx context.Context, p engine.Policy, spec engine.PolicySpec) error {
	if spec.Full {
		return unsupported("a full copy of the base: a sampler elsewhere gets adapters alone")
	}
	return e.moved(p, e.Local.NewPolicy(ctx, p, spec))
}

// Step implements [engine.Engine].
func (e *Engine) Step(ctx context.Context, p engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	info, err := e.Local.Step(ctx, p, opt)
	return info, e.moved(p, err)
}

// Load implements [engine.Engine].
func (e *Engine) Load(ctx context.Context, p engine.Policy, dir string) error {
	return e.moved(p, e.Local.Load(ctx, p, dir))
}

// Forward implements [engine.Engine].
func (e *Engine) Forward(ctx context.Context, data []engine.Datum) ([]engine.Output, error) {
	if err := masked(data); err != nil {
		return nil, err
	}
	return e.Local.Forward(ctx, data)
}

// masked refuses distributions that the sampler has not.
func masked(data []engine.Datum) error {
	for i := range data {
		if len(data[i].Mask.Never) > 0 || data[i].Mask.Form != "" {
			return unsupported("tokens that are never drawn, and schemas: the sampler has no masks")
		}
	}
	return nil
}

// unsupported wraps [errors.ErrUnsupported].
func unsupported(what string) error {
	return fmt.Errorf("%w: %s", errors.ErrUnsupported, what)
}

// moved notes that a policy is not any more what the server has.
func (e *Engine) moved(p engine.Policy, err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap.Version[p]++
	return err
}

// Close unloads what the server has, and closes the engine that trains.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	ctx, stop := service.Parting(e.opened, farewell)
	defer stop()
	for _, l := range e.loaded {
		e.unload(ctx, l)
	}
	e.loaded = nil
	return e.Local.Close()
}
