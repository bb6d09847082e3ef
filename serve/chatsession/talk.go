// Package chatsession holds conversations with models and with teams, token by token, for people who watch.
//
// A [Speaker] is who answers: a policy over a base model. It is the unit of both kinds of conversation: in a [Conversation] one
// speaker remembers what was said (conversation.go), and a [Team] lets the speakers of a protocol's agents answer one question in
// their turns, as they did in training (team.go). What a speaker calls within its turn is run, and said (tools.go). Clients of servers change logits (logits.go),
// and may want one call and nothing else (forced.go). A [Loaded] is the team of a run or a recipe to talk to: its agents answer a question as they
// answer held-out problems (loaded.go), or write one text (choir.go).
//
// Text is handed out as it is certain, never half a character.
package chatsession

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
	"parley/model"
	"parley/model/chat"
	"parley/task"
	"parley/team"
)

// A Voice answers the last message of a dialogue.
type Voice interface {
	Say(ctx context.Context, dialogue []team.Message, s Settings, say func(text string) error) (Reply, error)
}

// A Speaker is a policy over a base model. It is a [Voice].
type Speaker struct {
	Engine engine.Streamer
	Model  *model.Model
	Policy engine.Policy
	Caller Caller // what it may call within its turns; nil: nothing
}

// Settings say how an answer is drawn.
type Settings struct {
	Sampling  engine.Sampling
	MaxTokens int
	MinTokens int
	Stop      []string     // texts that end the answer; they are not part of it
	Logits    Logits       // what is changed of a model's
	Form      string       // what a model's answer is a text of; see [engine.Mask]
	Seed      uint64       // of this answer's random stream
	Problem   task.Problem // that a team works on, for voices that are no models
	// Beside the dialogue of a model without tools of its own: functions that it may call, as its template gets them, and whether it goes on with
	// the last message, which is its own.
	Tools    []any
	Continue bool
	// For texts that are no conversation (Speaker.Continue): further tokens that end the text, and whether the model's own end
	// tokens do not.
	StopTokens []int
	IgnoreEnd  bool
	// Token is told every token of a model without tools, with its log-probability, before the text that becomes certain with it; nil: nobody is.
	// Engines may tell none before the answer is whole.
	Token func(id int, logprob float32)
}

// A Reply is an answer.
type Reply struct {
	Text   string
	Prompt int // tokens of the prompt; 0 where the voice is no model
	Tokens int
	Stop   engine.StopReason // empty: the answer was interrupted
	Beside string            // what people may want to know of the text, such as who wrote what of it; no part of it
	Drawn  engine.Sample     // the tokens of a model without tools; empty: others, and answers that were interrupted
}

// Say lets the speaker answer the last message of a dialogue. Each piece of text goes to say as soon as it is certain. An answer
// that ctx ends is returned as far as it came, together with the error.
func (v Speaker) Say(ctx context.Context, dialogue []team.Message, s Settings, say func(text string) error) (Reply, error) {
	if v.Caller != nil {
		return v.call(ctx, dialogue, s, say)
	}
	prompt, err := v.Model.PromptFor(chat.Dialogue{Turns: dialogue, Tools: s.Tools, Continue: s.Continue})
	if err != nil {
		return Reply{}, err
	}
	return v.Continue(ctx, prompt, s, say)
}

// request is what the engine is asked for.
func (v Speaker) request(prompt []int, s Settings) engine.SampleRequest {
	ends := v.Model.Stop()
	if s.IgnoreEnd {
		ends = nil
	}
	r := engine.SampleRequest{
		Policy: v.Policy, Prompt: prompt, Sampling: s.Sampling, MaxTokens: s.MaxTokens,
		MinTokens: s.MinTokens, Stop: slices.Concat(ends, s.StopTokens), Never: v.Model.Unused(), Form: s.Form, Seed: s.Seed,
	}
	r.Shape = s.Logits.change(&r)
	return r
}

// Places are those of the tokens of a text that goes on with a prompt: what could have stood there, before cuts.
func (v Speaker) Places(prompt, drawn []int, s Settings) engine.Prefix {
	r := v.request(prompt, s)
	return engine.Prefix{
		Policy: v.Policy, Tokens: slices.Concat(prompt, drawn[:len(drawn)-1]), From: len(prompt),
		Sampling: engine.Sampling{Temperature: s.Sampling.Temperature}, Mask: r.Mask().Forced(),
	}
}

// Continue lets the speaker go on with a text, a conversation or not.
func (v Speaker) Continue(ctx context.Context, prompt []int, s Settings, say func(text string) error) (Reply, error) {
	request := v.request(prompt, s)
	stops, err := v.Model.Stops(s.Stop)
	if err != nil {
		return Reply{}, err
	}
	reply := Reply{Prompt: len(prompt)}
	release := func(text string) error {
		if text == "" {
			return nil
		}
		reply.Text += text
		return say(text)
	}
	push, rest := v.reader(stops, &request, s.Token)
	samples, err := v.Engine.Stream(ctx, []engine.SampleRequest{request}, func(_, token int) error {
		reply.Tokens++
		return release(push(token))
	})
	if e := release(rest()); err == nil {
		err = e
	}
	if err != nil {
		return reply, fmt.Errorf("answer: %w", err)
	}
	reply.Stop, reply.Drawn = samples[0].Stop, samples[0]
	return reply, nil
}
