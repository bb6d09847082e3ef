package harness

import (
	"context"
	"errors"
	"net/http"

	"parley/engine"
	"parley/model"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/serve"
	"parley/serve/chatsession"
	"parley/team"
)

// An agent is one of an episode. It answers as the recipe has it drawn, whatever the request says of that.
type agent struct {
	live   *harness.Live
	number int
	harness.Agent
	how chatsession.Settings
}

// newAgent is what answers for an agent.
func newAgent(live *harness.Live, number int, a harness.Agent) serve.Answerer {
	how := chatsession.Settings{Sampling: a.Draw.Sampling, MaxTokens: a.Draw.MaxTokens, MinTokens: a.Draw.MinTokens, Stop: a.Stop, Form: a.Draw.Form}
	m, writes := a.Actor.Codec.(*model.Model)
	if a.Actor.Speaker != nil || !writes {
		return agent{live, number, a, how}
	}
	base := chatsession.Speaker{Model: m} // whose engine is that of each call
	return writer{serve.NewSingle(base, how).(serve.Writer), agent{live, number, a, how}}
}

// begin opens the call of a question, which leaves what the recipe says as it is.
func (a *agent) begin(ctx context.Context, q *serve.Question, prompt []int) (*harness.Call, error) {
	c, err := exchangeOf(ctx).call(q.Choice, func() ([]*harness.Call, error) {
		if q.Unforced {
			a.live.Count(harness.Unforced, "")
		}
		if s := q.With(a.how); s.Sampling != a.how.Sampling || s.Logits.Changes() {
			a.live.Count(harness.Overridden, "")
		}
		return a.live.Begin(a.number, harness.Ask{Response: q.Response, Messages: q.Messages, Prompt: prompt, Seed: q.Asked, N: q.Choices})
	})
	if err != nil {
		return nil, failure(err)
	}
	q.Temperature, q.TopP, q.TopK, q.Logits, q.Seed = nil, nil, nil, chatsession.Logits{}, c.Seed()
	return c, nil
}

// Answer implements [serve.Answerer] for an agent in whose place a program or a server speaks. Where it fails, the episode has.
func (a agent) Answer(ctx context.Context, q serve.Question, l serve.Listener) (serve.Answer, error) {
	c, err := a.begin(ctx, &q, nil)
	if err != nil {
		return serve.Answer{}, err
	}
	defer exchangeOf(ctx).drawn()
	if c.Silent() {
		return serve.Answer{}, nil
	}
	out, err := serve.NewSingle(voice{c}, a.how).Answer(ctx, q, l)
	switch {
	case err == nil:
		c.Wrote(out.Written, nil)
	case !errors.Is(err, a.live.Context().Err()): // else the episode has ended meanwhile
		err = exchangeOf(ctx).fail(serve.Fail(http.StatusBadGateway, "agent %s: %v", a.Name, err).Final())
	}
	return out, err
}

// A voice is a call of an agent that is no model.
type voice struct{ *harness.Call }

// Say implements [chatsession.Voice].
func (v voice) Say(ctx context.Context, _ []team.Message, s chatsession.Settings, say func(text string) error) (chatsession.Reply, error) {
	r, err := v.Speak(ctx, s.MaxTokens)
	if err != nil {
		return chatsession.Reply{}, err
	}
	out := chatsession.Reply{Text: r.Text, Stop: engine.StopEOS}
	if r.Cut {
		out.Stop = engine.StopLength
	}
	return out, say(r.Text)
}

// A writer is an agent whose policy writes.
type writer struct {
	serve.Writer
	agent
}

// Prompt implements [serve.Writer]. One that has no room for a token of an answer is refused: the program may shorten it.
func (w writer) Prompt(q serve.Question) ([]int, error) {
	prompt, err := w.Writer.Prompt(q)
	if most := w.Actor.Context; err == nil && most > 0 && len(prompt) >= most {
		err = serve.Bad("messages", "the prompt has %d tokens, and the context of %s has room for %d with its answer: shorten the conversation", len(prompt), w.Name, most).Coded("context_length_exceeded")
	}
	return prompt, err
}

// Answer implements [serve.Answerer].
func (w writer) Answer(ctx context.Context, q serve.Question, l serve.Listener) (serve.Answer, error) {
	prompt, err := w.Prompt(q)
	if err != nil {
		return serve.Answer{}, &serve.QuestionError{Err: err}
	}
	c, err := w.begin(ctx, &q, prompt)
	if err != nil {
		return serve.Answer{}, err
	}
	defer exchangeOf(ctx).drawn()
	if c.Silent() {
		return serve.Answer{Usage: serve.Usage{Prompt: len(prompt)}}, nil
	}
	speaker := w.Speaker()
	speaker.Engine = c
	out, err := serve.NewSingle(speaker, w.how).Answer(ctx, q, l)
	if err != nil {
		return out, failure(err)
	}
	var calls []rollout.Call
	for _, call := range out.Calls {
		calls = append(calls, rollout.Call{At: len(out.Drawn.Tokens), Name: call.Name, Arguments: call.Arguments})
	}
	c.Wrote(out.Written, calls)
	return out, nil
}
