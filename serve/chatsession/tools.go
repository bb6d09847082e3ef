package chatsession

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/engine"
	"parley/internal/seed"
	"parley/model"
	"parley/rl/rollout"
	"parley/team"
)

// A Caller is a speaker's tools, and what writes its prompts of them.
type Caller interface {
	rollout.Tools
	Prompt(dialogue []team.Message) ([]int, error)
	// Base is the model that writes.
	Base() *model.Model
}

// SpeakerOf is who speaks for an actor of a rollout, without its policy, which depends on the turn.
func SpeakerOf(actor rollout.Actor) (Speaker, error) {
	stream, streams := engine.As[engine.Streamer](actor.Engine)
	m, isModel := actor.Codec.(*model.Model)
	caller, calls := actor.Codec.(Caller)
	switch {
	case streams && isModel:
		return Speaker{Engine: stream, Model: m}, nil
	case streams && calls:
		return Speaker{Engine: stream, Model: caller.Base(), Caller: caller}, nil
	}
	return Speaker{}, errors.New("its engine cannot hand out tokens one by one")
}

// call lets a speaker with tools answer, as rollouts do: part by part, with results between the parts. Calls and results are said too, each
// pair on a line of its own, but are no part of the reply where its form keeps them apart.
func (v Speaker) call(ctx context.Context, dialogue []team.Message, s Settings, say func(text string) error) (reply Reply, err error) {
	prompt, err := v.Caller.Prompt(dialogue)
	if err != nil {
		return Reply{}, err
	}
	reply.Prompt = len(prompt)
	turn := v.Caller.Turn(dialogue)
	for part := 0; ; part++ {
		req := engine.SampleRequest{
			Policy: v.Policy, Prompt: prompt, Sampling: s.Sampling, MaxTokens: s.MaxTokens - reply.Tokens,
			MinTokens: max(0, s.MinTokens-reply.Tokens), Stop: v.Model.Stop(), Never: v.Model.Unused(), Seed: s.Seed,
		}
		if part > 0 {
			req.Seed = seed.Derive(s.Seed, "part", part)
		}
		watch := turn.Watch(req.MinTokens)
		if watch != nil {
			req.Watch = watch
		}
		drawn, err := v.part(ctx, req, say)
		reply.Tokens, reply.Stop = reply.Tokens+len(drawn.Tokens), drawn.Stop
		text := v.Model.Text(drawn.Tokens)
		if watch != nil && drawn.Stop == engine.StopText {
			text, _ = watch.Text()
		}
		if reply.Text = turn.Text(text); err != nil {
			return reply, fmt.Errorf("answer: %w", err)
		}
		if !turn.Calls(drawn.Tokens, drawn.Stop) || reply.Tokens >= s.MaxTokens {
			return reply, nil
		}
		calls, insert, err := turn.Run(ctx)
		if err != nil {
			return reply, fmt.Errorf("tools: %w", err)
		}
		for _, c := range calls {
			if err := say(fmt.Sprintf("\n[%s]\n", c)); err != nil {
				return reply, err
			}
		}
		prompt = slices.Concat(prompt, drawn.Tokens, insert)
	}
}

// part draws one part, and says it as it is written.
func (v Speaker) part(ctx context.Context, req engine.SampleRequest, say func(text string) error) (engine.Sample, error) {
	stream, drawn := v.Model.Tokenizer.Stream(), engine.Sample{}
	release := func(text string) error {
		if text == "" {
			return nil
		}
		return say(text)
	}
	samples, err := v.Engine.Stream(ctx, []engine.SampleRequest{req}, func(_, token int) error {
		drawn.Tokens = append(drawn.Tokens, token)
		return release(stream.Push(token))
	})
	if e := release(stream.Flush()); err == nil {
		err = e
	}
	if err != nil {
		return drawn, err
	}
	return samples[0], nil
}
