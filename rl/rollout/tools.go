package rollout

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/rollout/gather"
	"parley/team"
)

// Tools are what an agent may call within its turn. Its text ends at a call, the call is run, what came of it is inserted behind the text, and
// the agent goes on. The turn is one completion all the same (see [Completion.Sequence]).
type Tools interface {
	// Turn begins a turn that answers a dialogue.
	Turn(dialogue []team.Message) ToolTurn
}

// A ToolTurn is one turn of an agent, part by part: a part is what it writes up to a call, or to the end.
type ToolTurn interface {
	// Watch follows the next part, of at least so many tokens; nil: only end tokens and lengths end it.
	Watch(least int) Watcher
	// Calls reads a part, and reports whether it ends with calls that are to be run.
	Calls(tokens []int, why engine.StopReason) bool
	// Run runs the calls of the part that was read last, and returns them with the tokens that the agent reads before it goes on. A tool
	// that fails is a result that says so; an error is that of the machine which runs it.
	Run(ctx context.Context) (calls []Call, insert []int, err error)
	// Text is what the whole turn reads as, with a last part.
	Text(last string) string
}

// follow begins a turn in which tools may be called.
func (p *pending) follow(actor Actor, dialogue []team.Message, req *engine.SampleRequest) {
	p.engine, p.turn, p.context = actor.Engine, actor.Tools.Turn(dialogue), actor.Context
	p.limit, p.seed = req.MaxTokens, req.Seed
	req.ReuseInBackward = false // what is kept belongs to a prompt and one completion of it
	p.request = *req
	p.rewatch()
	req.Watch = p.request.Watch
}

// rewatch has the next part of a turn followed.
func (p *pending) rewatch() {
	p.request.MinTokens = max(0, p.request.MinTokens)
	p.watch, p.request.Watch = nil, nil
	if w := p.turn.Watch(p.request.MinTokens); w != nil {
		p.watch, p.request.Watch = w, w
	}
}

// callTools runs what the completions of a turn call, and lets them go on, until none calls anything.
func (r *Runner) callTools(ctx context.Context, live []frontier, drawn []pending, progress *gather.Drawing) error {
	open := slices.DeleteFunc(slices.Clone(drawn), func(p pending) bool { return p.turn == nil })
	for part := 1; len(open) > 0; part++ {
		insert, failed := make([][]int, len(open)), make([]error, len(open))
		err := gather.All(len(open), func(i int) error {
			insert[i], failed[i] = open[i].call(ctx)
			return ctx.Err()
		})
		if err != nil {
			return fmt.Errorf("call tools: %w", err)
		}
		var next []pending
		for i := range open {
			p, n := &open[i], live[open[i].node].node
			if failed[i] != nil {
				n.Fail(fmt.Sprintf("tools, turn %d: %v", n.Turn+1, failed[i]))
			}
			if len(insert[i]) > 0 && p.goesOn(insert[i], part) {
				next = append(next, *p)
			}
		}
		open = slices.DeleteFunc(next, func(p pending) bool { return live[p.node].node.Failed != "" })
		if err := r.drawParts(ctx, open, progress); err != nil {
			return err
		}
	}
	return nil
}

// call runs what the last part of a completion calls, and returns what the agent reads before it goes on; nothing where the turn is over.
// Nothing is run where the agent could not go on.
func (p *pending) call(ctx context.Context) ([]int, error) {
	c := p.completion
	if !p.turn.Calls(c.Tokens[p.from:], c.Stop) {
		return nil, nil
	}
	if len(c.Tokens) >= p.limit {
		p.truncate()
		return nil, nil
	}
	calls, insert, err := p.turn.Run(ctx)
	for i := range calls {
		calls[i].At = len(c.Tokens)
	}
	c.Calls = append(c.Calls, calls...)
	return insert, err
}

// goesOn prepares the next part of a completion. One whose results leave no room in the context ends before them.
func (p *pending) goesOn(insert []int, part int) bool {
	c := p.completion
	prompt := slices.Concat(p.request.Prompt, c.Tokens[p.from:], insert)
	if p.context > 0 && len(prompt) >= p.context {
		p.truncate()
		return false
	}
	c.Inserted = append(c.Inserted, Inserted{At: len(c.Tokens), Tokens: insert})
	req := &p.request
	req.Prompt, req.Seed = prompt, seed.Derive(p.seed, "part", part)
	req.MaxTokens, req.MinTokens = p.limit-len(c.Tokens), req.MinTokens-len(c.Tokens[p.from:])
	p.from = len(c.Tokens)
	p.rewatch()
	return true
}

// drawParts draws the next parts of completions, one batch for each engine.
func (r *Runner) drawParts(ctx context.Context, open []pending, progress *gather.Drawing) error {
	for _, e := range r.engines() {
		var reqs []engine.SampleRequest
		var to []*pending
		for i := range open {
			if open[i].engine == e {
				reqs, to = append(reqs, open[i].request), append(to, &open[i])
			}
		}
		if len(reqs) == 0 {
			continue
		}
		samples, err := gather.Sample(ctx, e, reqs, progress.More())
		if err != nil {
			return fmt.Errorf("sample answers behind results of tools: %w", err)
		}
		for i, s := range samples {
			c := to[i].completion
			c.Tokens, c.Logprobs = append(c.Tokens, s.Tokens...), append(c.Logprobs, s.Logprobs...)
			to[i].finish(s.Stop)
		}
	}
	return nil
}
